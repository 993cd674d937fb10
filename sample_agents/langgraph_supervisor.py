"""A supervisor with two teams, each a graph of its own: nested steps, and a Command that hands over.

The supervisor goes to a team by `Command(goto=…)`; the teams are compiled graphs that are nodes here. Step
into one, and its nodes are named by path, such as `research:search`.
"""

from __future__ import annotations

import operator
from typing import Annotated, Literal, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

SAMPLE_INPUT = {"task": "a page about tea"}


class Work(TypedDict, total=False):
    """State of all three graphs."""

    task: str
    notes: Annotated[list[str], operator.add]
    draft: str


def search(state: Work) -> Work:
    """Finds something."""
    return {"notes": [f"found: {state['task']}"]}


def sift(state: Work) -> Work:
    """Keeps what is good."""
    return {"notes": [f"kept {len(state['notes'])} of them"]}


def write(state: Work) -> Work:
    """Writes a first draft."""
    return {"draft": f"{state['task']}: {'; '.join(state['notes'])}"}


def polish(state: Work) -> Work:
    """Makes it better."""
    return {"draft": state["draft"].capitalize() + "."}


def supervisor(state: Work) -> Command[Literal["research", "writing", "__end__"]]:
    """Decides who works next, by what is there already."""
    if not state.get("notes"):
        return Command(goto="research")
    if not state.get("draft"):
        return Command(goto="writing")
    return Command(goto=END)


class Notes(TypedDict):
    """What the research team hands back."""

    notes: list[str]


class Draft(TypedDict):
    """What the writing team hands back."""

    draft: str


research = StateGraph(Work, output_schema=Notes)
research.add_sequence([search, sift])
research.add_edge(START, "search")

writing = StateGraph(Work, output_schema=Draft)
writing.add_sequence([write, polish])
writing.add_edge(START, "write")

builder = StateGraph(Work)
builder.add_node(supervisor)
builder.add_node("research", research.compile())
builder.add_node("writing", writing.compile())
builder.add_edge(START, "supervisor")
builder.add_edge("research", "supervisor")
builder.add_edge("writing", "supervisor")
graph = builder.compile(name="newsroom")
