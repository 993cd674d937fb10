"""The State tab's rows: every kind of value, however large or hostile, on lines that fit."""

from __future__ import annotations

from typing import Any
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.graph import Node
from hookstepper.model.ids import Json, NodeId
from hookstepper.tui.rows.lines import Line, as_text
from hookstepper.tui.rows.row import plain, width_of
from hookstepper.tui.rows.state import CHUNK, Folding, copied, find_paths, state_lines
from hookstepper.values import encode, lookup
from tui.support.made import Made, graph_of, keys, message

WIDTH = 52
BIDIRECTIONAL = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def lines_of(state: Json, folding: Folding | None = None, width: int = WIDTH) -> list[Line]:
    """The tab after one step that wrote the whole state."""
    made = Made()
    made.step("a", state)
    return state_lines(made.view(), width, folding)


def text_of(state: Json, folding: Folding | None = None) -> str:
    return as_text(lines_of(state, folding), WIDTH)


def all_open(state: Json, width: int = WIDTH) -> list[Line]:
    """The tab with every line open that can be."""
    turned: frozenset[str] = frozenset()
    for _ in range(6):
        lines = lines_of(state, Folding(turned), width)
        more = {line.id for line in lines if line.opens is False}
        if not more:
            return lines
        turned = turned ^ more
    return lines_of(state, Folding(turned), width)


class Liar:
    """An object that fails at everything."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


HOSTILE: dict[str, Any] = {
    "escapes": "a\x1b[2J\x1b]52;c;aGk=\x07b\x9b31mc\x00d",
    "markup": "[bold red]x[/] [@click=app.quit]y[/] {curly} %s",
    "bidirectional": "abc\u202edef\u2066ghi",
    "lines": "one\r\ntwo\nthree\u2028four\x0bfive",
    "chinese": "查一下北京的天气，写到 report.txt，然后告诉我结果是什么样子的",
    "emoji": "👩‍💻🇨🇳🎉" * 20,
    "surrogate": "a\ud800b",
    "huge": 10**400,
    "nan": float("nan"),
    "infinite": float("-inf"),
    "bytes": b"\x00\xff" * 100,
    "tuple": (1, (2, 3)),
    "set": {1, 2},
    "none": None,
    "nested": {"a": {"b": {"c": {"d": [1, [2, [3, [4]]]]}}}},
    "int keys": {1: "a", (2, 3): "b"},
    "dollar": {"$": "msg", "x": 1},
    "liar": Liar(),
    "long": "x" * 3_000_000,
    "[bold]key[/]\x1b[0m": 1,
    "": "empty key",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_value_is_shown_on_lines_that_fit(name: str) -> None:
    """Whatever a program keeps in its state, it can neither break the screen nor command it."""
    state = encode({name: HOSTILE[name]})

    for lines in (lines_of(state), all_open(state), lines_of(state, Folding(whole=True))):
        for line in lines:
            text = plain(line.row)
            assert width_of(line.row) <= WIDTH, text
            assert not [char for char in text if category(char) in ("Cc", "Cs") or char in BIDIRECTIONAL]


def test_a_cycle_is_shown_and_ends() -> None:
    """A state that holds itself is drawn once."""
    loop: dict[str, Any] = {"name": "x"}
    loop["self"] = loop

    assert "name" in as_text(all_open(encode({"loop": loop})), WIDTH)


def test_control_sequences_do_not_reach_a_row() -> None:
    """What a terminal would obey is taken out, the letters around it stay."""
    text = text_of({"x": "a\x1b[31mb\x07c"})

    assert '"abc"' in text


def test_markup_stays_text() -> None:
    """Brackets in a value are brackets on the screen."""
    assert "[bold]hi[/bold]" in text_of({"x": "[bold]hi[/bold]"})


def test_a_key_that_is_gone_is_told_and_not_in_the_tree() -> None:
    """What a node removed is seen above the tree, since the tree no longer has it."""
    made = Made(state={"a": 1, "gone": "x"})
    made.step("a", {"a": 1})
    text = as_text(state_lines(made.view(), WIDTH), WIDTH)

    assert '− gone  "x"' in text
    assert "   gone" not in text


def test_list_growth_is_told_by_item_with_its_strategy() -> None:
    """Append and replace look the same in a state; here they do not."""
    made = Made(graph_of(Node(NodeId("a"), "a"), keys=keys(log="append")), {"log": ["one"]})
    made.step("a", {"log": ["one", "two", "three"]})
    text = as_text(state_lines(made.view(), WIDTH), WIDTH)

    assert '+ log[1]  "two"' in text
    assert '+ log[2]  "three"' in text
    assert "append: 1 → 3 items" in text
    assert '   + 2  "three"' in text.replace("▸", " ") or "log         3 items · append" in text


def test_a_changed_message_is_told_by_what_changed_in_it() -> None:
    """A hook that rewrites an answer is seen by the words that it changed, not by the whole answer."""
    made = Made(state={"messages": [message("assistant", "Done. All fine.\nrm -rf /", id="m1")]})
    made.step("a", {"messages": [message("assistant", "Finished. All fine.", id="m1")]})
    text = as_text(state_lines(made.view(), WIDTH), WIDTH)

    assert "~ Done → Finished" in text or "− rm -rf /" in text


def test_a_step_that_wrote_the_same_again_says_so() -> None:
    """A write without a difference is a quiet event; the tab must not stay empty."""
    made = Made(state={"a": 1})
    made.step("a", {"a": 1}, writes=("a",))

    assert "∅ wrote a: nothing became different" in as_text(state_lines(made.view(), WIDTH), WIDTH)


def test_a_failed_step_shows_its_error() -> None:
    """An error that became a result is still an error."""
    made = Made(state={"a": 1})
    made.step("a", {"a": 1}, error="KeyError: 'city'")

    assert "✗ KeyError: 'city'" in as_text(state_lines(made.view(), WIDTH), WIDTH)


def test_what_a_person_did_is_marked() -> None:
    """A change by hand never looks like the program's own."""
    made = Made(state={"a": 1})
    made.step("a", {"a": 2}, by_hand=("jump end",))

    assert "✎ by hand: jump end" in as_text(state_lines(made.view(), WIDTH), WIDTH)


def test_a_long_list_opens_in_groups_and_shows_the_newest() -> None:
    """A thousand messages are a screenful, and the one that just came is in sight."""
    items: list[Json] = [message("user", f"m{n}") for n in range(1000)]
    made = Made(state={"messages": items})
    made.step("a", {"messages": [*items, message("assistant", "the newest")]})
    lines = state_lines(made.view(), WIDTH)
    text = as_text(lines, WIDTH)

    assert len(lines) < 3 * CHUNK
    assert "▸ 0 … 99" in text
    assert "+ 1000 assistant" in text


def test_a_group_of_a_long_list_opens() -> None:
    """Every item can be reached."""
    state: Json = {"n": list(range(1050))}
    group = next(line for line in all_open(state) if plain(line.row).strip().endswith("0 … 99"))

    assert group.opens is True
    assert any(line.path == ("n", 57) for line in all_open(state))


def test_search_opens_what_it_finds() -> None:
    """A found value is in sight, however deep it lies and however long its list is."""
    state: Json = {"deep": {"list": [{"x": n} for n in range(300)]}}
    found = find_paths({"deep": {"list": [*state["deep"]["list"], {"word": "Needle"}]}}, "needle")  # type: ignore[index,call-overload]
    assert found == [("deep", "list", 300, "word")]

    lines = lines_of(
        {"deep": {"list": [*state["deep"]["list"], {"word": "Needle"}]}}, Folding(found=found[0])
    )  # type: ignore[index,call-overload]

    assert any(line.path == found[0] for line in lines)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=25,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5), st.integers(12, 120))
@settings(max_examples=40, deadline=None)
def test_any_state_is_drawn_with_each_value_on_a_line_of_its_own(state: dict[str, Any], width: int) -> None:
    """Every path on a line leads to a value, and no two lines share a name."""
    encoded = encode(state)
    lines = all_open(encoded, width)
    names = [line.id for line in lines if line.id]

    assert len(names) == len(set(names))
    for line in lines:
        if line.path is not None and line.id.startswith("s:"):
            lookup(encoded, line.path)
            assert copied(encoded, line.path) is not None


def test_a_state_of_ten_times_the_size_takes_no_more_lines() -> None:
    """Closed groups are not walked, so a long conversation is as quick to draw as a short one."""

    def lines(count: int) -> int:
        items: list[Json] = [message("user", f"m{n}") for n in range(count)]
        made = Made(state={"messages": items})
        made.step("a", {"messages": items, "x": 1})
        return len(state_lines(made.view(), WIDTH))

    assert lines(50_000) < lines(5_000) + CHUNK


def test_watches_show_their_value_and_the_one_before() -> None:
    """An expression is read at the step in view, also while looking back."""
    made = Made(state={"messages": [message("user", "a")]})
    made.step("a", {"messages": [message("user", "a"), message("assistant", "b")]})
    made.step("b", {**made.state, "x": 1})  # type: ignore[dict-item]
    watches = ("len(messages)", "last(messages).content", "1 +", "nothing.here")
    live = as_text(state_lines(made.view(watches=watches), WIDTH), WIDTH)
    back = as_text(state_lines(made.view(watches=watches, cursor=0), WIDTH), WIDTH)

    assert "len(messages)           2" in live and "was" not in live.split("Watch")[1].splitlines()[1]
    assert "was 1" in back
    assert '"b"' in back.split("Watch")[1] and 'was "a"' in back
    assert "Watch" not in as_text(state_lines(made.view(), WIDTH), WIDTH)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_value_is_watched_on_a_line_that_fits(name: str) -> None:
    """A watch shows what the tree shows, with the same care."""
    made = Made(state=encode({"x": HOSTILE[name]}))
    lines = state_lines(made.view(watches=("x", "type(x)", "\x1b[31m" * 9)), WIDTH)

    assert all(width_of(line.row) <= WIDTH for line in lines)
    assert not [char for line in lines for char in plain(line.row) if category(char) in ("Cc", "Cs")]
