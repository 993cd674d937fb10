"""Runs agents of a module bare, and tells what they did: messages, state, nodes, calls of the module's code.

Imports nothing of hookstepper, so that a process that runs it as a script is one that has never heard of it.
Usage: bare_agents.py FILE…; prints one JSON object, `file:agent:colour` → what was done.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

COLOURS = ("sync", "async")
ROUNDS = 6
"""Questions that are answered before a run is given up."""


def module_of(file: Path) -> ModuleType:
    """The module, executed anew: its counters begin at nothing."""
    spec = importlib.util.spec_from_file_location(f"anew_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Annotations that are texts are looked up in the module that sys.modules knows.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def agents_in(module: ModuleType) -> dict[str, Any]:
    """The module's compiled graphs, by name."""
    from langgraph.graph.state import CompiledStateGraph

    return {name: value for name, value in vars(module).items() if isinstance(value, CompiledStateGraph)}


@contextmanager
def counted(file: Path) -> Iterator[Counter[str]]:
    """While entered, counts calls of the functions that the file defines, in all threads.

    A coroutine that goes on after it has waited is not called again.
    """
    made: Counter[str] = Counter()
    lock = threading.Lock()
    frames: dict[int, FrameType] = {}
    code_file = str(file)

    def trace(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename != code_file or code.co_name.startswith("<"):
            return
        with lock:
            # Kept frames keep their identity, which tells a resumed coroutine from a new one.
            if id(frame) not in frames:
                frames[id(frame)] = frame
                made[_name(code)] += 1

    threading.settrace(trace)
    sys.settrace(trace)
    try:
        yield made
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        frames.clear()


def _name(code: CodeType) -> str:
    return f"{code.co_qualname}:{code.co_firstlineno}"


AMOUNT, YES = 100, "yes"
"""Answers to a question that is an object, and to one that is a text."""
APPROVE = {"type": "approve"}


def answer_to(value: Any) -> Any:
    """What LangChain is answered: yes to all, and an amount to whoever asks for one."""
    if isinstance(value, dict) and "action_requests" in value:
        return {"decisions": [APPROVE for _ in value["action_requests"]]}
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        return APPROVE
    return AMOUNT if isinstance(value, dict) else YES


def told(state: Any) -> dict[str, Any]:
    """A state as comparable text; messages without the ids that are made anew in each run."""
    messages = [
        (one.type, str(one.content), [call["name"] for call in getattr(one, "tool_calls", ())])
        for one in state.get("messages", ())
    ]
    rest = {key: repr(value) for key, value in state.items() if key not in ("messages", "__interrupt__")}
    return json.loads(json.dumps({**rest, "messages": messages}))  # type: ignore[no-any-return]


def given(module: ModuleType) -> Any:
    """The module's own input, as LangChain takes it."""
    value = module.SAMPLE_INPUT
    return {"messages": [{"role": "user", "content": value}]} if isinstance(value, str) else value


def bare(file: Path, colour: str) -> dict[str, Any]:
    """What the agents of a file do, run by LangChain alone; one that turns out to ask is begun anew with a
    saver."""
    done = {}
    for name, graph in agents_in(module_of(file)).items():
        run, made = _ran(file, graph, colour, saves=False)
        if run.asked:
            run, made = _ran(file, agents_in(module_of(file))[name], colour, saves=True)
        done[f"{file.stem}:{name}:{colour}"] = {
            "state": told(run.last),
            "nodes": run.nodes,
            "calls": dict(made),
            "error": run.error,
        }
    return done


def _ran(file: Path, graph: Any, colour: str, *, saves: bool) -> tuple[_Run, Counter[str]]:
    run = _Run(graph, colour, saves)
    with counted(file) as made:
        asyncio.run(run.through(given(sys.modules[f"anew_{file.stem}"])))
    return run, made


class _Run:
    """One run of an agent, with all its questions answered if it has a saver."""

    def __init__(self, graph: Any, colour: str, saves: bool) -> None:
        from langgraph.checkpoint.memory import InMemorySaver

        self.graph = graph.copy({"checkpointer": InMemorySaver()}) if saves else graph
        self.colour, self.saves = colour, saves
        self.nodes: list[str] = []
        self.last: dict[str, Any] = {}
        self.asked: dict[str, Any] = {}
        self.error = ""

    async def through(self, value: Any) -> None:
        from langgraph.types import Command

        try:
            await self._follow(value)
            for _ in range(ROUNDS):
                if not self.asked or not self.saves:
                    return
                answers = {id_: answer_to(asked) for id_, asked in self.asked.items()}
                self.asked = {}
                await self._follow(Command(resume=answers))
        except Exception as raised:
            self.error = f"{type(raised).__name__}: {raised}"

    async def _follow(self, value: Any) -> None:
        config: Any = {"configurable": {"thread_id": "t"}}
        modes = ["values", "updates"]
        if self.colour == "sync":
            for mode, part in self.graph.stream(value, config, stream_mode=modes):
                self._see(mode, part)
        else:
            async for mode, part in self.graph.astream(value, config, stream_mode=modes):
                self._see(mode, part)

    def _see(self, mode: str, part: Any) -> None:
        self.asked |= {one.id: one.value for one in part.get("__interrupt__", ())}
        if mode == "values":
            self.last = dict(part)
        elif "__metadata__" not in part:
            # What is marked so was done before a question was answered, and is not done again.
            self.nodes += [name for name in part if not name.startswith("__")]


def main() -> None:
    """Run every agent of every file in both colours."""
    warnings.simplefilter("ignore")
    done: dict[str, Any] = {}
    for file in map(Path, sys.argv[1:]):
        for colour in COLOURS:
            done |= bare(file, colour)
    json.dump(done, sys.stdout)


if __name__ == "__main__":
    main()
