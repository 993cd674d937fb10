"""Graphs whose second node misbehaves, each in its own way; the first and third are well behaved."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

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


def _out_of_memory(state: dict) -> dict:
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (128 << 20), resource.RLIM_INFINITY))
    hoard = []
    while True:
        hoard.append(bytearray(8 << 20))


def _fork(state: dict) -> dict:
    child = os.fork()
    if child == 0:
        # The child goes on as a copy of the whole program, through the rest of the graph.
        print("said by the child", flush=True)
        return {"second": "in the child"}
    os.waitpid(child, 0)
    return {"second": "in the parent"}


def _fork_and_leave(state: dict) -> dict:
    child = os.fork()
    if child == 0:
        os._exit(3)
    return {"second": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}


def _fork_and_stay(state: dict) -> dict:
    if os.fork() == 0:
        while True:
            signal.pause()
    return {"second": "left a child"}


def _start_processes(state: dict) -> dict:
    subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    done = subprocess.run(["sh", "-c", "echo from a shell; exit 4"], check=False)
    return {"second": done.returncode}


def _double(number: int) -> int:
    return number * 2


def _pool(state: dict) -> dict:
    import multiprocessing

    found = []
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            found.append(pool.map(_double, [1, 2, 3]))
    return {"second": found}


def _print_megabytes(state: dict) -> dict:
    for _ in range(500):
        sys.stdout.write(("x" * 9_999 + "\n") * 2)
    sys.stderr.write("\x1b[2J\x1b[?1049h\x1b]0;title\x07" * 1_000)
    os.write(2, b"\xff\xfe not UTF-8\n")
    return {"second": "printed 10 megabytes"}


def _write_everywhere(state: dict) -> dict:
    """Every way to a terminal that a program may find."""
    found = []
    for place in ("/dev/tty", "/dev/stdin", "/proc/self/fd/0"):
        try:
            fd = os.open(place, os.O_WRONLY | os.O_NOCTTY)
        except OSError:
            continue
        found.append(place)
        os.write(fd, b"\x1b[2JWRITTEN TO THE TERMINAL")
        os.close(fd)
    return {"second": found}


def _handle_signals(state: dict) -> dict:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: print("not me", flush=True))
    print("handlers are in place", flush=True)
    while True:
        time.sleep(0.05)


def _ignore_signals(state: dict) -> dict:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    return {"second": "ignores signals"}


def _block_gil(state: dict) -> dict:
    print("blocking", flush=True)
    sys.set_int_max_str_digits(0)
    # One C call that gives the interpreter to nobody else for some seconds.
    return {"second": len(str(7**400_000))}


class _Recursing:
    def __repr__(self) -> str:
        return repr(self)

    __str__ = __repr__


class _RaisesWhenRead(dict):
    """A mapping that can be held and not read."""

    def __iter__(self):
        raise RuntimeError("not iterable")

    keys = values = items = __len__ = __getitem__ = get = __iter__


class _RaisesAttributes:
    @property
    def value(self) -> object:
        raise RuntimeError("not readable")

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(f"no {name}")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise RuntimeError("not true, not false")


def _raising_values(state: dict) -> dict:
    return {
        "recursing": _Recursing(),
        "mapping": _RaisesWhenRead(a=1),
        "attributes": _RaisesAttributes(),
        "text": "still here",
    }


def _clock_jumps(state: dict) -> dict:
    """Clocks run backwards, stand still, and leap by years, as they do to programs in virtual machines."""
    leaps = itertools.cycle([0.0, -1e9, 1e12, 5.0])
    time.time = lambda: next(leaps)
    time.monotonic = lambda: -next(leaps)
    time.perf_counter = lambda: next(leaps)
    time.time_ns = lambda: int(next(leaps))
    time.perf_counter_ns = lambda: -int(next(leaps))
    return {"second": "lost in time"}


def _raise_in_thread(state: dict) -> dict:
    def fail() -> None:
        raise RuntimeError("in a thread of the program")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    return {"second": "ran"}


def _recurse(state: dict) -> dict:
    return _recurse(state)


def _close_everything(state: dict) -> dict:
    """Closes its streams, as daemons do, and all descriptors but the low ones."""
    sys.stdout.close()
    os.close(2)
    return {"second": "closed"}


out_of_memory = _graph(_out_of_memory)
forks = _graph(_fork)
forks_and_leaves = _graph(_fork_and_leave)
forks_and_stays = _graph(_fork_and_stay)
starts_processes = _graph(_start_processes)
pools = _graph(_pool)
prints_megabytes = _graph(_print_megabytes)
writes_everywhere = _graph(_write_everywhere)
handles_signals = _graph(_handle_signals)
ignores_signals = _graph(_ignore_signals)
blocks_gil = _graph(_block_gil)
raising_values = _graph(_raising_values)
clock_jumps = _graph(_clock_jumps)
raises_in_thread = _graph(_raise_in_thread)
recurses = _graph(_recurse)
closes_streams = _graph(_close_everything)
closes_wire = _graph(lambda state: os.closerange(3, 256))
stops_itself = _graph(lambda state: os.kill(os.getpid(), signal.SIGSTOP))
crashes = _graph(lambda state: os.kill(os.getpid(), signal.SIGSEGV))
