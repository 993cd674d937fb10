"""A node that fails twice and is tried again: each attempt is held by itself.

`fetch` has a retry policy of three attempts. The third succeeds for every address but `nowhere`, where the
run ends in a failure: change `address` in the state, then retry the node from the same place.
"""

from __future__ import annotations

from collections import Counter
from typing import TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy

SAMPLE_INPUT = {"address": "somewhere"}
ATTEMPTS: Counter[str] = Counter()
"""How often each address was tried in this process."""


class Page(TypedDict, total=False):
    """State of the graph."""

    address: str
    body: str
    words: int


def fetch(state: Page) -> Page:
    """Fails until its third attempt."""
    address = state["address"]
    ATTEMPTS[address] += 1
    if address == "nowhere" or ATTEMPTS[address] % 3:
        raise ConnectionError(f"{address} does not answer (attempt {ATTEMPTS[address]})")
    return {"body": f"a page from {address}"}


def count(state: Page) -> Page:
    """Counts words."""
    return {"words": len(state["body"].split())}


builder = StateGraph(Page)
builder.add_node(
    fetch,
    retry_policy=RetryPolicy(max_attempts=3, initial_interval=0.01, jitter=False, retry_on=ConnectionError),
)
builder.add_node(count)
builder.add_edge(START, "fetch")
builder.add_edge("fetch", "count")
graph = builder.compile(name="fetcher")
