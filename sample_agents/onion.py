"""Why the safety hook belongs last: after the model, hooks run from the last registered to the first.

`right` registers Safety last, so it sees the raw answer and cuts the command. `wrong` registers it first: by
then Shorten has put the command on a line that looks harmless, and Act runs it. Compare the two:
`hookstepper run sample_agents/onion.py:wrong`, then `:right`, and open the Onion tab.
"""

from hookstepper.agent import (
    AssistantMessage,
    HookPosition,
    ModelHook,
    ReactAgent,
    ReplaceAllWith,
    ScriptedModel,
    hook_positions,
)

SAMPLE_INPUT = "Clean up, please."
RAN = []
"""Commands that got through; a real program would have run them."""


def with_text(state, text):
    """The update that gives the newest message another text."""
    *before, last = state["messages"]
    return {"messages": ReplaceAllWith([*before, AssistantMessage(text, id=last.id)])}


@hook_positions(HookPosition.AFTER_MODEL)
class Act(ModelHook):
    """Runs what stands behind `do:`. It is the loop exit: nothing comes after it."""

    def after_model(self, state):
        for line in state["messages"][-1].content.splitlines():
            if line.startswith("do:"):
                RAN.append(line.removeprefix("do:").strip())
                print(f"ran: {RAN[-1]}")


@hook_positions(HookPosition.AFTER_MODEL)
class Shorten(ModelHook):
    """Turns `$ command` lines into `do: command`, as the next hook wants them."""

    def after_model(self, state):
        return with_text(state, state["messages"][-1].content.replace("$ ", "do: "))


@hook_positions(HookPosition.AFTER_MODEL)
class Safety(ModelHook):
    """Cuts lines that look like a shell prompt."""

    def after_model(self, state):
        lines = state["messages"][-1].content.splitlines()
        return with_text(state, "\n".join(line for line in lines if not line.startswith("$ ")))


def made(name, hooks):
    """An agent whose model answers with a command."""
    return ReactAgent(
        name, ScriptedModel(["I will clean up.\n$ rm -rf ~/reports"], per_turn=True), hooks=hooks
    )


right = made("right", [Act(), Shorten(), Safety()])
wrong = made("wrong", [Safety(), Act(), Shorten()])
agent = right

if __name__ == "__main__":
    for each in (right, wrong):
        RAN.clear()
        each.invoke(SAMPLE_INPUT)
        print(f"{each.name}: {RAN or 'nothing ran'}")
