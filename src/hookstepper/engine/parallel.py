"""A fan-out: branches that run on copies of the state and are gathered into one update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hookstepper.engine.bodies import Body, as_update
from hookstepper.engine.compile import Parallel
from hookstepper.engine.config import (
    DEFAULT_AGGREGATION,
    DEFAULT_EXECUTOR,
    aggregation_key,
    concurrency_key,
)
from hookstepper.engine.effects import At, Branches, Call, Effects, Ended, Here, Tell, gated
from hookstepper.engine.errors import ParallelError
from hookstepper.engine.keeping import committed, emit, save
from hookstepper.engine.listening import announce
from hookstepper.engine.routing import Way, ask_branches
from hookstepper.engine.strategies import apply_update, merged
from hookstepper.model.ids import TaskId
from hookstepper.model.record import Route
from hookstepper.ports.facts import Ran

if TYPE_CHECKING:
    from hookstepper.engine.loop import Run


@dataclass(slots=True)
class Branch:
    """One branch that has run."""

    body: Body
    update: dict[str, Any]


def step(run: Run, fan_out: Parallel, task: TaskId, superstep: int) -> Effects[None]:
    """Execute a parallel node: run its branches, merge what they return, go on to where they meet.

    Raises:
        Exception: what the first branch that failed raised, in declaration order.
        ParallelError: the results cannot be gathered.
    """
    yield from announce(run, "before", fan_out.id)
    way = run.chosen
    run.chosen = None
    if way is None or way.next != fan_out.id:
        way = yield from ask_branches(fan_out, run.state, run.config)
    any_of = _takes_any(run, fan_out)
    branches = yield from _run_branches(run, fan_out, way, any_of)
    yield At(task, superstep, run.scope, fan_out.id)
    states = yield Call(_gather, (run, way, branches, run.fixed or any_of))
    run.next = fan_out.join
    yield from save(run, fan_out.id, fan_out.join)
    route = Route((fan_out.join,), "fixed", f"the branches meet at {fan_out.join}")
    for branch, state in zip(branches, states, strict=True):
        yield Tell(committed(run, branch.body, branch.update, state, route))
    yield from announce(run, "after", fan_out.id)
    yield from emit(run, fan_out.id)


def _takes_any(run: Run, fan_out: Parallel) -> bool:
    metadata = run.config.metadata
    aggregation = metadata.get(aggregation_key(fan_out.join)) or metadata.get(DEFAULT_AGGREGATION)
    return bool(aggregation == "any_of")


def _run_branches(run: Run, fan_out: Parallel, way: Way, any_of: bool) -> Effects[list[Branch]]:
    metadata = run.config.metadata
    driver = yield Here()
    bodies = []
    for target in way.targets:
        state = run.state.copy()
        if way.update:
            yield Call(state.update, (way.update,))
        spec = run.plan.nodes[target]
        bodies.append(Body(run, spec, TaskId(f"{driver.task}/{target}"), driver.superstep, state))
    ends: Sequence[Ended | None] = yield Branches(
        [_branch(body) for body in bodies],
        first=any_of,
        tasks=[body.task for body in bodies],
        executor=_executor(metadata, fan_out),
        limit=metadata.get(concurrency_key(fan_out.source)),
    )
    run.failed_place = None
    return _any_of(ends) if any_of else _all_of(run, bodies, ends)


def _branch(body: Body) -> Effects[Branch]:
    run = body.run_of
    error: Exception | None = None
    update: dict[str, Any] = {}
    yield At(body.task, body.superstep, run.scope, body.spec.id)
    try:
        result = yield from gated(body.site, body.given, body.run)
        update = as_update(body.spec.id, result)
        body.take_usage(update)
    except Exception as raised:
        error = raised
    if body.attempts:
        yield from announce(run, "after", body.spec.id, state=body.state, in_branch=True)
    if error is not None:
        raise error
    yield Tell(Ran(body.site, body.task, body.superstep, update))
    return Branch(body, update)


def _executor(metadata: Mapping[str, Any], fan_out: Parallel) -> Executor | None:
    executor = metadata.get(fan_out.id) or metadata.get(DEFAULT_EXECUTOR)
    return executor if isinstance(executor, Executor) else None


def _all_of(run: Run, bodies: Sequence[Body], ends: Sequence[Ended | None]) -> list[Branch]:
    branches: list[Branch] = []
    for body, ended in zip(bodies, ends, strict=True):
        if ended is None or ended.error is not None:
            run.failed_place = run.scope.place(body.spec.id)
            raise ended.error if ended is not None and ended.error else ParallelError("a branch did not run")
        branches.append(ended.value)
    return branches


def _any_of(ends: Sequence[Ended | None]) -> list[Branch]:
    winner = next((ended.value for ended in ends if ended is not None and ended.error is None), None)
    if winner is None:
        errors = [ended.error for ended in ends if ended is not None]
        raise ParallelError(
            f"all {len(ends)} parallel branches failed: {'; '.join(repr(error) for error in errors)}",
            upstream=f"ALL {len(ends)} parallel branches failed in ANY_OF strategy",
        )
    return [winner]


def _gather(run: Run, way: Way, branches: Sequence[Branch], one_by_one: bool) -> list[Mapping[str, Any]]:
    """Merge the branches' updates into the run's state; the state after each of them, in order.

    Upstream merges them with each other first, starting from nothing, and the result into the state.
    """
    base, keys = dict(run.state.data), run.plan.keys
    steps: list[dict[str, Any]] = []
    if one_by_one:
        apply_update(base, way.update or {}, keys)
        for branch in branches:
            apply_update(base, branch.update, keys)
            steps.append(dict(base))
    else:
        combined: dict[str, Any] = {}
        for branch in branches:
            _refuse_none(branch)
            combined = merged(combined, branch.update, keys)
            state = dict(base)
            # The router's own update is lost for keys that a branch writes too, as upstream loses it.
            apply_update(state, {**(way.update or {}), **combined}, keys)
            steps.append(state)
    run.state.become(steps[-1] if steps else base)
    return [*steps[:-1], run.state.data] if steps else []


def _refuse_none(branch: Branch) -> None:
    for key, value in branch.update.items():
        if value is None:
            raise ParallelError(
                f"branch {branch.body.spec.id!r} returned None for {key!r}",
                hint='leave the key out, or compile with compat="fixed"',
                upstream="NullPointerException",
            )
