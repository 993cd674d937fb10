"""Finds the agent or graph that a module means, when nobody has named it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import cast

from hookstepper.adapters.factories import arguments
from hookstepper.model.errors import LoadError
from hookstepper.ports.target import Adapter


def candidates(module: ModuleType, adapters: Sequence[Adapter]) -> dict[str, object]:
    """Objects of the module that an adapter claims, by their first public name.

    What another candidate is made of (its builder, its subgraphs) is no candidate of its own.
    """
    found: dict[str, object] = {}
    for name, value in vars(module).items():
        known = any(value is other for other in found.values())
        if not name.startswith("_") and not known and any(adapter.claims(value) for adapter in adapters):
            found[name] = value
    inner: set[int] = set()
    for value in found.values():
        inner |= _parts_of(value)
    outermost = {name: value for name, value in found.items() if id(value) not in inner}
    return outermost or found


def pick(module: ModuleType, attr: str, adapters: Sequence[Adapter]) -> tuple[str, object]:
    """The attribute that is meant and its value: the named one, else the only candidate.

    Raises:
        LoadError: the named one is not there, or there is none, or several; `choices` tells which.
    """
    if attr:
        obj: object = module
        for part in attr.split("."):
            if not hasattr(obj, part):
                known = tuple(candidates(module, adapters)) or _factories(module)
                raise LoadError(
                    f"{module.__name__} has no attribute {attr!r}",
                    hint=f"there are: {', '.join(known)}" if known else "",
                    choices=known,
                )
            obj = getattr(obj, part)
        return attr, obj
    found = candidates(module, adapters)
    if len(found) == 1:
        return next(iter(found.items()))
    where = getattr(module, "__file__", None) or module.__name__
    if found:
        choices = tuple(found)
        raise LoadError(
            f"{where} holds several agents or graphs",
            hint=f"choose one with :NAME, of {', '.join(choices)}",
            choices=choices,
        )
    makers = _factories(module)
    hint = f"functions that could make one: {', '.join(makers)}; name one with :NAME" if makers else ""
    raise LoadError(
        f"{where} holds no agent or graph at its top level",
        hint=hint or "assign one to a name at the top level of the file",
        choices=makers,
    )


def _factories(module: ModuleType) -> tuple[str, ...]:
    """Public functions of the module itself that can be called with nothing, or with a config."""
    return tuple(
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and arguments(value, {}) is not None
    )


def _parts_of(root: object, most: int = 3000, deepest: int = 5) -> set[int]:
    """Identities of the objects that `root` holds, found in plain attributes and containers only."""
    seen = {id(root)}
    layer = [root]
    for _ in range(deepest):
        below: list[object] = []
        for obj in layer:
            for child in _children(obj):
                if id(child) not in seen and len(seen) < most:
                    seen.add(id(child))
                    below.append(child)
        layer = below
    return seen - {id(root)}


def _children(obj: object) -> list[object]:
    if isinstance(obj, (str, bytes, int, float, bool, type(None), type, ModuleType)):
        return []
    if type(obj) is dict:
        return list(cast("dict[object, object]", obj).values())
    if type(obj) in (list, tuple, set, frozenset):
        return list(cast("Iterable[object]", obj))
    found = list(getattr(obj, "__dict__", {}).values())
    for kind in type(obj).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            member = kind.__dict__.get(slot)
            if inspect.ismemberdescriptor(member):
                try:
                    found.append(member.__get__(obj))
                except AttributeError:
                    continue
    return found
