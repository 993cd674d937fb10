"""How a graph is compiled and how one run of it is set up."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from hookstepper.engine.checkpoints import MemorySaver, Saver
from hookstepper.engine.listeners import Listener
from hookstepper.engine.outputs import Interruption
from hookstepper.model.errors import SpecError
from hookstepper.model.ids import CheckpointId, NodeId

DEFAULT_THREAD = "$default"
HUMAN_FEEDBACK = "HUMAN_FEEDBACK"
STATE_UPDATE = "STATE_UPDATE"
RETAINED = "checkpoints.numRetained"
DEFAULT_EXECUTOR = "_DEFAULT_PARALLEL_EXECUTOR_"
DEFAULT_AGGREGATION = "_DEFAULT_PARALLEL_AGGREGATION_STRATEGY_"
LISTENER_LIMIT = 25
INTERRUPTED = NodeId("__INTERRUPTED__")
"""Next node of a checkpoint whose edge has not been asked yet."""

Compat = Literal["upstream", "fixed"]
Aggregation = Literal["all_of", "any_of"]


def parallel_id(source: str) -> NodeId:
    """Id of the node that stands for a fan-out from `source`."""
    return NodeId(f"__PARALLEL__({source})")


def aggregation_key(join: str) -> str:
    """Metadata key of the aggregation for the branches that meet at `join`."""
    return f"__PARALLEL_TARGET__({join})"


def concurrency_key(source: str) -> str:
    """Metadata key of the most branches that may run at once in a fan-out from `source`."""
    return f"__MAX_CONCURRENCY___{parallel_id(source)}"


@dataclass(slots=True)
class RunConfig:
    """What belongs to one run. The engine copies it at the start: a caller's own config is never changed.

    Nodes get the run's copy: its `metadata` and `context` may be written, and later nodes see that.
    """

    thread_id: str | None = None
    checkpoint_id: CheckpointId | None = None
    """Of the last checkpoint, in nodes; of the one to go on from, when a run is started with it."""
    metadata: MutableMapping[str, Any] = field(default_factory=dict)
    context: MutableMapping[str, Any] = field(default_factory=dict)
    """Scoped to the run, never saved."""
    store: Any = None
    """Long-term memory; None: that of the compiled graph."""
    stream: bool = True
    """False if nodes should not hand out their results piece by piece."""
    next_node: NodeId | None = None
    """For information only, in snapshots: the engine does not read it."""
    graph: Any = None
    """The compiled graph that is running, in nodes."""
    path: str = ""
    """Place of the running graph: empty at the top, else the subgraph nodes above it, each with a colon."""

    @property
    def thread(self) -> str:
        """The thread, `$default` if none was named."""
        return str(self.thread_id) if self.thread_id is not None else DEFAULT_THREAD

    def copy(self, **changes: Any) -> RunConfig:
        """A config of its own, mappings copied, with some fields changed."""
        fresh: dict[str, Any] = {"metadata": dict(self.metadata), "context": dict(self.context)}
        return replace(self, **(fresh | changes))

    def with_metadata(self, **values: Any) -> RunConfig:
        """A copy with more metadata."""
        return self.copy(metadata={**self.metadata, **values})

    def resuming(self, feedback: Interruption | None = None) -> RunConfig:
        """A copy that resumes the thread, with a person's feedback if there is any."""
        return self.with_metadata(**{HUMAN_FEEDBACK: "placeholder" if feedback is None else feedback})

    def with_state_update(self, values: Mapping[str, Any]) -> RunConfig:
        """A copy that merges `values` into the state before an interruptable node is asked."""
        return self.with_metadata(**{STATE_UPDATE: dict(values)})

    def with_executor(self, executor: Executor, source: str | None = None) -> RunConfig:
        """A copy whose branches run on `executor`; only those that fan out from `source` if it is given."""
        return self.with_metadata(**{DEFAULT_EXECUTOR if source is None else parallel_id(source): executor})

    def with_aggregation(self, aggregation: Aggregation, join: str | None = None) -> RunConfig:
        """A copy whose branches are gathered so; only those that meet at `join` if it is given.

        Raises:
            SpecError: there is no such aggregation.
        """
        if aggregation not in get_args(Aggregation):
            raise SpecError(
                f"there is no aggregation {aggregation!r:.40}",
                hint=f"one of: {', '.join(get_args(Aggregation))}",
            )
        return self.with_metadata(
            **{DEFAULT_AGGREGATION if join is None else aggregation_key(join): aggregation}
        )

    def retaining(self, count: int) -> RunConfig:
        """A copy that keeps only the newest `count` checkpoints of its thread.

        Raises:
            SpecError: that is no whole number above 0.
        """
        number: Any = count
        if not isinstance(number, int) or number < 1:
            raise SpecError(f"{count!r:.40} checkpoints cannot be kept", hint="a whole number above 0")
        return self.with_metadata(**{RETAINED: count})

    @property
    def wants_resume(self) -> bool:
        """True if a run with this config goes on instead of starting at START."""
        return self.checkpoint_id is not None or HUMAN_FEEDBACK in self.metadata


def _ids(ids: Iterable[str]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else tuple(ids)


def _random_id() -> str:
    return str(uuid.uuid4())


@dataclass(slots=True, kw_only=True)
class CompileConfig:
    """How a graph is to run. One config may serve several graphs; they then share saver and listeners."""

    saver: Saver | None = field(default_factory=MemorySaver)
    """Where checkpoints go; None: nowhere, and the graph cannot be resumed."""
    recursion_limit: int = 100
    """START, each node and END count one."""
    interrupt_before: Iterable[str] = ()
    interrupt_after: Iterable[str] = ()
    interrupt_before_edge: bool = False
    """True: an interrupt after a node comes before its edge is asked, so that an edit can change the way."""
    release_thread: bool = False
    """True: a completed run releases its thread's checkpoints."""
    listeners: list[Listener] = field(default_factory=list)
    """Read at each event, so that one may be added later; those beyond 25 are not called."""
    store: Any = None
    compat: Compat = "upstream"
    execution_id: bool = False
    """True: the state carries a random id of the run under `_graph_execution_id_`, as upstream's does."""
    new_id: Callable[[], str] = _random_id
    """Source of checkpoint and run ids."""
    clock: Callable[[], int] = time.perf_counter_ns
    """Nanoseconds; used for durations."""
    now: Callable[[], float] = time.time
    """Seconds since the epoch; told to listeners."""

    def __post_init__(self) -> None:
        limit: Any = self.recursion_limit
        if not isinstance(limit, int) or limit <= 0:
            raise SpecError(
                f"recursion limit {limit!r:.40} is no whole number above 0",
                hint="START, each node and END count one",
            )
        if self.compat not in ("upstream", "fixed"):
            raise SpecError(f"rules {self.compat!r:.40} are neither upstream nor fixed")
        self.interrupt_before = _ids(self.interrupt_before)
        self.interrupt_after = _ids(self.interrupt_after)
