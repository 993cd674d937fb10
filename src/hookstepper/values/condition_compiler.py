"""From the syntax tree of a condition to closures; only what is named here is in the language."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Any, TypeAlias

from hookstepper.model.errors import ConditionError
from hookstepper.values.condition_functions import FUNCTIONS, LAZY
from hookstepper.values.condition_values import (
    ARITHMETIC,
    COMPARISONS,
    Frame,
    iterate,
    joined_or_none,
    kind,
    member,
    mismatch,
    number,
    opened,
)

Node: TypeAlias = Callable[[Frame], Any]
SYNTAX_HINT = "such as: len(messages) > 4 and last(messages).role == 'assistant'"


class Compiler:
    """Turns a syntax tree into closures; loop variables become numbered slots."""

    def __init__(self) -> None:
        self.slots = 0
        self.names: set[str] = set()
        self._scopes: list[dict[str, int]] = []

    def compile(self, node: ast.expr) -> Node:
        make = getattr(self, f"_{type(node).__name__.lower()}", None)
        if make is None:
            raise self._refuse(node, f"{_words(node)} is not in the condition language")
        run: Node = make(node)
        return run

    @staticmethod
    def _refuse(node: ast.AST, why: str) -> ConditionError:
        at = getattr(node, "col_offset", 0) + 1
        return ConditionError(f"column {at}: {why}", hint=SYNTAX_HINT)

    # ------------------------------------------------------------------------------- names and values

    def _constant(self, node: ast.Constant) -> Node:
        value = node.value
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise self._refuse(node, f"a {type(value).__name__} is no value here")
        return lambda frame: value  # noqa: ARG005

    def _name(self, node: ast.Name) -> Node:
        name = node.id
        for scope in reversed(self._scopes):
            if name in scope:
                slot = scope[name]
                return lambda frame: frame.slots[slot]
        if name in _WORDS:
            value = _WORDS[name]
            return lambda frame: value  # noqa: ARG005
        self.names.add(name)

        def read(frame: Frame) -> Any:
            frame.spend()
            try:
                return opened(frame, frame.env[name])
            except KeyError:
                near = get_close_matches(name, [str(key) for key in frame.env], n=3, cutoff=0.6)
                known = near or sorted(str(key) for key in frame.env)[:12]
                raise ConditionError(
                    f"there is no {name!r} here", hint=("near: " if near else "there is: ") + ", ".join(known)
                ) from None

        return read

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> Node:
        items = [self.compile(item) for item in node.elts]

        def build(frame: Frame) -> Any:
            frame.spend(len(items) + 1)
            return [item(frame) for item in items]

        return build

    _tuple = _list
    _set = _list

    def _dict(self, node: ast.Dict) -> Node:
        if any(key is None for key in node.keys):
            raise self._refuse(node, "** is not in the condition language")
        pairs = [
            (self.compile(key), self.compile(value))
            for key, value in zip(node.keys, node.values, strict=True)
            if key
        ]

        def build(frame: Frame) -> Any:
            frame.spend(len(pairs) + 1)
            return {str(key(frame)): value(frame) for key, value in pairs}

        return build

    def _attribute(self, node: ast.Attribute) -> Node:
        owner, name = self.compile(node.value), node.attr

        def read(frame: Frame) -> Any:
            frame.spend()
            return member(frame, owner(frame), name)

        return read

    def _subscript(self, node: ast.Subscript) -> Node:
        owner = self.compile(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(owner, node.slice)
        key = self.compile(node.slice)

        def read(frame: Frame) -> Any:
            frame.spend()
            return member(frame, owner(frame), key(frame))

        return read

    def _slice(self, owner: Node, part: ast.Slice) -> Node:
        if part.step is not None:
            raise self._refuse(part.step, "a slice takes no step here")
        low = self.compile(part.lower) if part.lower else None
        high = self.compile(part.upper) if part.upper else None

        def read(frame: Frame) -> Any:
            whole = owner(frame)
            if whole is None:
                return None
            if not isinstance(whole, (list, str)):
                raise mismatch(f"cannot take a slice of {kind(whole)}")
            piece = whole[low(frame) if low else None : high(frame) if high else None]
            frame.spend(1 + len(piece) // 8)
            return piece

        return read

    # ------------------------------------------------------------------------------------- operations

    def _boolop(self, node: ast.BoolOp) -> Node:
        parts = [self.compile(value) for value in node.values]
        stop = isinstance(node.op, ast.Or)

        def run(frame: Frame) -> Any:
            value: Any = None
            for part in parts:
                frame.spend()
                value = part(frame)
                if bool(value) is stop:
                    return value
            return value

        return run

    def _unaryop(self, node: ast.UnaryOp) -> Node:
        operand = self.compile(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda frame: not operand(frame)
        if isinstance(node.op, ast.Invert):
            raise self._refuse(node, "~ is not in the condition language")
        sign = operator.neg if isinstance(node.op, ast.USub) else operator.pos

        def run(frame: Frame) -> Any:
            frame.spend()
            return sign(number(operand(frame), "-"))

        return run

    def _binop(self, node: ast.BinOp) -> Node:
        known = ARITHMETIC.get(type(node.op))
        if known is None:
            raise self._refuse(node, f"{_words(node.op)} is not in the condition language")
        symbol, work = known
        left, right = self.compile(node.left), self.compile(node.right)

        def run(frame: Frame) -> Any:
            frame.spend()
            a, b = left(frame), right(frame)
            if symbol == "+":
                joined = joined_or_none(frame, a, b)
                if joined is not None:
                    return joined
            a, b = number(a, symbol), number(b, symbol)
            if isinstance(a, int) and isinstance(b, int):  # long integers take quadratic time
                frame.spend((a.bit_length() * b.bit_length()) >> 16)
            return work(a, b)

        return run

    def _compare(self, node: ast.Compare) -> Node:
        first = self.compile(node.left)
        steps = [
            (COMPARISONS[type(op)], self.compile(right))
            for op, right in zip(node.ops, node.comparators, strict=True)
        ]

        def run(frame: Frame) -> bool:
            left = first(frame)
            for test, right in steps:
                frame.spend()
                value = right(frame)
                if not test(frame, left, value):
                    return False
                left = value
            return True

        return run

    def _ifexp(self, node: ast.IfExp) -> Node:
        test, yes, no = self.compile(node.test), self.compile(node.body), self.compile(node.orelse)
        return lambda frame: yes(frame) if test(frame) else no(frame)

    # ------------------------------------------------------------------------------- calls and loops

    def _call(self, node: ast.Call) -> Node:
        if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self._refuse(node, "functions take plain arguments only")
        nodes = list(node.args)
        match node.func:
            case ast.Name(id=name):
                pass
            case ast.Attribute(attr=name, value=owner):
                nodes.insert(0, owner)
            case _:
                raise self._refuse(node, "only functions of the language can be called")
        function = FUNCTIONS.get(name)
        if function is None:
            near = get_close_matches(name, list(FUNCTIONS), n=3, cutoff=0.5) or sorted(FUNCTIONS)
            raise ConditionError(f"there is no function {name!r}", hint=f"there is: {', '.join(near)}")
        if not function.least <= len(nodes) <= function.most:
            raise self._refuse(node, f"{name} takes {function.counts} arguments, not {len(nodes)}")
        args = [
            self._lazy(arg) if isinstance(arg, ast.GeneratorExp) and name in LAZY else self.compile(arg)
            for arg in nodes
        ]
        work = function.work

        def call(frame: Frame) -> Any:
            frame.spend()
            return work(frame, *[arg(frame) for arg in args])

        return call

    def _listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Node:
        loop = self._lazy(node)
        return lambda frame: list(loop(frame))

    _setcomp = _listcomp
    _generatorexp = _listcomp

    def _lazy(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Node:
        """The loop as an iterator: `any` and `all` stop early. Slots are its own, so it may be left."""
        scope: dict[str, int] = {}
        self._scopes.append(scope)
        try:
            loops = [self._loop(part, scope) for part in node.generators]
            element = self.compile(node.elt)
        finally:
            self._scopes.pop()

        def walk(frame: Frame, depth: int) -> Iterator[Any]:
            if depth == len(loops):
                yield element(frame)
                return
            source, bind, tests = loops[depth]
            for item in iterate(source(frame)):
                frame.spend()
                bind(frame, opened(frame, item))
                if all(test(frame) for test in tests):
                    yield from walk(frame, depth + 1)

        if len(loops) > 1:
            return lambda frame: walk(frame, 0)
        source, bind, tests = loops[0]

        def walk_one(frame: Frame) -> Iterator[Any]:
            for item in iterate(source(frame)):
                frame.spend()
                bind(frame, opened(frame, item))
                if not tests or all(test(frame) for test in tests):
                    yield element(frame)

        return walk_one

    def _loop(
        self, part: ast.comprehension, scope: dict[str, int]
    ) -> tuple[Node, Callable[[Frame, Any], None], list[Node]]:
        if part.is_async:
            raise self._refuse(part.target, "async is not in the condition language")
        source = self.compile(part.iter)
        bind = self._target(part.target, scope)
        return source, bind, [self.compile(test) for test in part.ifs]

    def _target(self, target: ast.expr, scope: dict[str, int]) -> Callable[[Frame, Any], None]:
        if isinstance(target, ast.Name):
            slot = scope[target.id] = self.slots
            self.slots += 1
            return lambda frame, item: frame.slots.__setitem__(slot, item)
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = [self._target(part, scope) for part in target.elts]

            def unpack(frame: Frame, item: Any) -> None:
                items = list(iterate(item))
                if len(items) != len(parts):
                    raise mismatch(f"cannot take {len(items)} items apart into {len(parts)}")
                for bind, value in zip(parts, items, strict=True):
                    bind(frame, opened(frame, value))

            return unpack
        raise self._refuse(target, "a loop variable is a name")


_WORDS = {"true": True, "false": False, "null": None, "none": None}
"""JSON's words, for those who write them."""


def _words(node: ast.AST) -> str:
    name = type(node).__name__
    return {"Pow": "**", "Lambda": "lambda", "NamedExpr": ":=", "JoinedStr": "f-text", "Await": "await"}.get(
        name, name
    )
