"""Runs that the program starts itself, and a debugger that may come and go while they last.

A target is run by the host; a watched object is run by whoever holds it, and only tells and asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from hookstepper.model.gates import Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import TaskId
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import Codec, Outcome


class Watcher(Protocol):
    """Told of the runs of a watched object, on the threads that run them. One run is watched at a time."""

    def begin(self, entry: Literal["start", "resume"], thread: str) -> Probe | None:
        """A run begins: the probe that it is to ask, or None if it is to run as if nobody were there."""
        ...

    def ended(self, outcome: Outcome) -> None:
        """The run for which `begin` gave a probe came to rest, in whatever way."""
        ...


class Watched(Protocol):
    """An object of the program whose runs are watched from `watch` until `close`."""

    name: str
    codec: Codec
    capabilities: frozenset[str]

    def describe(self) -> Graph:
        """The graph as it is known now; from any thread."""
        ...

    def close(self) -> None:
        """The object is as it was before; runs that are alive go on. May be called twice."""
        ...


@runtime_checkable
class WatchingAdapter(Protocol):
    """An adapter that can watch."""

    def watch(self, obj: object, watcher: Watcher) -> Watched:
        """Watch every run of an object, whoever starts it, in place: the program goes on using the object.

        Raises:
            SpecError: it is of this framework but cannot be watched; the message says why.
        """
        ...


@dataclass(frozen=True, slots=True)
class Here:
    """The task that runs the calling code."""

    site: Site
    """Of its node."""
    task: TaskId
    superstep: int


@runtime_checkable
class LocatingAdapter(Protocol):
    """An adapter that knows in whose task code runs."""

    def here(self) -> Here | None:
        """The task that runs the calling code, None outside of nodes and on threads of the program's own."""
        ...
