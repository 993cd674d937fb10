"""Map and reduce: one task for each word, all held side by side, then one node that sums up.

`split` answers with Sends, so the number of parallel tasks is only known when it has run. Each task is held
by itself: let one go and the others stay. `total` begins when the last has committed.
"""

from __future__ import annotations

import operator
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import Send

SAMPLE_INPUT = {"text": "to be or not to be"}


class Count(TypedDict, total=False):
    """State of the whole."""

    text: str
    lengths: Annotated[list[int], operator.add]
    total: int


class Word(TypedDict):
    """What one task sees: not the state, but what it was sent."""

    word: str


def split(state: Count) -> Count:
    """Tidies the text; the words are sent from here."""
    return {"text": state["text"].lower()}


def to_words(state: Count) -> list[Send]:
    """One Send for each different word."""
    return [Send("measure", {"word": word}) for word in dict.fromkeys(state["text"].split())]


def measure(state: Word) -> Count:
    """Measures one word."""
    return {"lengths": [len(state["word"])]}


def total(state: Count) -> Count:
    """Sums up."""
    return {"total": sum(state["lengths"])}


builder = StateGraph(Count)
builder.add_node(split)
builder.add_node(measure)
builder.add_node(total)
builder.add_edge(START, "split")
builder.add_conditional_edges("split", to_words, ["measure"])
builder.add_edge("measure", "total")
graph = builder.compile(name="word count")
