"""The condition language: a small part of Python's expressions, over data only.

`any(c.name == "delete_file" for c in last(messages).tool_calls)`

It reads encoded values and looks through their tags. It cannot call, import or change anything, and it
cannot hang: every evaluation has a budget of operations. The same code runs live in the host, on a
recording, and for programs that are not written in Python.

What is not there is None, and asking None for more gives None again, so that
`last(messages).tool_calls[0].name` is simply None for a message without calls: `has(x, "key")` tells the
difference. None counts as empty, and is neither less nor more than anything. A name that the environment
does not know at all is an error, since it is most often a slip.

`x.f(a)` is `f(x, a)` for every function of the language; `a.b` is else the field `b` of `a`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import Json
from hookstepper.values.condition_compiler import SYNTAX_HINT, Compiler, Node
from hookstepper.values.condition_functions import FUNCTIONS, Function
from hookstepper.values.condition_values import Frame, plain, text_of
from hookstepper.values.preview import preview

__all__ = ["FUNCTIONS", "Condition", "Function", "Template", "compile_condition", "compile_template"]

MAX_LENGTH = 2_000
"""Characters of a condition."""
MAX_OPERATIONS = 100_000
"""Operations of one evaluation, about a tenth of a second."""


class Condition:
    """A compiled expression; may be used from any thread, over and over."""

    __slots__ = ("_budget", "_node", "_slots", "names", "text")

    def __init__(self, text: str, node: Node, slots: int, names: frozenset[str], budget: int) -> None:
        self.text = text
        self.names = names
        """Names of the environment that it reads."""
        self._node = node
        self._slots = slots
        self._budget = budget

    def __call__(self, env: Mapping[str, Json]) -> Json:
        """The value of the expression where `env` gives its names; plain JSON without tags at its top.

        Raises:
            ConditionError: it does not fit these values, or it ran out of operations.
        """
        frame = Frame(env, [None] * self._slots, self._budget)
        try:
            value = plain(self._node(frame))
        except ConditionError as error:
            raise ConditionError(f"{self.text}: {error.message}", hint=error.hint) from None
        except (RecursionError, MemoryError):
            raise ConditionError(f"{self.text}: nested too deeply") from None
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise ConditionError(f"{self.text}: {error}") from None
        return value  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"


def compile_condition(text: str, budget: int = MAX_OPERATIONS) -> Condition:
    """The condition that `text` means; an empty one is always true.

    Raises:
        ConditionError: it is not in the language; the message says which part, the hint what is.
    """
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"a condition has at most {MAX_LENGTH:,} characters, this has {len(text):,}")
    compiler = Compiler()
    try:
        with warnings.catch_warnings():  # the parser warns about odd escapes: not our business
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip() or "True", mode="eval")
        node = compiler.compile(tree.body)
    except ConditionError as error:
        raise ConditionError(f"{text}: {error.message}", hint=error.hint) from None
    except SyntaxError as error:
        raise ConditionError(f"{text}: {error.msg}", hint=SYNTAX_HINT) from None
    except (RecursionError, MemoryError):
        raise ConditionError("this condition is nested too deeply") from None
    except ValueError as error:
        raise ConditionError(f"{text}: {error}") from None
    return Condition(text, node, compiler.slots, frozenset(compiler.names), budget)


# ------------------------------------------------------------------------------------------ log texts

_HOLES = re.compile(r"\{\{|\}\}|\{|\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with expressions in braces, for log points."""

    text: str
    parts: tuple[str | Condition, ...]

    def __call__(self, env: Mapping[str, Json]) -> str:
        """The text with every expression's value in its place; a failing one says so there."""
        return "".join(part if isinstance(part, str) else _said(part, env) for part in self.parts)


def _said(condition: Condition, env: Mapping[str, Json]) -> str:
    try:
        value = condition(env)
    except ConditionError as error:
        return f"<{error.message}>"
    return text_of(value) if isinstance(value, str) else preview(value, 400)


def compile_template(text: str) -> Template:
    """The text with its `{expressions}` compiled; `{{` and `}}` stand for braces.

    Raises:
        ConditionError: a brace is not closed, or an expression is not in the language.
    """
    parts: list[str | Condition] = []
    at = 0
    while at < len(text):
        hole = _HOLES.search(text, at)
        if hole is None:
            parts.append(text[at:])
            break
        parts.append(text[at : hole.start()])
        at = hole.end()
        if hole[0] in ("{{", "}}"):
            parts.append(hole[0][0])
        elif hole[0] == "}":
            raise ConditionError(
                f"{text}: a }} without its {{", hint="write }} twice to mean the brace itself"
            )
        else:
            condition, at = _hole(text, at)
            parts.append(condition)
    return Template(text, tuple(part for part in parts if part != ""))


def _hole(text: str, start: int) -> tuple[Condition, int]:
    """The expression that begins at `start`, up to the first brace where it is a whole one."""
    trouble: ConditionError | None = None
    end = text.find("}", start)
    while end >= 0:
        try:
            return compile_condition(text[start:end]), end + 1
        except ConditionError as error:  # an object or a text with a brace inside
            trouble = trouble or error
            end = text.find("}", end + 1)
    raise trouble or ConditionError(
        f"{text}: a {{ without its }}", hint="write {{ twice to mean the brace itself"
    )
