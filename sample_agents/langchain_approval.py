"""A clerk that pays invoices: looking one up is free, paying needs a person.

Step to `HumanInTheLoopMiddleware.after_model`: the run asks, and waits. Approve, change the amount, reject
with a reason, or answer in the tool's place; then see in Calls what was proposed, decided and executed.
"""

from __future__ import annotations

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import tool
from langchain_scripted import ScriptedChat, call, calls

SAMPLE_INPUT = "Pay invoice 17."
PAID: list[tuple[int, int]] = []
"""What was really paid in this process: invoice and amount."""


@tool
def look_up(invoice: int) -> str:
    """Tell the amount of an invoice."""
    return f"invoice {invoice}: 120 EUR"


@tool
def pay(invoice: int, amount: int) -> str:
    """Pay an invoice."""
    PAID.append((invoice, amount))
    return f"paid {amount} EUR for invoice {invoice}"


def report(messages: list[BaseMessage]) -> str:
    """What the clerk says at the end: the tools' results since the last question, in a row."""
    results = [message for message in messages if isinstance(message, ToolMessage)]
    return "Result: " + "; ".join(str(message.content) for message in results[1:])


agent = create_agent(
    ScriptedChat(
        replies=[
            calls(call("look_up", "c1", invoice=17)),
            calls(
                call("look_up", "c2", invoice=18),
                call("pay", "c3", invoice=17, amount=120),
                text="Invoice 17 is over 120 EUR. I pay it and look at the next one.",
            ),
            report,
        ]
    ),
    [look_up, pay],
    middleware=[
        HumanInTheLoopMiddleware({"pay": {"allowed_decisions": ["approve", "edit", "reject", "respond"]}})
    ],
    name="clerk",
)
