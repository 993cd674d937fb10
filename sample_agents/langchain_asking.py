"""A person is asked by `interrupt()`: from a hook after the model, and from inside of a tool.

`hook` asks before anything is paid: `yes` lets the calls go on, anything else answers them itself. `tool`
asks how much: its node runs again from its first line with the answer. For questions by LangChain's own
middleware see `langchain_approval.py`, and `langchain_newer.py`, where each call is asked about by itself.
"""

# LangChain passes the runtime by its name, whether a hook needs it or not.
# ruff: noqa: ARG001

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentState, after_model
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool as as_tool
from langchain_scripted import ScriptedChat, call, calls
from langgraph.types import interrupt

SAMPLE_INPUT = "Pay invoice 17."
PAID: list[tuple[int, int]] = []
"""What was really paid in this process: invoice and amount."""


@as_tool
def look_up(invoice: int) -> str:
    """Tell the amount of an invoice."""
    return f"invoice {invoice}: 120 EUR"


@as_tool
def pay(invoice: int, amount: int) -> str:
    """Pay an invoice."""
    PAID.append((invoice, amount))
    return f"paid {amount} EUR for invoice {invoice}"


CLERK = ScriptedChat(
    replies=[
        calls(call("look_up", "c1", invoice=17)),
        calls(call("look_up", "c2", invoice=18), call("pay", "c3", invoice=17, amount=120)),
        "That is all.",
    ]
)


@after_model
def ask_first(state: AgentState, runtime: Any) -> dict[str, Any] | None:
    """Asks before anything is paid; without a yes the calls are answered here, and nothing is run."""
    last = state["messages"][-1]
    wanted = [one for one in getattr(last, "tool_calls", ()) if one["name"] == "pay"]
    if not wanted or str(interrupt(f"pay {wanted[0]['args']['amount']} EUR?")).startswith("y"):
        return None
    return {"messages": [ToolMessage("not now", tool_call_id=one["id"]) for one in last.tool_calls]}


hook = create_agent(CLERK, [look_up, pay], middleware=[ask_first], name="asking_hook")


@as_tool("pay")
def pay_after_asking(invoice: int, amount: int) -> str:
    """Pay an invoice, as much as the person says."""
    said = interrupt({"question": f"How much of {amount} EUR shall I pay?", "invoice": invoice})
    PAID.append((invoice, int(said)))
    return f"paid {said} EUR for invoice {invoice}"


tool = create_agent(CLERK, [look_up, pay_after_asking], name="asking_tool")
