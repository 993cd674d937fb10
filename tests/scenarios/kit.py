"""What scenario tests share: engines, twins, and a run that is driven to its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hookstepper.testing import DrivenRun, drive
from hookstepper.trace.marks import Mark

AGENTS = Path(__file__).parent / "agents"
NATIVE = str(AGENTS / "natives.py")
CHAIN = str(AGENTS / "chains.py")
GRAPH = str(AGENTS / "graphs.py")
TARGET_PYTHON = os.environ.get("HOOKSTEPPER_TARGET_PYTHON")
"""Interpreter of the targets, such as one with older frameworks and without hookstepper; ours if not set."""
ENDED = ("ended", "failed", "limit", "gone")

COLOURS = pytest.mark.parametrize("colour", ["", "_async"], ids=["sync", "async"])
"""Plain functions, and the same as coroutines."""
ENGINES = pytest.mark.parametrize(
    ("file", "colour"),
    [(NATIVE, ""), (CHAIN, ""), (CHAIN, "_async")],
    ids=["built-in", "langchain", "langchain-async"],
)


def target_python() -> tuple[str, ...]:
    """Words of the command line that name the interpreter of the targets."""
    return ("--python", TARGET_PYTHON) if TARGET_PYTHON else ()


@contextmanager
def driven(target: str, value: Any = "go", **options: Any) -> Iterator[DrivenRun]:
    """A run that stands before its first node."""
    if target.startswith((CHAIN, GRAPH)):
        pytest.importorskip("langgraph", reason="LangGraph is not installed")
    with drive(target, input=value, python=TARGET_PYTHON, **options) as run:
        yield run


def played(run: DrivenRun, *answers: str, most: int = 30) -> DrivenRun:
    """Step until the end, answering questions in order; the last answer serves for the rest."""
    left = list(answers)
    for _ in range(most):
        if run.phase in ENDED:
            break
        if run.phase == "waiting":
            run.do(f"answer.send {left.pop(0) if len(left) > 1 else left[0]}")
        else:
            run.do("run.next")
    return run


def marks(run: DrivenRun) -> list[tuple[str, Mark]]:
    """Marks of all steps, each with the node that it stands at."""
    trace = run.view.trace
    return [(run.steps[index], mark) for index in range(len(trace.steps)) for mark in trace.marks(index)]


def marked(run: DrivenRun, kind: str) -> list[Mark]:
    """All marks of a kind."""
    return [mark for _, mark in marks(run) if mark.kind == kind]


def whys(run: DrivenRun) -> dict[str, str]:
    """Why each node's newest route was taken."""
    return {
        name: step.route.why
        for name, step in zip(run.steps, run.view.trace.steps, strict=True)
        if step.route is not None
    }


def short(names: list[str]) -> list[str]:
    """Names of steps without what only one of the engines says."""
    words = [name.replace("before_model", "b").replace("after_model", "a") for name in names]
    words = [word.replace("beforeModel", "b").replace("afterModel", "a") for word in words]
    return [word for word in words if not word.startswith("InstructionAgentHook")]
