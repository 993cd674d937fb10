"""Has synchronous runs save to our saver at once, and not by way of another thread.

LangGraph hands every save to a thread, since savers are slow. Ours keeps objects in memory: the way there
and back costs more than the save, and each commit would have to be waited for before the next node may be
held. Where LangGraph has no such place to take hold of, threads save as ever and the recorder waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

_SAVES = frozenset({"put_writes", "_checkpointer_put_after_previous"})
"""Names of the methods that LangGraph's loop hands over to have something saved."""


@contextmanager
def saved_at_once(saver: Any) -> Iterator[None]:
    """While entered, what is saved with `saver` is saved by whoever has it saved."""
    try:
        from langgraph.pregel._executor import BackgroundExecutor
    except ImportError:
        yield
        return
    submit = BackgroundExecutor.__dict__.get("submit")
    if submit is None:
        yield
        return

    def submit_or_save(self: Any, fn: Any, *args: Any, **options: Any) -> Any:
        if getattr(fn, "__name__", "") not in _SAVES or not _is_for(saver, getattr(fn, "__self__", None)):
            return submit(self, fn, *args, **options)
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args))
        except BaseException as error:
            done.set_exception(error)
            # As of any other save, the failure is raised when the run ends.
            self.tasks[done] = (False, True)
        return done

    BackgroundExecutor.submit = submit_or_save
    try:
        yield
    finally:
        BackgroundExecutor.submit = submit


def _is_for(saver: Any, owner: Any) -> bool:
    """True if `owner`, whose method is handed over, is the saver itself or a loop that saves with it."""
    return owner is saver or getattr(owner, "checkpointer", None) is saver
