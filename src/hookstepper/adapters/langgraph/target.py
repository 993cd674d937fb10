"""One LangGraph graph or LangChain agent under debug."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from hookstepper.adapters.langgraph import (
    asks,
    at_once,
    call_gates,
    configuring,
    editing,
    gates,
    handlers,
    inputs,
    layers,
    quiet,
    reentering,
    replacing,
    running,
    savings,
)
from hookstepper.adapters.langgraph.channels import public_state
from hookstepper.adapters.langgraph.codec import LangChainCodec
from hookstepper.adapters.langgraph.describing import describe
from hookstepper.adapters.langgraph.execution import runs_async
from hookstepper.adapters.langgraph.expecting import Expectation, due_first
from hookstepper.adapters.langgraph.explaining import explained
from hookstepper.adapters.langgraph.kept import KeptFile
from hookstepper.adapters.langgraph.names import path_of
from hookstepper.adapters.langgraph.recorder import Recorder
from hookstepper.adapters.langgraph.recording import recorded
from hookstepper.adapters.langgraph.recovering import recovered
from hookstepper.adapters.langgraph.saver import Nobody, recording_saver
from hookstepper.adapters.langgraph.scopes import Scope, find_scopes
from hookstepper.adapters.native_mocks import Mocked
from hookstepper.model import jumps
from hookstepper.model.errors import NotPossibleError
from hookstepper.model.gates import Ask, Site
from hookstepper.model.graph import Graph
from hookstepper.model.ids import AskId, CheckpointId, Json, NodeId, TaskId
from hookstepper.ports.probe import Probe
from hookstepper.ports.target import (
    CheckpointRow,
    Codec,
    Edit,
    Entry,
    From,
    OpenOptions,
    Outcome,
    Prediction,
    Resume,
    Snapshot,
    Start,
)
from hookstepper.ports.verdict import RunAborted
from hookstepper.values import encode


class LangGraphTarget:
    """Runs a copy of the graph with our saver and our callbacks; the user's object is left as it was."""

    def __init__(self, graph: Any, options: OpenOptions, engine: str) -> None:
        self.codec: Codec = LangChainCodec()
        self._options = options
        self._scopes = find_scopes(graph)
        self._forget_rings, found = recovered(self._scopes.values())
        described = describe(self._scopes, engine, [*_notes(graph, self._scopes), *found])
        self._recorder = Recorder(self._scopes, described)
        own = graph.checkpointer if savings.is_saver(getattr(graph, "checkpointer", None)) else None
        read = options.loop.run_until_complete if options.loop is not None else None
        self._read = read
        self._overlays: dict[int, Any] = {}
        self._has_saver = own is not None
        self._file = KeptFile(options.db) if options.db is not None else None
        self._saver = recording_saver(self._recorder, own, read, self._file)
        self._graph = graph.copy({"checkpointer": self._saver, **quiet.LIFTED})
        self._recorder.read_with(self._whole)
        self._control = editing.control_graph(graph, self._saver)
        self._async = runs_async(self._scopes) or options.loop is not None
        self._thread = options.thread
        self._config: Mapping[str, object] = options.config
        self._open: tuple[Ask, ...] = ()
        self._is_start = True
        self._asked_at: CheckpointId | None = None
        """Checkpoint whose questions have been told here."""
        self._changed = ""
        self._inside_before: list[tuple[str, CheckpointId]] = []
        """Nested graphs that were changed by hand, each with the checkpoint that it had before."""
        """Namespace of a nested graph that was changed by hand, until the next run goes on into it."""
        self._answered_at: CheckpointId | None = None
        """Checkpoint at which an answer was given that has not led anywhere yet."""
        can = {"answer", "answer_some", "calls", "fork", "lifts_stops", "tokens"}
        if any(recorded(scope.builder) for scope in self._scopes.values()):
            can.add("layers")
        if self._control is not None:
            can |= {"edit", "set_next", "predict", "fulfil", "jump_update", "jump_edit", "edit_nested"}
        self.capabilities = frozenset(can)

    # -------------------------------------------------------------------------------- what it is

    def describe(self) -> Graph:
        """The graph as declared, with the ways that runs have taken beside."""
        return self._recorder.graph

    def sample_input(self) -> Json:
        """The module's SAMPLE_INPUT, if it is plain JSON."""
        return encode(self._options.sample_input, self.codec)

    def input_schema(self) -> Json:
        """JSON schema of the input, or None if a text will do."""
        return inputs.input_schema(self._graph)

    # -------------------------------------------------------------------------------- running

    def run(self, entry: Entry, probe: Probe) -> Outcome:
        """Run until the end, a question, a limit, a failure or an abort; blocks.

        Raises:
            InvalidValueError: the input does not fit the graph.
            AnswerError: an answer would be refused or misread; nothing has changed.
            NotPossibleError: there is no such checkpoint.
        """
        running.silence_tracing()
        gates.silence_abort_log()
        gate = gates.Gate(self._recorder)
        reentered: tuple[str, ...] = ()
        if isinstance(entry, From) and savings.inside_of(entry.checkpoint) is not None:
            head, reentered = reentering.reentered(self._graph, self._saver, self._thread, entry.checkpoint)
            entry = replace(entry, checkpoint=head)
        value, config = self._prepared(entry, gate)
        if isinstance(entry, From) and entry.mocks:
            probe = _mocked(probe, entry.mocks)
        fresh = bool(reentered) or self._is_fresh(entry)
        self._is_start = isinstance(entry, Start)
        self._recorder.begin(probe, self._thread, fresh=fresh, waits=not self._async)
        addressed = config["configurable"].get("checkpoint_id")
        self._recorder.last_checkpoint = CheckpointId(addressed) if addressed else self._head()
        if isinstance(entry, Start) and self._is_asked_elsewhere():
            self._recorder.seed(self.state().values, "resume")
            sys.stderr.write(
                f"hookstepper: thread {self._thread} waits for an answer; no new turn was begun\n"
            )
            return self._outcome(None)
        self._seed(entry)
        self._recorder.expect(None if isinstance(entry, Start) else self._expected(addressed))
        self._answered_at = self._head() if isinstance(entry, Resume) else None
        changed = reentered or ((self._changed,) if self._changed and not fresh else ())
        self._changed = ""
        for namespace in changed:
            inside = self._saver.get_tuple(self._config_inside(namespace))
            self._recorder.changed_inside(namespace, public_state(inside.checkpoint["channel_values"]))
        token = layers.ACTIVE_GATE.set(gate)
        try:
            with (
                quiet.lifted(self._scopes.values(), keeps_state=self._has_saver, overlay=self._overlay),
                call_gates.gated_calls(),
                at_once.saved_at_once(self._saver),
            ):
                error = self._follow(value, config, gate)
        finally:
            layers.ACTIVE_GATE.reset(token)
        return self._outcome(error)

    def _overlay(self, saver: Any) -> Any:
        """What stands in the place of a nested graph's own saver; the same one in every run."""
        known = self._overlays.get(id(saver))
        if known is None:
            known = recording_saver(Nobody(), saver, self._read)
            self._overlays[id(saver)] = known
        return known

    def _is_asked_elsewhere(self) -> bool:
        """True, once, if the thread waits for an answer to what another process asked: a new turn would
        pass the question by without a word."""
        return self._head() not in (None, self._asked_at) and bool(self._asks())

    def _follow(self, value: object, config: dict[str, Any], gate: gates.Gate) -> BaseException | None:
        """Run until nothing is left to do; gives the program's error, if it failed."""
        recorder = self._recorder
        try:
            while True:
                self._drive(value, config, gate)
                recorder.flush()
                if recorder.aborted or not recorder.is_amended:
                    return None
                recorder.amending = True
                replacing.commit_replaced(self._graph, self._control, recorder, self._thread)
                recorder.flush()
                recorder.amending = False
                value, config = None, self._run_config(self._here(), gate, used=recorder.supersteps_used)
        except RunAborted:
            recorder.aborted = True
            recorder.flush()
            return None
        except Exception as raised:
            recorder.flush()
            return raised

    def _prepared(self, entry: Entry, gate: gates.Gate) -> tuple[object, dict[str, Any]]:
        """The graph's input and config for an entry; everything that can be wrong is found here."""
        match entry:
            case Start():
                value = inputs.graph_input(self._graph, entry.input, self.codec)
                self._thread, self._config = entry.thread, {**self._options.config, **entry.config}
                return value, self._run_config(None, gate)
            case Resume():
                from langgraph.types import Command

                values = asks.resume_values(self._open, entry.answers, _batched(self._open))
                return Command(resume=values), self._run_config(None, gate)
            case From():
                if self._saver.get_tuple(savings.config_for(self._thread, entry.checkpoint)) is None:
                    raise NotPossibleError(f"no checkpoint {entry.checkpoint} in thread {self._thread!r}")
                at_head = entry.checkpoint == self._head()
                if at_head and entry.checkpoint == self._answered_at:
                    # The answer was saved with the checkpoint and would fail again; a copy is free of it.
                    self._graph.update_state(
                        savings.config_for(self._thread, entry.checkpoint), None, as_node="__copy__"
                    )
                # At the head a plain continuation keeps what finished siblings wrote; an addressed one
                # starts a new line.
                return None, self._run_config(None if at_head else entry.checkpoint, gate)

    def _is_fresh(self, entry: Entry) -> bool:
        return isinstance(entry, Start) or (isinstance(entry, From) and entry.checkpoint != self._head())

    def _seed(self, entry: Entry) -> None:
        if isinstance(entry, Start):
            if self._scopes[""].builder is None:
                self._recorder.seed(self.state().values, "start")
            return
        at = entry.checkpoint if isinstance(entry, From) else None
        seen = savings.versions_seen(self._saver, self._thread, at)
        self._recorder.seed(self.state(at).values, "from" if isinstance(entry, From) else "resume", seen)

    def _expected(self, at: str | None) -> Expectation | None:
        """What is due where a run goes on; None where that cannot be read."""
        try:
            state = self._graph.get_state(savings.config_for(self._thread, at), subgraphs=True)
        except Exception:  # a state that its own schema refuses
            return None
        return Expectation(due_first(state), sys.stderr.write)

    def _run_config(self, checkpoint: str | None, gate: gates.Gate, *, used: int = 0) -> dict[str, Any]:
        """The config of a run; `used` supersteps of it have been taken already."""
        handler = handlers.async_handler(gate) if self._async else handlers.sync_handler(gate)
        own = getattr(self._graph, "config", None) or {}
        place = savings.config_for(self._thread, checkpoint)
        config = configuring.run_config(self._config, own, place, handler)
        if used:
            configuring.shorten(config, own, used, is_start=self._is_start)
        return config

    def _drive(self, value: object, config: dict[str, Any], gate: gates.Gate) -> None:
        context = self._config.get("context")
        # LangGraph keeps no context with the thread: it is passed again whenever a run goes on.
        options = {} if context is None else {"context": context}
        if self._async:
            running.run_through_on_loop(self._graph, value, config, options, gate, self._options.loop)
        else:
            running.run_through(self._graph, value, config, options, gate)

    def _here(self) -> CheckpointId | None:
        """The checkpoint at which the run stands, None if that is the thread's newest: older LangGraphs
        make none of their own when they go on from an older one."""
        at = self._recorder.last_checkpoint
        return None if at is None or at == self._head() else at

    def _outcome(self, error: BaseException | None) -> Outcome:
        snapshot = self.state(self._here())
        if self._recorder.aborted:
            return Outcome("aborted", snapshot.checkpoint, next=snapshot.next)
        if error is not None:
            limit = any(kind.__name__ == "GraphRecursionError" for kind in type(error).__mro__)
            place = self._recorder.place_of(error) or (snapshot.next[0] if snapshot.next else None)
            return Outcome(
                "limit" if limit else "failed",
                snapshot.checkpoint,
                error=error,
                failed_at=place,
                next=snapshot.next,
                detail=str(error).splitlines()[0] if limit else self._explained(error, place),
            )
        self._answered_at = None
        self._open = self._asks()
        self._asked_at = snapshot.checkpoint
        status = "interrupted" if self._open else "completed"
        return Outcome(cast("Any", status), snapshot.checkpoint, self._open, next=snapshot.next)

    def _explained(self, error: BaseException, place: NodeId | None) -> str:
        return explained(error, place, self._scopes, self._recorder.uncommitted)

    def _asks(self) -> tuple[Ask, ...]:
        config = savings.config_for(self._thread, self._here())
        try:
            state = self._graph.get_state(config, subgraphs=True)
        except Exception:  # a state that its own schema refuses; the questions are saved beside it
            state = savings.bare_state(self._saver, config)
        done = partial(savings.done_tasks, self._saver)
        encoded = partial(encode, codec=self.codec)
        schema_of = partial(configuring.tool_schema, self._scopes)
        return asks.open_asks(state, encoded, schema_of, self._scopes, done)

    # -------------------------------------------------------------------------------- saved states

    def _head(self) -> CheckpointId | None:
        return savings.head_of(self._saver, self._thread)

    def _whole(self, namespace: str, at: CheckpointId) -> Mapping[str, Any]:
        """State at a checkpoint of any of the graphs, as LangGraph puts it together."""
        config = savings.config_for(self._thread, at)
        config["configurable"]["checkpoint_ns"] = namespace
        values = self._graph.get_state(config).values
        return values if isinstance(values, Mapping) else {}

    def state(self, at: CheckpointId | None = None) -> Snapshot:
        """State at a checkpoint, by default the last; never raises."""
        return savings.read_snapshot(self._graph, self._saver, self._thread, at)

    def history(self, limit: int) -> Sequence[CheckpointRow]:
        """Saved states of the current thread, newest first."""
        return savings.rows(self._graph, self._saver, self._thread, limit)

    def edit(self, at: CheckpointId, edit: Edit) -> CheckpointId:
        """A new checkpoint with the change; the old one stays.

        Raises:
            NotPossibleError: this graph or this checkpoint cannot be edited so.
        """
        if self._control is None:
            raise NotPossibleError("a graph without a builder can be stepped, not edited")
        self._open = ()
        if edit.task is not None:
            return self._edited_inside(at, edit)
        return editing.edited(self._graph, self._control, self._saver, self._thread, at, edit)

    def _edited_inside(self, at: CheckpointId, edit: Edit) -> CheckpointId:
        namespace = self._recorder.namespace_of(cast("TaskId", edit.task))
        scope = self._scopes.get(path_of(namespace)) if namespace else None
        if scope is None or scope.builder is None:
            raise NotPossibleError(
                "the state of this nested graph cannot be changed here",
                hint="code of the program stands around it, and would run again",
            )
        before = editing.edited_inside(scope, self._saver, self._config_inside(namespace), edit)
        self._inside_before.append((namespace, before))
        self._changed = namespace
        return savings.root_of(at)

    def take_back_nested(self, at: CheckpointId) -> CheckpointId:
        """The root's checkpoint, with the nested graph that was changed last as it was before.

        Raises:
            NotPossibleError: none was changed.
        """
        if not self._inside_before:
            raise NotPossibleError("no nested graph was changed")
        namespace, before = self._inside_before.pop()
        scope = self._scopes[path_of(namespace)]
        editing.copied_inside(scope, self._saver, self._config_inside(namespace), before)
        self._changed = namespace
        return savings.root_of(at)

    def nested_state(self, task: TaskId) -> Snapshot:
        """State of the graph that holds a task that was held; never raises."""
        namespace = self._recorder.namespace_of(task)
        scope = self._scopes.get(path_of(namespace)) if namespace else None
        if scope is None:
            return Snapshot({}, (), None, ("that task is not held in a nested graph",))
        config = self._config_inside(namespace)
        config["configurable"]["__pregel_checkpointer"] = self._saver
        return savings.read_config(scope.graph, self._saver, config)

    def _config_inside(self, namespace: str) -> dict[str, Any]:
        config = savings.config_for(self._thread)
        config["configurable"]["checkpoint_ns"] = namespace
        return config

    def predict(self, at: CheckpointId, edit: Edit | None) -> Prediction:
        """What would be due after `edit`; told from the graph alone: no router is called."""
        snapshot = self.state(at)
        if edit is None:
            return Prediction(snapshot.next, trouble="; ".join(snapshot.trouble))
        if edit.next is not None:
            return Prediction(edit.next)
        if edit.jump is None:
            return Prediction(snapshot.next, trouble="; ".join(snapshot.trouble))
        target = jumps.target_of(self._recorder.graph, edit.jump)
        return Prediction((target,) if target is not None else snapshot.next)

    def close(self) -> None:
        """Forget the checkpoints; what was kept in a file stays there. Loops belong to the loader."""
        self._forget_rings()
        if self._file is not None:
            self._file.close()
        self._saver.storage.clear()
        self._saver.blobs.clear()
        self._saver.writes.clear()


def _mocked(probe: Probe, mocks: Mapping[Site, Sequence[object]]) -> Probe:
    """A probe that answers from a record where a body can be skipped.

    Raises:
        NotPossibleError: an answer is meant for a place where LangGraph lets nobody answer.
    """
    route = next((site for site in mocks if site.kind == "route"), None)
    if route is not None:
        raise NotPossibleError(
            f"{route.node}: a decision of LangGraph cannot be answered from a record",
            hint="answer for the node that decides",
        )
    return Mocked(probe, mocks)


def _notes(graph: Any, scopes: Mapping[str, Scope]) -> list[str]:
    notes: list[str] = []
    if savings.is_saver(getattr(graph, "checkpointer", None)):
        notes.append("its own checkpointer is read and never written to: what is run here stays in memory")
    context = inputs.context_keys(graph)
    if context:
        notes.append(f"its context needs {', '.join(context)}: --context gives it")
    return notes + quiet.notes_on(scopes.values())


def _batched(open_: Sequence[Ask]) -> set[AskId]:
    return {ask.id for ask in open_ if isinstance(ask.payload, dict) and "action_requests" in ask.payload}
