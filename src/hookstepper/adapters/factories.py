"""Calls a function that makes an agent or graph, in each of the forms that frameworks allow."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from hookstepper.model.errors import LoadError
from hookstepper.ports.target import Adapter


@dataclass(slots=True)
class Made:
    """An object that an adapter claims, and what keeps it alive."""

    obj: object
    adapter: Adapter
    loop: asyncio.AbstractEventLoop | None = None
    """The event loop on which the factory ran, None if it needed none; the object must run there."""
    _stack: AsyncExitStack | None = field(default=None, repr=False)

    def close(self) -> None:
        """Leave the context managers of the factory and close its loop; may be called twice."""
        stack, self._stack = self._stack, None
        loop, self.loop = self.loop, None
        try:
            if stack is not None:
                _finish(loop, stack)
        finally:
            if loop is not None:
                loop.close()


def make(obj: object, adapters: Sequence[Adapter], config: Mapping[str, object], name: str) -> Made:
    """`obj` if an adapter claims it, else what it makes when it is called.

    A factory takes nothing, or a config, or what an adapter knows as its framework's own. It may be a plain
    function, a coroutine function, a generator or an asynchronous one that yields once, or return a context
    manager of either kind.

    Raises:
        LoadError: it is no factory, or made something that no adapter claims.
        BaseException: whatever the factory raises.
    """
    adapter = claimant(obj, adapters)
    if adapter is not None:
        return Made(obj, adapter)
    words = arguments(obj, config, adapters) if callable(obj) else None
    if words is None:
        raise LoadError(
            f"{name!r} is a {type(obj).__name__}: neither an agent or graph, nor a function that makes one",
            hint="a factory takes nothing, or a config, or what its framework hands to factories",
        )
    call = cast("Callable[..., object]", obj)
    result = call(**words) if isinstance(words, dict) else call(*words)
    stack = AsyncExitStack()
    loop = asyncio.new_event_loop() if _is_asynchronous(result) else None
    try:
        entering = _entered(result, stack, adapters)
        result = _at_once(entering) if loop is None else loop.run_until_complete(entering)
        adapter = claimant(result, adapters)
        if adapter is None:
            raise LoadError(
                f"the factory {name!r} made a {type(result).__name__}, not an agent or graph",
                hint="it should return a graph, or be a context manager that yields one",
            )
    except BaseException:
        Made(None, adapters[0], loop, stack).close()
        raise
    return Made(result, adapter, loop, stack)


def claimant(obj: object, adapters: Sequence[Adapter]) -> Adapter | None:
    """The first adapter that claims `obj`, or None."""
    return next((adapter for adapter in adapters if adapter.claims(obj)), None)


def arguments(
    factory: Callable[..., object], config: Mapping[str, object], adapters: Sequence[Adapter] = ()
) -> dict[str, object] | tuple[object, ...] | None:
    """The arguments that a factory takes, by place or by name; None if it wants what nobody here has.

    An adapter may know a parameter as its framework's own; of the others one may be the config.
    """
    try:
        parameters = list(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):
        return ()
    named: dict[str, object] = {}
    for one in parameters:
        given = next(
            (found for found in (_theirs(adapter, one, config) for adapter in adapters) if found), None
        )
        if given is not None:
            named[one.name] = given
    rest = [one for one in parameters if one.name not in named]
    positional = [one for one in rest if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one for one in positional if one.default is one.empty]
    keywords = [one for one in rest if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    if len(required) > 1 or keywords:
        return None
    takes_config = bool(required) or (bool(positional) and positional[0].name == "config")
    if not named:
        return (config,) if takes_config else ()
    return {**named, **({positional[0].name: config} if takes_config else {})}


def _theirs(adapter: Adapter, parameter: inspect.Parameter, config: Mapping[str, object]) -> object:
    """What an adapter gives for a parameter; most know of none."""
    argument = getattr(adapter, "argument", None)
    return None if argument is None else argument(parameter, config)


def _is_asynchronous(result: object) -> bool:
    return inspect.isawaitable(result) or inspect.isasyncgen(result) or hasattr(result, "__aenter__")


async def _entered(made: Any, stack: AsyncExitStack, adapters: Sequence[Adapter]) -> object:
    """What a factory's result stands for: awaited, and entered if it is a context manager."""
    if claimant(made, adapters) is not None:
        return made
    if inspect.isawaitable(made):
        made = await made
    if claimant(made, adapters) is not None:
        return made
    if inspect.isasyncgen(made):
        turns = made
        made = asynccontextmanager(lambda: turns)()
    elif inspect.isgenerator(made):
        steps = made
        made = contextmanager(lambda: steps)()
    if hasattr(made, "__aenter__"):
        return await stack.enter_async_context(made)
    if hasattr(made, "__enter__"):
        return stack.enter_context(made)
    return made


def _finish(loop: asyncio.AbstractEventLoop | None, stack: AsyncExitStack) -> None:
    if loop is None:
        _at_once(stack.aclose())
    elif not loop.is_closed():
        loop.run_until_complete(stack.aclose())


def _at_once(coroutine: Any) -> Any:
    """The result of a coroutine that never waits, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("a synchronous factory waited for something")
