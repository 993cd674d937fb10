"""Graphs whose second node misbehaves, each in its own way; the first and third are well behaved."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from hookstepper.agent import END, START, StateGraph


def _graph(misbehave: Callable[[dict], dict | None]) -> StateGraph:
    graph = StateGraph("faults")
    graph.add_node("first", lambda state: {"first": "ran"})
    graph.add_node("second", misbehave)
    graph.add_node("third", lambda state: {"third": "ran"})
    return (
        graph.add_edge(START, "first")
        .add_edge("first", "second")
        .add_edge("second", "third")
        .add_edge("third", END)
    )


def _print(state: dict) -> dict:
    print("printed to stdout")
    print("printed to stderr", file=sys.stderr)
    os.write(1, b"written to fd 1\n")
    return {"second": "ran"}


def _write_to_terminal(state: dict) -> dict:
    try:
        with open("/dev/tty", "w") as terminal:
            terminal.write("\x1b[2J\x1b[?1049hWRITTEN TO THE TERMINAL")
        return {"second": "wrote"}
    except OSError as error:
        return {"second": f"no terminal: {error.strerror}"}


def _loop(state: dict) -> dict:
    print("looping", flush=True)
    while True:
        pass


def _raise(state: dict) -> dict:
    facts = {"town": "Beijing"}
    return {"second": facts["city"]}


class _Unreadable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr for you")


def _unserialisable(state: dict) -> dict:
    cycle: list = []
    cycle.append(cycle)
    return {"lock": threading.Lock(), "odd": _Unreadable(), "cycle": cycle, "text": "still here"}


HOSTILE = "[red]not red[/red] \x1b[31mnot red\x1b[0m \x1b]0;title\x07 \u202egnp.exe \x07 [bold"


def _leave_threads(state: dict) -> dict:
    threading.Thread(target=threading.Event().wait, daemon=False).start()
    return {"second": "left a thread"}


def _megabytes(state: dict) -> dict:
    return {"big": "x" * 30_000_000, "many": list(range(200_000))}


def _deep(state: dict) -> dict:
    nested: object = "bottom"
    for _ in range(5_000):
        nested = [nested]
    return {"deep": nested}


prints = _graph(_print)
tty = _graph(_write_to_terminal)
reads_input = _graph(lambda state: {"second": input("name? ")})
loops = _graph(_loop)
raises = _graph(_raise)
exits = _graph(lambda state: os._exit(7))
sys_exits = _graph(lambda state: sys.exit("bye"))
unserialisable = _graph(_unserialisable)
hostile = _graph(lambda state: {"second": HOSTILE, HOSTILE: "key"})
threads = _graph(_leave_threads)
megabytes = _graph(_megabytes)
deep = _graph(_deep)
interrupts = _graph(lambda state: (_ for _ in ()).throw(KeyboardInterrupt()))
