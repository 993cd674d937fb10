"""A tool that fails twice, and the rings around it: step into the tool node to see each attempt.

The retry ring is outermost, inside it the emulator would play the tool if it were switched on, and the
eviction ring puts long results into a file.
"""

import atexit
import shutil
import tempfile

from hookstepper.agent import (
    LargeResultEvictionInterceptor,
    ReactAgent,
    ScriptedModel,
    ToolCall,
    ToolRetryInterceptor,
    tool,
)

SAMPLE_INPUT = "Fetch the long report."
TRIES = []
FOLDER = tempfile.mkdtemp(prefix="hookstepper-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


@tool
def fetch(name: str) -> str:
    """Fetch a report; the line is bad."""
    TRIES.append(name)
    if len(TRIES) % 3:
        raise ConnectionError(f"the line broke off, attempt {len(TRIES)}")
    return "\n".join(f"line {number}: all is well" for number in range(1, 200))


agent = ReactAgent(
    "fetcher",
    ScriptedModel([ToolCall("c1", "fetch", '{"name": "report"}'), "It is fetched."], per_turn=True),
    tools=[fetch],
    interceptors=[
        ToolRetryInterceptor(initial_delay=0.01, jitter=False),
        LargeResultEvictionInterceptor(token_limit=200, folder=FOLDER),
    ],
    compat="fixed",
)

if __name__ == "__main__":
    for message in agent.invoke(SAMPLE_INPUT)["messages"]:
        print(f"{message.role:10} {message.content[:300]}")
