"""An agent with a shell, skills, a folder and a list of things to do: hooks and rings that bring tools.

ShellToolAgentHook opens a shell before the run and closes it after: between two calls it keeps its folder and
variables. SkillsAgentHook brings read_skill, and a skill that was read brings a tool of its own. The rings
TodoList and Filesystem bring theirs and add guidance to the system message: see it in Model call.
All of it works in a new temporary folder, which is gone at the end.
"""

import atexit
import shutil
import tempfile
from pathlib import Path

from hookstepper.agent import (
    FilesystemInterceptor,
    ReactAgent,
    ScriptedModel,
    ShellTool,
    ShellToolAgentHook,
    SkillRegistry,
    SkillsAgentHook,
    TodoListInterceptor,
    ToolCall,
    tool,
)

SAMPLE_INPUT = "Count the words of the note, the way we do it here."
FOLDER = Path(tempfile.mkdtemp(prefix="hookstepper-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
(FOLDER / "skills" / "counting").mkdir(parents=True)
(FOLDER / "skills" / "counting" / "SKILL.md").write_text(
    "---\nname: counting\ndescription: how words are counted here\nallowed-tools: stamp\n---\n"
    "Count with wc in the shell, then have the number stamped.\n",
    encoding="utf-8",
)


@tool
def stamp(number: int) -> str:
    """Stamp a number; known once the skill has been read."""
    return f"*** {number} ***"


agent = ReactAgent(
    "workshop",
    ScriptedModel(
        [
            ToolCall("c1", "write_todos", '{"todos": [{"content": "count", "status": "in_progress"}]}'),
            ToolCall("c2", "read_skill", '{"name": "counting"}'),
            ToolCall("c3", "write_file", '{"path": "note.txt", "content": "to be or not to be\\n"}'),
            ToolCall("c4", "shell", '{"command": "words=$(wc -w < note.txt)"}'),
            ToolCall("c5", "shell", '{"command": "echo $((words))"}'),
            ToolCall("c6", "stamp", '{"number": 6}'),
            "Six words, stamped.",
        ],
        per_turn=True,
    ),
    hooks=[
        ShellToolAgentHook(ShellTool(FOLDER)),
        SkillsAgentHook(SkillRegistry(FOLDER / "skills"), resolver={"stamp": stamp}),
    ],
    interceptors=[TodoListInterceptor(), FilesystemInterceptor(FOLDER)],
)

if __name__ == "__main__":
    for message in agent.invoke(SAMPLE_INPUT)["messages"]:
        print(f"{message.role:10} {message.content[:100]}")
