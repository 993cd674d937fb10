"""Several calls in one message, some of which a person decides about.

The model wants to look, pay and mail at once: looking needs nobody, paying and mailing ask. Approve one, edit
or refuse the other, and see in Calls what was asked, what was sent and what ran.
"""

from hookstepper.agent import HumanInTheLoopHook, MemorySaver, ReactAgent, ScriptedModel, ToolCall, tool

SAMPLE_INPUT = "Pay the invoice and tell Ann."


@tool
def look(invoice: str) -> str:
    """Look an invoice up.

    Args:
        invoice: its number.
    """
    return f"invoice {invoice}: 42 euros to ACME"


@tool
def pay(to: str, euros: int) -> str:
    """Pay somebody.

    Args:
        to: who gets it.
        euros: how much.
    """
    return f"paid {euros} euros to {to}"


@tool
def mail(to: str, text: str) -> str:
    """Send a mail.

    Args:
        to: who gets it.
        text: what it says.
    """
    return f"mail of {len(text)} characters to {to} is on its way"


agent = ReactAgent(
    "clerk",
    ScriptedModel(
        [
            [
                ToolCall("c1", "look", '{"invoice": "17"}'),
                ToolCall("c2", "pay", '{"to": "ACME", "euros": 420}'),
                ToolCall("c3", "mail", '{"to": "ann@example.com", "text": "The invoice is paid."}'),
            ],
            "I did what I was allowed to.",
        ],
        per_turn=True,
    ),
    tools=[look, pay, mail],
    hooks=[HumanInTheLoopHook({"pay": "it spends money", "mail": "it leaves the house"})],
    saver=MemorySaver(),
)

if __name__ == "__main__":
    from dataclasses import replace

    from hookstepper.agent import RunConfig

    asked = agent.run(SAMPLE_INPUT, RunConfig("demo")).interruption
    for feedback in asked.tool_feedbacks:
        print(feedback.description, end="\n\n")
    decided = [replace(feedback, result="APPROVED") for feedback in asked.tool_feedbacks]
    print(agent.call({}, RunConfig("demo").resuming(asked.answered(decided))).text)
