"""The tagged forms that encoded values are made of: their names, and how to look through them.

JSON scalars, arrays, and objects with text keys stand for themselves. Everything else is an object whose
first key is `"$"`:

| tag | other keys | stands for |
|---|---|---|
| `tuple` `set` `frozenset` | `v`: items | sets are sorted, so that equal sets are equal text |
| `deque` | `v`, `maxlen` | |
| `map` | `v`: pairs | a dict with other keys than text, or with a key `"$"` |
| `int` `float` | `v`: text | beyond 63 bits; nan, inf, -inf |
| `str` | `v`, `lossy`, `b64` | text with lone surrogates; `b64` holds it exactly |
| `bytes` | `b64`, `type` if not bytes | |
| `datetime` `date` `time` | `v`, `zone`, `fold` | ISO form |
| `timedelta` | `v` | days, seconds, microseconds |
| `decimal` `uuid` `path` | `v`, `type` for paths | |
| `enum` | `type`, `name`, `v` | |
| `obj` | `type`, `v`: fields, `form` | dataclass, model, namedtuple, attrs, struct, plain |
| `msg` | `role`, `content`, `id`, ... | a message, made by a codec |
| `error` | `type`, `v`, `args` | an exception |
| `repr` | `type`, `v` | anything else; cannot be edited |
| `cycle` | `up` | the container so many levels above this place |
| `cut` | `of`, `n`, `v`, `h` | a value that was too large: its true size, its beginning, a hash of the rest |
| `redacted` | | a secret that was taken out |
"""

from __future__ import annotations

from hookstepper.model.ids import Json

TAG = "$"
"""The key that makes an object a tagged value."""

SEQUENCES: frozenset[str] = frozenset({"tuple", "set", "frozenset", "deque"})
FIXED: frozenset[str] = frozenset({"repr", "cycle", "cut", "redacted", "error"})
"""Tags of values that cannot be made from their encoded form: they can be kept or replaced, not edited."""


def tag_of(value: Json) -> str:
    """The tag of an encoded value, or the empty string if it stands for itself."""
    if type(value) is dict:
        tag = value.get(TAG, "")
        return tag if isinstance(tag, str) else ""
    return ""


def kind_of(value: Json) -> str:
    """One word for what an encoded value is: its tag, or `null bool int float str list dict`."""
    tag = tag_of(value)
    if tag:
        return tag
    if value is None:
        return "null"
    return type(value).__name__


def is_editable(value: Json) -> bool:
    """False for values that can only be kept or replaced by another kind of value."""
    return tag_of(value) not in FIXED


def size_of(value: Json) -> int | None:
    """How many items, keys or characters the live value has; None for what has no size."""
    if isinstance(value, dict) and TAG in value:
        if value[TAG] == "cut":
            count = value.get("n")
            return count if isinstance(count, int) else None
        inner = value.get("v")
        return len(inner) if isinstance(inner, (list, dict)) else None
    return len(value) if isinstance(value, (list, dict, str)) else None
