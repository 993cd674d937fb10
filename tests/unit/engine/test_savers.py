"""Both savers keep the same promises; the file keeps more of them."""

import collections
import copy
import datetime as dt
import decimal
import enum
import fractions
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.engine import (
    APPEND,
    END,
    MARK_FOR_REMOVAL,
    START,
    CompileConfig,
    RunConfig,
    StateGraph,
    share,
)
from hookstepper.engine.checkpoints import Checkpoint, MemorySaver
from hookstepper.engine.codecs import from_text, register, to_text
from hookstepper.engine.sqlite import SqliteSaver
from hookstepper.model.errors import InvalidValueError, NotPossibleError

THOROUGH = bool(os.environ.get("HOOKSTEPPER_THOROUGH"))


class Colour(enum.Enum):
    RED = "red"


class Place(NamedTuple):
    x: int
    y: int


@share
@dataclass(frozen=True, slots=True)
class Message:
    text: str
    calls: tuple[str, ...] = ()


@dataclass
class Box:
    inside: object = None
    more: list = field(default_factory=list)


class Money:
    def __init__(self, cents):
        self.cents = cents


register(Money, "test.money", lambda money: money.cents, Money)


@pytest.fixture(params=["memory", "sqlite"])
def saver(request, tmp_path):
    if request.param == "memory":
        yield MemorySaver()
        return
    made = SqliteSaver(tmp_path / "c.db")
    yield made
    made.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "c.db"


def row(name: str, state=None, parent=None) -> Checkpoint:
    return Checkpoint(name, START, END, {} if state is None else state, parent, 3)


def test_newest_is_first(saver):
    for name in ("a", "b", "c"):
        saver.put("t", row(name))

    assert saver.get("t") == row("c")
    assert saver.get("t", "a") == row("a")
    assert [r.id for r in saver.history("t")] == ["c", "b", "a"]
    assert [r.id for r in saver.history("t", 2)] == ["c", "b"]


def test_threads_do_not_see_each_other(saver):
    saver.put("one", row("a"))
    saver.put("two", row("a"))
    saver.release("one")

    assert saver.threads() == ["two"]
    assert saver.get("one") is None
    assert saver.get("two") == row("a")


def test_a_replaced_checkpoint_keeps_its_place(saver):
    for name in ("a", "b", "c"):
        saver.put("t", row(name, {"v": [name]}))
    saver.replace("t", "b", row("B", {"v": ["new"]}))

    assert [r.id for r in saver.history("t")] == ["c", "B", "a"]
    assert saver.get("t", "B").state == {"v": ["new"]}
    assert saver.get("t", "c").state == {"v": ["c"]}
    with pytest.raises(NotPossibleError):
        saver.replace("t", "b", row("x"))


def test_a_release_hands_everything_out_and_empties_the_thread(saver):
    for name in ("a", "b"):
        saver.put("t", row(name, {"m": [name]}))

    tag = saver.release("t")

    assert [(r.id, r.state) for r in tag.checkpoints] == [("b", {"m": ["b"]}), ("a", {"m": ["a"]})]
    assert saver.history("t") == []
    assert saver.release("t").checkpoints == ()


def test_an_outline_is_the_history_without_states(saver):
    for name in ("a", "b"):
        saver.put("t", row(name, {"big": [name]}, parent="p"))

    assert saver.outline("t") == [row("b", parent="p"), row("a", parent="p")]
    assert saver.outline("t", 1) == [row("b", parent="p")]


def test_a_saver_keeps_a_copy(saver):
    """The engine hands over its live state."""
    state = {"list": ["a"], "deep": {"x": [1]}, "boxes": [Box([1])]}
    saver.put("t", row("a", state))
    state["list"].append("b")
    state["deep"]["x"].append(2)
    state["boxes"][0].inside.append(2)
    state["new"] = 1

    assert saver.get("t").state == {"list": ["a"], "deep": {"x": [1]}, "boxes": [Box([1])]}


edits = st.lists(
    st.tuples(st.sampled_from(["add", "drop", "set", "box", "fork", "other"]), st.integers(0, 9)), max_size=25
)


@settings(max_examples=300 if THOROUGH else 50, deadline=None)
@given(edits)
def test_storage_that_checkpoints_share_does_not_show(changes):
    """However a list grows, shrinks, forks or holds things that change in place."""
    saver = MemorySaver()
    kept = []
    items: list = []
    for number, (what, where) in enumerate(changes):
        if what == "add":
            items = [*items, f"m{number}"]
        elif what == "box":
            items = [*items, Box(number)]
        elif what == "drop":
            items = items[:where]
        elif what == "set" and where < len(items):
            items = list(items)
            if isinstance(items[where], Box):
                items[where].inside = "changed in place"
            else:
                items[where] = f"set{number}"
        elif what == "fork" and kept:
            items = copy.deepcopy(kept[where % len(kept)])
        elif what == "other":
            saver.put("other", row(f"o{number}", {"items": items}))
        saver.put("t", row(f"c{number}", {"items": items}))
        kept.append(copy.deepcopy(items))

    assert [r.state["items"] for r in reversed(saver.history("t"))] == kept


def test_a_long_conversation_in_memory_does_not_cost_its_square():
    saver = MemorySaver()
    messages: list[Message] = []
    tracemalloc.start()
    try:
        for number in range(2000):
            messages = [*messages, Message("text")]
            saver.put("t", row(str(number), {"messages": messages}))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(saver.get("t").state["messages"]) == 2000
    assert len(saver.get("t", "10").state["messages"]) == 11
    assert used < 4_000_000  # sharing nothing, it would be above 16 million


def test_retention_keeps_what_the_kept_ones_need(saver):
    """The newest list is stored as pieces on older ones, which must outlive their checkpoints."""
    items: list[str] = []
    for number in range(200):
        items.append(f"m{number}")
        saver.put("t", row(f"c{number}", {"messages": list(items)}), retain=2)

    assert [r.id for r in saver.history("t")] == ["c199", "c198"]
    assert saver.get("t").state == {"messages": items}


def test_a_file_stays_small_when_a_list_only_grows(file):
    saver = SqliteSaver(file)
    items: list[Message] = []
    for number in range(300):
        items.append(Message(f"m{number}" * 20))
        saver.put("t", row(f"c{number}", {"messages": list(items)}))
    written = saver._db.execute("SELECT SUM(LENGTH(data)) FROM value").fetchone()[0]
    saver.close()

    whole = len(to_text(items))
    assert written < 8 * whole
    again = SqliteSaver(file)
    assert again.get("t").state == {"messages": items}
    assert again.get("t", "c17").state == {"messages": items[:18]}


def test_a_list_changed_in_place_is_stored_as_it_is(file):
    """Reusing text by identity must be limited to what cannot change."""
    saver = SqliteSaver(file)
    box = Box(1)
    items = [box]
    saver.put("t", row("a", {"v": list(items)}))
    box.inside = 2
    saver.put("t", row("b", {"v": list(items)}))

    assert [r.state["v"][0].inside for r in saver.history("t")] == [2, 1]


def test_a_thread_with_half_a_character_is_refused_by_name(file):
    saver = SqliteSaver(file)
    with pytest.raises(InvalidValueError, match="cannot be saved"):
        saver.put("a\ud800", row("1"))
    with pytest.raises(InvalidValueError, match="cannot be saved"):
        saver.get("a\ud800")
    assert list(saver.threads()) == []


def test_a_failed_put_writes_nothing(file):
    saver = SqliteSaver(file)
    saver.put("t", row("a", {"m": [1]}))
    with pytest.raises(InvalidValueError) as caught:
        saver.put("t", row("b", {"m": [1, 2], "box": {"deep": [object()]}}))
    saver.put("t", row("c", {"m": [1, 2, 3]}))

    assert caught.value.path == ("box", "deep", 0)
    assert [(r.id, r.state) for r in saver.history("t")] == [("c", {"m": [1, 2, 3]}), ("a", {"m": [1]})]


@pytest.mark.parametrize("content", [b"no database at all, just some text that is long enough", None])
def test_a_foreign_file_is_refused_and_left_alone(file, content):
    if content is None:
        other = sqlite3.connect(file)
        other.execute("CREATE TABLE mine (x)")
        other.commit()
        other.close()
    else:
        file.write_bytes(content)
    before = file.read_bytes()

    with pytest.raises(NotPossibleError):
        SqliteSaver(file)

    assert file.read_bytes() == before


def test_a_file_of_a_later_version_is_refused(file):
    saver = SqliteSaver(file)
    saver._db.execute("PRAGMA user_version = 99")
    saver.close()

    with pytest.raises(NotPossibleError, match="later version"):
        SqliteSaver(file)


def test_threads_may_write_at_once(file):
    saver = SqliteSaver(file)

    def work(thread: str) -> None:
        items: list[int] = []
        for number in range(30):
            items.append(number)
            saver.put(thread, row(f"c{number}", {"m": list(items)}))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, ["a", "b", "c", "d"]))

    for thread in ("a", "b", "c", "d"):
        assert len(saver.history(thread)) == 30
        assert saver.get(thread).state == {"m": list(range(30))}


_WRITER = """
import sys
from hookstepper.engine.checkpoints import Checkpoint
from hookstepper.engine.sqlite import SqliteSaver
saver = SqliteSaver(sys.argv[1])
for number in range(int(sys.argv[3])):
    saver.put(sys.argv[2], Checkpoint(f"{sys.argv[4]}{number}", "A", "B", {"m": list(range(number + 1))}))
    print(number, flush=True)
"""


def writer(file, thread, count, prefix, **options):
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(file), thread, str(count), prefix],
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def test_processes_may_write_to_one_thread_at_once(file):
    writers = [writer(file, "t", 40, prefix) for prefix in "xyz"]
    for process in writers:
        process.communicate()

    assert [process.returncode for process in writers] == [0, 0, 0]
    rows = SqliteSaver(file).history("t")
    assert len(rows) == 120
    assert all(r.state["m"] == list(range(int(r.id[1:]) + 1)) for r in rows)


def test_a_killed_writer_loses_nothing_that_it_reported(file):
    """Whoever was told that a step is saved must find it, whatever happens next."""
    chance = random.Random(7)
    total = 0
    for round_number in range(60 if THOROUGH else 6):
        process = writer(file, f"t{round_number}", 10_000, "c")
        reported = -1
        for _ in range(chance.randrange(1, 60)):
            reported = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        rest = process.stdout.read().split()
        reported = int(rest[-1]) if rest else reported
        process.stdout.close()

        saver = SqliteSaver(file)
        rows = saver.history(f"t{round_number}")
        saver.close()
        assert rows[0].id in (f"c{reported}", f"c{reported + 1}")
        assert all(r.state["m"] == list(range(int(r.id[1:]) + 1)) for r in rows)
        total += len(rows)
    assert total > 0


def test_a_forked_process_opens_the_file_anew(file):
    saver = SqliteSaver(file)
    saver.put("t", row("a"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            saver.put("t", row("b"))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert status == 0
    assert [r.id for r in saver.history("t")] == ["b", "a"]


# ----------------------------------------------------------------------------------------- codecs

ODD = [
    10**400,
    -(1 << 63) - 1,
    float("inf"),
    0.1,
    complex(1, -2),
    "\ud800 \x00 天气 😀",
    b"\x00\xff",
    bytearray(b"x"),
    (1, (2,)),
    {1, 2},
    frozenset({"a"}),
    {1: "int", "$": "dollar", (1, 2): "tuple"},
    {"$": "only"},
    collections.deque([1, 2], 5),
    dt.datetime(2026, 1, 31, 12, 30, fold=1),  # noqa: DTZ001 - naive on purpose
    dt.datetime(2026, 1, 31, tzinfo=dt.timezone(dt.timedelta(hours=8))),
    dt.date(2026, 1, 31),
    dt.time(1, 2, 3),
    dt.timedelta(-1, 5, 7),
    decimal.Decimal("1.10"),
    fractions.Fraction(1, 3),
    uuid.UUID(int=5),
    pathlib.Path("a/b"),
    range(1, 9, 2),
    Colour.RED,
    Place(1, 2),
    Message("hi", ("a",)),
    Box(Message("in"), [Colour.RED]),
    MARK_FOR_REMOVAL,
    [None, True, {"a": [1]}],
]


@pytest.mark.parametrize("value", ODD, ids=[type(v).__name__ + str(i) for i, v in enumerate(ODD)])
def test_a_value_comes_back_as_it_was(value):
    back = from_text(to_text(value))

    assert back == value
    assert type(back) is type(value)


def test_nan_comes_back():
    assert repr(from_text(to_text([float("nan")]))) == "[nan]"


def test_a_registered_type_comes_back():
    assert from_text(to_text({"m": Money(5)}))["m"].cents == 5


def _cycle():
    items: list = []
    items.append(items)
    return items


def _deep():
    items: list = []
    for _ in range(100_000):
        items = [items]
    return items


def _local():
    @dataclass
    class Local:
        x: int = 1

    return Local()


@pytest.mark.parametrize(
    "make",
    [_cycle, _deep, _local, object, lambda: print, lambda: RunConfig],
    ids=["cycle", "deep", "local class", "object", "function", "class"],
)
def test_what_cannot_come_back_is_refused_when_it_is_saved(make):
    """A checkpoint that cannot be read is worse than a run that fails."""
    with pytest.raises(InvalidValueError):
        to_text(make())


@pytest.mark.parametrize(
    "text",
    [
        '{"$":"obj","t":"os:system","v":{}}',
        '{"$":"obj","t":"no.such.module:Thing","v":{}}',
        '{"$":"model","t":"builtins:dict","v":{}}',
        '{"$":"enum","t":"builtins:dict","v":"x"}',
        '{"$":"unheard of"}',
        '{"$":"type","t":"nobody"}',
        "{",
    ],
)
def test_a_damaged_or_hostile_text_is_refused(text):
    """Reading a file must not run what the file names."""
    with pytest.raises(InvalidValueError):
        from_text(text)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(max_size=8)
    | st.builds(Message, st.text(), st.tuples(st.text())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.just("$"), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=400 if THOROUGH else 60, deadline=None)
@given(plain)
def test_any_plain_value_round_trips(value):
    assert from_text(to_text(value)) == value


@settings(max_examples=100 if THOROUGH else 15, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.lists(plain, max_size=4) | plain), max_size=8))
def test_any_history_round_trips(tmp_path_factory, states):
    """What a checkpoint shares with the one before it must not show."""
    path = tmp_path_factory.mktemp("db") / "c.db"
    saver = SqliteSaver(path)
    for number, state in enumerate(states):
        saver.put("t", row(f"c{number}", state))
    saver.close()

    again = SqliteSaver(path)
    back = [r.state for r in reversed(again.history("t"))]
    again.close()

    assert back == states


def counting_graph(saver):
    graph = StateGraph("count", {"seen": APPEND})
    graph.add_node("A", lambda s: {"seen": Message(str(len(s.value("seen", []))))}).add_edge(START, "A")
    graph.add_conditional_edges("A", lambda s: "on" if len(s["seen"]) < 6 else "out", {"on": "A", "out": END})
    return graph.compile(CompileConfig(saver=saver, interrupt_before=[]))


def test_a_run_goes_on_in_another_process_from_the_file(file):
    first = SqliteSaver(file)
    counting_graph(first).run({}, RunConfig("t"))
    first.close()
    again = SqliteSaver(file)
    compiled = counting_graph(again)
    old = compiled.history(RunConfig("t"))[-3]

    result = compiled.run(None, RunConfig("t", old.checkpoint))

    assert [m.text for m in result.state["seen"]] == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.parametrize("path", [None, 5, "a folder that is not there/store.db"])
def test_a_store_that_cannot_be_is_refused_with_its_name(path, tmp_path, monkeypatch):
    """Not a file called None in the working folder."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(NotPossibleError, match=str(path)):
        SqliteSaver(path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [None, [1], "text"])
def test_an_update_of_a_saved_state_is_a_mapping(values):
    graph = StateGraph("g").add_node("a", lambda state: {"n": 1}).add_edge(START, "a").add_edge("a", END)
    compiled = graph.compile()
    compiled.run({}, RunConfig("t"))

    with pytest.raises(InvalidValueError, match="not a mapping"):
        compiled.update_state(RunConfig("t"), values)
