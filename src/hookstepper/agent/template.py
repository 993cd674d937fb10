"""Filling `{names}` in an instruction."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\\([{}\\])|\{([A-Za-z_][\w.]*)\}")


class MissingValueError(KeyError):
    """A template names a value that is not there."""

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(name)
        self.name = name
        self.known = known

    def __str__(self) -> str:
        known = ", ".join(self.known) or "none"
        return f"the instruction needs a value for {{{self.name}}}; the state has: {known}"


def has_places(template: str) -> bool:
    """True if `render` would change the template, or need a value for it."""
    return _PLACE.search(template) is not None


def render(template: str, values: Mapping[str, object]) -> str:
    r"""`template` with each `{name}` replaced; `\{` and `\}` are braces, a brace around no name stays.

    Raises:
        MissingValueError: a name has no value.
    """

    def put(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        value: object = values
        for part in match[2].split("."):
            if not isinstance(value, Mapping) or part not in value or value[part] is None:
                raise MissingValueError(match[2], sorted(values))
            value = value[part]
        return str(value)

    return _PLACE.sub(put, template)
