"""The condition language: reads data through its tags, cannot do anything else, and always ends."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.errors import ConditionError
from hookstepper.model.ids import Json
from hookstepper.values.conditions import FUNCTIONS, compile_condition, compile_template

ENV: dict[str, Json] = {
    "messages": [
        {"$": "msg", "role": "user", "content": "hi", "id": "1"},
        {
            "$": "msg",
            "role": "assistant",
            "content": [{"type": "text", "text": "I will"}, {"type": "image"}, " delete"],
            "tool_calls": [
                {"id": "c1", "name": "delete_file", "args": {"path": "/tmp/x", "deep": {"a": [1]}}}
            ],
            "id": "2",
        },
    ],
    "n": 3,
    "name": "Beijing",
    "nothing": None,
    "ok": True,
    "pair": {"$": "tuple", "v": [1, 2]},
    "tags": {"$": "set", "v": ["a", "b"]},
    "table": {"$": "map", "v": [[1, "one"], ["two", 2], [None, "none"]]},
    "task": {"$": "obj", "type": "app.Task", "form": "dataclass", "v": {"title": "x", "done": False}},
    "status": {"$": "enum", "type": "app.S", "name": "OPEN", "v": "open"},
    "when": {"$": "datetime", "v": "2026-11-30T12:00:00"},
    "span": {"$": "timedelta", "v": [1, 2, 500_000]},
    "huge": {"$": "int", "v": str(2**100)},
    "inf": {"$": "float", "v": "inf"},
    "failure": {"$": "error", "type": "ValueError", "v": "bad city"},
    "long": {"$": "cut", "of": "str", "n": 5_000_000, "v": "begin", "h": "0"},
    "bag": {"a": 1, "b": 2},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("len(messages)", 2),
        ("last(messages).role == 'assistant'", True),
        ("last(messages).type", "assistant"),
        ("messages[-1].tool_calls[0].name", "delete_file"),
        ("messages[1].tool_calls[0].args.deep.a[0]", 1),
        ("any(c.name == 'delete_file' for c in last(messages).tool_calls)", True),
        ("any(c.name == 'x' for m in messages for c in m.tool_calls)", False),
        ("[c.id for m in messages for c in m.tool_calls if c.args.path.startswith('/tmp')]", ["c1"]),
        ("any(a == b for a in pair for b in tags)", False),
        ("all(x > 0 for x in pair)", True),
        ("any(any(y == x for y in pair) for x in pair)", True),
        ("sum(x * 2 for x in pair)", 6),
        ("len(x for x in pair if x > 1)", 1),
        ("[k for k in bag]", ["a", "b"]),
        ("[v for k, v in items(bag)]", [1, 2]),
        ("bag.items()", [["a", 1], ["b", 2]]),
        ("n > 2 and n <= 3", True),
        ("1 < n < 3", False),
        ("not ok or name", "Beijing"),
        ("'yes' if ok else 'no'", "yes"),
        ("n % 2 == 1", True),
        ("n // 2 + 7 / 2 - -1", 5.5),
        ("name.lower()", "beijing"),
        ("name.startswith('Bei') and name.endswith('jing')", True),
        ("contains(name, 'iji')", True),
        ("'iji' in name", True),
        ("'x' not in name", True),
        ("last(messages).content.contains('delete')", True),
        ("2 in pair", True),
        ("'a' in bag and 'z' not in bag", True),
        ("table[1]", "one"),
        ("table.two", 2),
        ("task.title", "x"),
        ("status == 'open'", True),
        ("when > '2026-01-01'", True),
        ("span > 86400", True),
        ("huge > 1000", True),
        ("inf > huge", True),
        ("failure.type", "ValueError"),
        ("'city' in failure.message", True),
        ("long.startswith('begin')", True),
        ("type(messages[0])", "msg"),
        ("type(nothing)", "null"),
        ("name[0:3]", "Bei"),
        ("messages[0:1][0].id", "1"),
        ("first(pair) + last(pair)", 3),
        ("min(pair) + max(1, 5, 2)", 6),
        ("sorted(['b', 'a'])", ["a", "b"]),
        ("count(['a', 'b', 'a'], 'a')", 2),
        ("count(name, 'i')", 2),
        ("str(n) + '!'", "3!"),
        ("str(pair)", "[1, 2]"),
        ("int('12') + float('0.5')", 12.5),
        ("abs(-3)", 3),
        ("{'a': n}.a", 3),
        ("true and not false", True),
        ("null is None", True),
        ("", True),
        ("  n  ", 3),
        ("get(bag, 'z', 9)", 9),
    ],
)
def test_expressions_have_the_value_that_they_say(text: str, expected: Json) -> None:
    assert compile_condition(text)(ENV) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("messages[0].tool_calls[0].name == 'x'", False),
        ("messages[99].content", None),
        ("nothing.a.b[0]", None),
        ("name.a", None),
        ("len(nothing)", 0),
        ("any(x for x in nothing)", False),
        ("all(x for x in nothing)", True),
        ("nothing > 3", False),
        ("nothing < 3", False),
        ("'x' in nothing", False),
        ("last([])", None),
        ("max([])", None),
        ("has(messages[0], 'tool_calls')", False),
        ("has(messages[1], 'tool_calls')", True),
        ("has(pair, 1) and not has(pair, 2)", True),
    ],
)
def test_what_is_not_there_is_none_and_none_counts_as_empty(text: str, expected: Json) -> None:
    assert compile_condition(text)(ENV) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "__import__('os')",
        "open('x')",
        "eval('1')",
        "lambda: 1",
        "(x := 1)",
        "f'{n}'",
        "9 ** 9 ** 9",
        "~n",
        "n << 9",
        "n @ n",
        "[*pair]",
        "{**bag}",
        "len(*pair)",
        "len(x=1)",
        "messages.__class__()",
        "pair[::2]",
        "b'x'",
        "1j",
        "...",
        "len()",
        "has(n)",
        "(x async for x in pair)",
        "[x for x.y in pair]",
        "n = 1",
        "n; n",
        "'unclosed",
        "(" * 300,
        "-" * 1_900 + "1",
        "not " * 490 + "1",
        "x" * 3_000,
        "\0",
        "yield 1",
        "await n",
    ],
)
def test_what_is_not_in_the_language_is_refused_before_it_runs(text: str) -> None:
    with pytest.raises(ConditionError):
        compile_condition(text)(ENV)


def test_python_attributes_are_data_fields_and_nothing_else() -> None:
    assert compile_condition("().__class__.__bases__[0].__subclasses__")(ENV) is None


@pytest.mark.parametrize(
    "text",
    [
        "any(1 > 2 for a in big for b in big for c in big for d in big)",
        "len([1 for a in big for b in big for c in big])",
        "[[[x for x in big] for y in big] for z in big]",
        "sum(a * b for a in big for b in big for c in big)",
        "all(x in big for x in big for y in big)",
        "any(table[x] for x in big for y in big)",
        "len(str(big) for x in big for y in big)",
        "any(text.lower() == 'x' for x in big for y in big)",
        "all(sorted(big) for x in big for y in big)",
        "all(text in text + 'x' for x in big for y in big)",
    ],
)
def test_nothing_runs_for_long(text: str) -> None:
    env: dict[str, Json] = {
        "big": list(range(2_000)),
        "text": "x" * 100_000,
        "table": {"$": "map", "v": [[i, i] for i in range(2_000)]},
    }
    condition = compile_condition(text)
    began = time.process_time()

    with pytest.raises(ConditionError, match="too many operations"):
        condition(env)

    assert time.process_time() - began < 20  # a hang, not a measurement


def test_growing_numbers_use_up_the_budget_and_not_the_memory() -> None:
    text = "(" * 150 + "n" + " * (n + 1))" * 150
    condition = compile_condition(text)

    with pytest.raises(ConditionError, match="too many operations"):
        condition({"n": 10**5_000})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mesages", "no 'mesages'"),
        ("n < 'a'", "cannot order"),
        ("n + 'a'", "works on numbers"),
        ("n / 0", "division by zero"),
        ("int('x')", "invalid literal"),
        ("[x for x in n]", "cannot go through"),
        ("len(n)", "len needs"),
        ("1 in n", "cannot look inside"),
        ("pair['a' if n else 0][0:1].b + 1", "works on numbers"),
        ("pair[1.5]", "whole number"),
        ("[a for a, b in pair]", "cannot"),
        ("sum(tags)", "needs numbers"),
        ("lower(n)", "needs a text"),
        ("sorted(['a', 1])", "not supported"),
    ],
)
def test_what_does_not_fit_the_values_says_so(text: str, why: str) -> None:
    with pytest.raises(ConditionError, match=why) as caught:
        compile_condition(text)(ENV)

    assert text in caught.value.message


def test_a_wrong_name_comes_with_the_near_ones() -> None:
    with pytest.raises(ConditionError) as caught:
        compile_condition("mesages")(ENV)

    assert "messages" in caught.value.hint


def test_a_wrong_function_comes_with_the_near_ones() -> None:
    with pytest.raises(ConditionError) as caught:
        compile_condition("lenght(messages)")

    assert "len" in caught.value.hint


def test_a_condition_names_what_it_reads() -> None:
    assert compile_condition("any(m.role == role for m in messages) and n").names == {"role", "messages", "n"}


def test_a_loop_variable_hides_a_name_only_inside_its_loop() -> None:
    assert compile_condition("[n for n in pair][0] + n")(ENV) == 4


def test_conditions_share_nothing_between_evaluations() -> None:
    condition = compile_condition("any(x > 1 for x in pair)")

    assert [condition({"pair": [v]}) for v in (1, 2, 1)] == [False, True, False]


def test_every_function_says_what_it_does() -> None:
    assert all(function.help for function in FUNCTIONS.values())


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text("nok()[].,+-*/%<>=!'\"{}: andorinotforxlenany", max_size=40))
def test_any_text_either_compiles_and_ends_or_is_refused(text: str) -> None:
    try:
        compile_condition(text)(ENV)
    except ConditionError as error:
        assert error.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("n={n}, {name}", "n=3, Beijing"),
        ("{{n}} {n}", "{n} 3"),
        ("{ {'a': n}['a'] }", "3"),
        ("{'}'}", "}"),
        ("{last(messages).tool_calls[0].args}", '{path: "/tmp/x", deep: {a: [1]}}'),
        ("{nope}!", "<nope: there is no 'nope' here>!"),
        ("", ""),
    ],
)
def test_log_texts_are_filled_in(text: str, expected: str) -> None:
    assert compile_template(text)(ENV) == expected


@pytest.mark.parametrize("text", ["{n", "n}", "{", "{}}", "{n!r}", "{import os}"])
def test_log_texts_with_a_fault_are_refused(text: str) -> None:
    with pytest.raises(ConditionError):
        compile_template(text)
