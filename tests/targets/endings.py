"""A program that does at its end what programs do: functions of `atexit`, buffers, folders, threads.

`$ENDING` names the folder that it writes to.
"""

import atexit
import os
import tempfile
import threading
import time
from pathlib import Path

from hookstepper.engine import END, START, StateGraph

_FOLDER = Path(os.environ["ENDING"])
_BUFFERED = open(_FOLDER / "buffered", "w")  # noqa: SIM115
_TEMPORARY = tempfile.TemporaryDirectory(dir=_FOLDER)


@atexit.register
def goodbye() -> None:
    print("goodbye")
    (_FOLDER / "goodbye").write_text("said")


def _work(state: dict) -> dict:
    _BUFFERED.write("in the buffer")
    Path(_TEMPORARY.name, "scratch").write_text("kept while it runs")
    return {"done": True}


def _work_on_a_thread(state: dict) -> dict:
    started = threading.Event()

    def go_on() -> None:
        started.set()
        threading.main_thread().join()
        (_FOLDER / "thread").write_text("came to its end")

    threading.Thread(target=go_on, daemon=False).start()
    started.wait()
    return _work(state)


def _never_end(state: dict) -> dict:
    def for_ever() -> None:
        while True:
            time.sleep(3600)

    threading.Thread(target=for_ever, daemon=False).start()
    return _work(state)


def _graph(work) -> StateGraph:
    return StateGraph("ending").add_node("work", work).add_edge(START, "work").add_edge("work", END)


graph = _graph(_work)
with_a_thread = _graph(_work_on_a_thread)
with_a_stuck_thread = _graph(_never_end)
