"""The chain of rings around a model or tool call, as bodies with gates that both drivers run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hookstepper.agent.interceptors import METHODS, Layer, uses_async
from hookstepper.engine.driver import Driver
from hookstepper.engine.effects import Call, Effects, Here, Tell, gated
from hookstepper.model.gates import Site
from hookstepper.model.graph import RingKind
from hookstepper.model.ids import NodeId
from hookstepper.ports.facts import LayerPassed

Body: TypeAlias = Callable[[Any], Effects[Any]]
"""From a request to a body that returns the response."""


def wrapped(layers: Sequence[Layer], innermost: Body, node: NodeId, around: RingKind) -> Body:
    """`innermost` inside all rings; the first ring is the outermost.

    Args:
        node: path of the node that the rings belong to.
        around: what they wrap a call of; one object may be a ring of both kinds.
    """
    body = innermost
    for ring in range(len(layers) - 1, -1, -1):
        body = _ringed(layers[ring], ring, body, node, around)
    return body


def _ringed(layer: Layer, ring: int, inner: Body, node: NodeId, around: RingKind) -> Body:
    site = Site("layer", node, layer.interceptor.get_name(), ring)

    def run(request: Any) -> Effects[Any]:
        seen: list[Any] = [request]

        def ask(actual: Any) -> Effects[Any]:
            seen[0] = actual
            driver: Driver = yield Here()
            response = yield _call(layer, around, actual, inner, driver)
            return response

        response = yield from gated(site, request, ask)
        driver: Driver = yield Here()
        yield Tell(LayerPassed(site, driver.task, seen[0], response, around))
        return response

    return run


def _call(layer: Layer, around: RingKind, request: Any, inner: Body, driver: Driver) -> Call:
    """The call of the interceptor's own method, sync or async as the run is.

    A sync interceptor in an async run drives what is inside it synchronously; async tools or models in
    there then fail with an error that says so.
    """
    item, name = layer.interceptor, METHODS[around]
    if uses_async(item, around, driver.awaits):
        return Call(getattr(item, f"a{name}"), (request, lambda asked: driver.adrive(inner(asked))))
    return Call(getattr(item, name), (request, lambda asked: driver.drive(inner(asked))))
