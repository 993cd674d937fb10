"""Secrets out of encoded values, by the names of the keys that hold them.

Deltas are redacted so that they still fit: `apply(redact(d), redact(s)) == redact(apply(d, s))`.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from hookstepper.model.ids import Json
from hookstepper.model.record import AddKey, DeleteKey, Delta, DeltaOp, Path, SetValue, Splice
from hookstepper.values.delta import same
from hookstepper.values.tags import TAG, tag_of

PATTERNS: tuple[str, ...] = (
    "*api_key*",
    "*apikey*",
    "*access_key*",
    "*private_key*",
    "*secret*",
    "*password*",
    "*passwd*",
    "*passphrase*",
    "*credential*",
    "*token",
    "*_token_value",
    "*bearer*",
    "authorization",
    "proxy_authorization",
    "x_auth*",
    "cookie",
    "set_cookie",
    "session_key",
)
"""Globs over key names in snake_case. `token` is matched as the last word only: `max_tokens` and
`token_usage` are counts. Numbers, booleans and None are never secrets."""

REDACTED: Json = {TAG: "redacted"}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IN_TEXT = re.compile(r"""(["'])([\w\- ]{2,64})\1(\s*:\s*)(["'])((?:\\.|(?!\4)[^\\]){0,16384})\4""")
_BEARER = re.compile(r"(?i)\b(bearer|basic)(\s+)[\w.~+/\-]{8,}=*")


class Redactor:
    """Takes secrets out of encoded values; holds no state but its patterns."""

    def __init__(self, patterns: Sequence[str] = PATTERNS) -> None:
        self._regex = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns) or r"(?!)")
        self.is_secret: Callable[[str], bool] = lru_cache(maxsize=4096)(self._is_secret)
        """True if a key of this name holds a secret."""

    def _is_secret(self, key: str) -> bool:
        if len(key) > 256:
            return False
        snake = _CAMEL.sub("_", key).replace("-", "_").replace(" ", "_").lower()
        return self._regex.match(snake) is not None

    def redact(self, value: Json) -> Json:
        """The value without its secrets; the same object if it has none."""
        if type(value) is str:
            return self._text(value)
        if type(value) is list:
            items = [self.redact(item) for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if type(value) is dict:
            return self._object(value)
        return value

    def _object(self, value: dict[str, Json]) -> Json:
        out = {key: self._at(key, item) for key, item in value.items()}
        return out if any(out[key] is not item for key, item in value.items()) else value

    def _at(self, key: str | int, value: Json) -> Json:
        """The value under a key; under `v` stand the rows of a map, whose keys count as keys."""
        if isinstance(key, str):
            if self.is_secret(key):
                return self._held(value)
            if key == "v" and type(value) is list:
                rows = [self._row(row) for row in value]
                return rows if any(a is not b for a, b in zip(rows, value, strict=True)) else value
        return self.redact(value)

    def _row(self, row: Json) -> Json:
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and self.is_secret(row[0]):
            held = self._held(row[1])
            return row if held is row[1] else [row[0], held]
        return self.redact(row)

    def _held(self, secret: Json) -> Json:
        """What stands in the place of the value of a secret key."""
        if secret is None or isinstance(secret, (bool, int, float)) or secret == "":
            return secret
        return secret if tag_of(secret) == "redacted" else REDACTED

    def _text(self, text: str) -> str:
        """Secrets inside a text that looks like JSON or a header: arguments of tool calls are often text."""
        if '"' in text or "'" in text:
            text = _IN_TEXT.sub(self._pair, text)
        if "earer " in text or "asic " in text or "EARER " in text:
            text = _BEARER.sub(r"\1\2[redacted]", text)
        return text

    def _pair(self, match: re.Match[str]) -> str:
        quote, key, colon, marks, _ = match.groups()
        if not self.is_secret(key):
            return match[0]
        return f"{quote}{key}{quote}{colon}{marks}[redacted]{marks}"

    # ---------------------------------------------------------------------------------------- deltas

    def redact_delta(self, delta: Delta) -> Delta:
        """The delta without secrets; changes inside or of a secret that stay unseen are left out."""
        return tuple(op for op in map(self._op, delta) if op is not None)

    def _op(self, op: DeltaOp) -> DeltaOp | None:
        path = op.path
        inside = path if isinstance(op, Splice) else path[:-1]
        if any(isinstance(part, str) and self.is_secret(part) for part in inside):
            return None
        match op:
            case SetValue(_, old, new):
                before, after = self._end(path, old), self._end(path, new)
                return None if same(before, after) else SetValue(path, before, after)
            case AddKey(_, new):
                return AddKey(path, self._end(path, new))
            case DeleteKey(_, old):
                return DeleteKey(path, self._end(path, old))
            case Splice(_, index, removed, inserted):
                item = self._row if path and path[-1] == "v" else self.redact
                return Splice(path, index, tuple(map(item, removed)), tuple(map(item, inserted)))

    def _end(self, path: Path, value: Json) -> Json:
        if len(path) > 1 and path[-2] == "v" and isinstance(path[-1], int):
            return self._row(value)
        return self._at(path[-1], value) if path else self.redact(value)
