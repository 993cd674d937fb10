"""Values as a person types them, and back: JSON on one line, safe to show and never losing anything."""

from __future__ import annotations

import json
import unicodedata

from hookstepper.model.ids import Json
from hookstepper.tui.words import tr
from hookstepper.values.schema import schema_problem


def typed(value: Json) -> str:
    """The value as JSON on one line. What a terminal might obey is written as an escape, so it survives."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return "".join(_escaped(char) if unicodedata.category(char) in _UNSAFE else char for char in text)


_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]


def read_typed(text: str, *, old: Json = None, schema: Json = None) -> tuple[Json, str]:
    """The value that was typed, and what is wrong with it, empty if nothing.

    Text that is no JSON stands for itself where a text is expected: the schema says so, or what stood there
    was one.
    """
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not (_takes_text(schema) if schema is not None else isinstance(old, str)):
            return None, tr("not JSON: {why}", why=error)
        value = text
    problem = schema_problem(value, schema)
    if problem and not isinstance(value, str) and _takes_text(schema):
        # 25 typed where a text is expected means the text.
        return text, schema_problem(text, schema)
    return value, problem


def read_answer(text: str, schema: Json) -> tuple[Json, str]:
    """The answer to a plain question, and what is wrong with it, empty if nothing.

    Without a schema JSON is taken as JSON and anything else as a text.
    """
    if isinstance(schema, dict) and schema.get("type") == "boolean" and text.strip().lower() in _YES_NO:
        return _YES_NO[text.strip().lower()], ""
    if isinstance(schema, dict) and schema.get("type") == "string":
        return text, schema_problem(text, schema)
    if not isinstance(schema, dict) or not schema:
        try:
            return json.loads(text), ""
        except (ValueError, RecursionError):
            return text, ""
    return read_typed(text, schema=schema)


_YES_NO = {"yes": True, "y": True, "no": False, "n": False, "是": True, "否": False}


def kind_word(value: Json) -> str:
    """What kind of value it is, for people."""
    match value:
        case str():
            return tr("text")
        case bool():
            return tr("yes or no")
        case int() | float():
            return tr("number")
        case None:
            return tr("nothing (null)")
    return tr("JSON")


def _takes_text(schema: Json) -> bool:
    if not isinstance(schema, dict):
        return False
    kinds = schema.get("type")
    if kinds == "string" or (isinstance(kinds, list) and "string" in kinds):
        return True
    options = schema.get("anyOf")
    return isinstance(options, list) and any(_takes_text(option) for option in options)
