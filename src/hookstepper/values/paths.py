"""Finding a value by its path, in encoded JSON."""

from __future__ import annotations

from hookstepper.model.errors import InvalidValueError
from hookstepper.model.ids import Json
from hookstepper.model.record import Path


def lookup(value: Json, path: Path) -> Json:
    """The value at `path`.

    Raises:
        InvalidValueError: there is nothing; `path` leads to the first part that is missing.
    """
    here = value
    for depth, part in enumerate(path):
        try:
            here = here[part]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            raise InvalidValueError(f"nothing at {show(path)}", path=path[: depth + 1]) from None
    return here


def exists(value: Json, path: Path) -> bool:
    """True if `lookup` would find something."""
    try:
        lookup(value, path)
    except InvalidValueError:
        return False
    return True


def show(path: Path) -> str:
    """A path as people write it: `messages[0].content`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier():
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text
