"""Reads `.env` files, since the package that usually does is not in every user's environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<key>[^\s='"#]+)[ \t]*=[ \t]*
        (?:'(?P<single>[^']*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<bare>[^\n]*))""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_REFERENCE = re.compile(r"\$\{(?P<name>[^}:]+)(?::-(?P<default>[^}]*))?\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def read_env(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """The variables that the text of a `.env` file sets, in its order.

    Understands `export`, comments, single quotes (taken as they are, may span lines), double quotes
    (with `\\n`, `\\t`, `\\"`), and `${NAME}` or `${NAME:-default}` outside single quotes. Lines that
    set nothing are passed over.

    Args:
        text: the whole file.
        known: what a reference may name besides the variables of the file itself, such as `os.environ`.

    Source: the grammar follows what python-dotenv documents.
    """
    found: dict[str, str] = {}

    def value_of(reference: re.Match[str]) -> str:
        name = reference["name"]
        return found.get(name, known.get(name, reference["default"] or ""))

    for match in _LINE.finditer(text.replace("\r\n", "\n").lstrip("\ufeff")):
        if match["single"] is not None:
            found[match["key"]] = match["single"]
            continue
        if match["double"] is not None:
            raw = _ESCAPE.sub(lambda one: _ESCAPES.get(one[1], one[1]), match["double"])
        else:
            raw = re.sub(r"(^|\s+)#.*$", "", match["bare"]).strip()
        found[match["key"]] = _REFERENCE.sub(value_of, raw)
    return found
