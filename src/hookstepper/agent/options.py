"""Options of hooks and rings, looked at when they are given: what cannot be is refused, and told why."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, TypeVar

from hookstepper.agent.models.port import ChatModel
from hookstepper.model.errors import SpecError

E = TypeVar("E", bound=enum.Enum)


class OptionError(SpecError, ValueError):
    """An option of a hook, a ring or an agent cannot be."""


def names(value: object, where: str) -> tuple[str, ...]:
    """The names in `value`: one name, or several; None is none.

    Args:
        where: owner and option, as they are named in the error.

    Raises:
        OptionError: it is neither a name nor several.
    """
    if value is None:
        return ()
    found = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    for name in found:
        if not isinstance(name, str) or not name:
            raise OptionError(f"{where}: {name!r:.60} is no name", hint="a name, or a list of names")
    return found


def member(kind: type[E], value: object, where: str) -> E:
    """The member of `kind` that `value` is or names, in any case.

    Raises:
        OptionError: there is no such member; the error lists those there are.
    """
    if isinstance(value, kind):
        return value
    found = next((m for m in kind if isinstance(value, str) and m.name == value.upper()), None)
    if found is None:
        known = ", ".join(m.name for m in kind)
        raise OptionError(f"{where}: there is no {value!r:.60}", hint=f"one of: {known}")
    return found


def number(value: Any, where: str, *, least: float = 0, none: bool = False, whole: bool = True) -> None:
    """Raise if `value` is no number of `least` or more.

    Args:
        none: whether None will do too.
        whole: whether it is to be an int.

    Raises:
        OptionError: it is not.
    """
    if value is None and none:
        return
    fits = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not fits or not value >= least:
        kind = "whole number" if whole else "number"
        raise OptionError(f"{where} is {value!r:.60}", hint=f"a {kind} of {least:g} or more")


def function(value: object, where: str) -> None:
    """Raise if `value` cannot be called.

    Raises:
        OptionError: it cannot.
    """
    if not callable(value):
        raise OptionError(f"{where} is {value!r:.60}, which cannot be called", hint="give it a function")


def chat_model(value: object, where: str) -> ChatModel:
    """`value` as a chat model; a LangChain one is wrapped.

    Raises:
        OptionError: it is neither.
    """
    if isinstance(value, ChatModel):
        return value
    modules = {base.__module__.partition(".")[0] for base in type(value).__mro__}
    if "langchain_core" in modules and callable(getattr(value, "bind_tools", None)):
        from hookstepper.agent.models.langchain import LangChainModel

        return LangChainModel(value)
    raise OptionError(
        f"{where}: {value!r:.60} is no chat model",
        hint="a ChatModel: ScriptedModel([...]), OpenAIModel(name), LangChainModel(model), or your subclass",
    )


def several(value: Any) -> tuple[Any, ...]:
    """A list of things as a tuple; one thing alone is a list of one, and None an empty one."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
