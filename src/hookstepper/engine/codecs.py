"""States as text and back, exactly: what cannot come back as it was is refused when it is saved.

Never pickle: reading a file runs no code of the file's choosing. Classes are found among the modules that
are loaded, never imported, and only dataclasses, enums, named tuples and registered types are made again.
"""

from __future__ import annotations

import json
from typing import Any

from hookstepper.engine.decoding import decode
from hookstepper.engine.encoding import Encoder, shown
from hookstepper.engine.typecodecs import Path, TypeCodec, register
from hookstepper.model.errors import InvalidValueError

__all__ = ["TypeCodec", "from_text", "register", "to_text"]


def to_text(value: Any, path: Path = ()) -> str:
    """The value as one line of JSON.

    Args:
        path: where the value stands, for the error.

    Raises:
        InvalidValueError: something in it cannot be saved; `path` leads there.
    """
    try:
        return json.dumps(Encoder().value(value, path), separators=(",", ":"), allow_nan=False)
    except RecursionError:
        raise InvalidValueError(f"{shown(path)} is nested too deep to be saved", path=path) from None


def from_text(text: str) -> Any:
    """The value that `to_text` wrote.

    Raises:
        InvalidValueError: the text is damaged, or names a type that is not loaded.
    """
    try:
        return decode(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise InvalidValueError(f"saved value cannot be read: {type(error).__name__}: {error}") from error
