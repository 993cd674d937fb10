"""A hook that sends the run back to the model once, and what becomes of it.

`sticky` keeps upstream's rules: nothing removes jump_to, so the loop has no end but a limit. `one_shot` has
fixed rules: the router that reads the jump takes it out, and the run ends after two calls.
"""

from hookstepper.agent import (
    CompileConfig,
    HookPosition,
    ModelHook,
    ReactAgent,
    ScriptedModel,
    hook_positions,
    tool,
)

SAMPLE_INPUT = "Say something better than the first thing that comes to mind."


@tool
def think() -> str:
    """Think once more."""
    return "hm"


@hook_positions(HookPosition.AFTER_MODEL)
class Again(ModelHook):
    """Not content with the first answer."""

    can_jump_to = ("model",)

    def after_model(self, state):
        if not state.get("retried"):
            return {"retried": True, "jump_to": "model"}
        return None


def made(compat):
    """The agent, by the rules asked for; a limit keeps a run outside of the debugger finite."""
    return ReactAgent(
        compat,
        ScriptedModel(["a first answer", "a better answer"], exhausted="and again"),
        tools=[think],
        hooks=[Again()],
        compat=compat,
        compile_config=CompileConfig(recursion_limit=60, saver=None, compat=compat),
    )


sticky = made("upstream")
one_shot = made("fixed")
agent = sticky

if __name__ == "__main__":
    for each in (sticky, one_shot):
        result = each.run(SAMPLE_INPUT)
        answers = sum(message.role == "assistant" for message in result.state["messages"])
        print(f"{each.name}: {result.status} after {answers} answers")
