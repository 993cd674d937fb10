"""Encoding: every object has a form, the form is strict JSON, and the user's code is left alone."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import pathlib
import threading
import types
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.ids import Json
from hookstepper.values import Limits, decode, encode, kind_of, same, size_of


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Mood(enum.StrEnum):
    GOOD = "good"


class Flags(enum.Flag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: int
    y: object


@dataclasses.dataclass
class Box:
    name: str
    inner: object = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    n: int


class Plain:
    def __init__(self) -> None:
        self.n = 1


class Reprless:
    def __repr__(self) -> str:
        raise ValueError("no")


class Exits:
    def __repr__(self) -> str:
        raise SystemExit


class NotText:
    def __repr__(self) -> str:
        return 3  # type: ignore[return-value]


class Megabytes:
    def __repr__(self) -> str:
        return "x" * 5_000_000


class Recursive:
    def __repr__(self) -> str:
        return repr(self)


class LiesAboutLength(list):
    def __len__(self) -> int:
        return 10**9

    def __iter__(self) -> Any:
        raise RuntimeError("not yours")


class EvilDict(dict):
    def items(self) -> Any:
        raise RuntimeError("not yours")

    def __iter__(self) -> Any:
        raise RuntimeError("not yours")


class EvilAttributes:
    n = 1

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class EvilMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class EvilClass(metaclass=EvilMeta):
    pass


class EvilError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class EvilZone(dt.tzinfo):
    def utcoffset(self, when: object) -> Any:
        raise RuntimeError("no offset")


@dataclasses.dataclass
class HalfBuilt:
    a: int
    b: int = dataclasses.field(default=0)

    def __post_init__(self) -> None:
        del self.a


class Raises:
    __dataclass_fields__: ClassVar[dict[str, object]] = {}

    def __getattr__(self, name: str) -> Any:
        raise SystemExit(name)


ROUND_TRIPS: list[object] = [
    None,
    True,
    0,
    -5,
    2.5,
    float("inf"),
    float("-inf"),
    "text",
    "雨天 🌧",
    "lone \ud800 surrogate",
    2**63,
    -(2**63) - 1,
    10**5000,
    [],
    [1, [2, [3]]],
    (),
    (1, (2,)),
    {1, 2, 3},
    frozenset({"b", "a"}),
    {"a": {"b": 1}},
    {},
    {1: "x", (1, 2): "y", None: 0},
    {"$": "mine", "v": 1},
    {"lone \ud800 key": 1},
    collections.deque([1, 2], maxlen=5),
    b"\x00\xff",
    bytearray(b"abc"),
    dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC),
    dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
    dt.datetime(2026, 11, 30, 12, 0, 0, 5),  # noqa: DTZ001 - without a zone on purpose
    dt.date(2026, 1, 31),
    dt.time(23, 59, 1),
    dt.timedelta(days=-1, seconds=5, microseconds=7),
    decimal.Decimal("1.10"),
    decimal.Decimal("NaN"),
    uuid.UUID(int=7),
    pathlib.PurePosixPath("/a/b"),
    Colour.RED,
    Colour.BLUE,
    Mood.GOOD,
    Flags.A | Flags.B,
    Point(1, [2]),
    Box("a", Box("b", {"n": (1,)})),
    Frozen(4),
]


@pytest.mark.parametrize("value", ROUND_TRIPS, ids=range(len(ROUND_TRIPS)))
def test_plain_values_come_back_as_they_were(value: object) -> None:
    form = encode(value)
    json.loads(json.dumps(form, allow_nan=False).encode("utf-8"))  # strict JSON

    again = decode(form)

    assert type(again) is type(value)
    assert same(encode(again), form)
    if value == value:  # NaN is not
        assert again == value


def test_nan_is_tagged() -> None:
    assert encode(float("nan")) == {"$": "float", "v": "nan"}


HOSTILE: list[Callable[[], object]] = [
    lambda: Reprless(),
    lambda: Exits(),
    lambda: NotText(),
    lambda: Megabytes(),
    lambda: Recursive(),
    lambda: LiesAboutLength([1, 2]),
    lambda: EvilDict(a=1),
    lambda: EvilAttributes(),
    lambda: EvilClass,
    lambda: EvilError("x"),
    lambda: dt.datetime(2026, 1, 1, tzinfo=EvilZone()),
    lambda: HalfBuilt(1),
    lambda: Raises(),
    lambda: threading.Lock(),
    lambda: (i for i in range(3)),
    lambda: types.SimpleNamespace(a=1),
    lambda: object(),
    lambda: print,
    lambda: json,
    lambda: int,
    lambda: ...,
    lambda: NotImplemented,
    lambda: memoryview(b"abc"),
    lambda: range(10**12),
    lambda: 2 + 3j,
    lambda: types.MappingProxyType({"a": 1}),
    lambda: collections.ChainMap({"a": 1}),
    lambda: collections.UserList([1]),
    lambda: collections.defaultdict(list, a=[1]),
]


@pytest.mark.parametrize("make", HOSTILE, ids=range(len(HOSTILE)))
def test_no_object_makes_encoding_raise_or_large(make: Callable[[], object]) -> None:
    form = encode({"here": make(), "next": 1})

    text = json.dumps(form, allow_nan=False)
    text.encode("utf-8")
    assert isinstance(form, dict) and form["next"] == 1
    assert len(text) < 10_000


def test_an_instance_of_a_class_that_cannot_be_looked_at_has_a_form() -> None:
    assert kind_of(encode(object.__new__(EvilClass))) == "repr"


def test_containers_are_read_past_their_own_methods() -> None:
    assert encode(LiesAboutLength([1, 2])) == [1, 2]
    assert encode(EvilDict(a=1)) == {"a": 1}


def test_what_raises_is_named() -> None:
    assert encode(Exits()) == {"$": "repr", "type": f"{__name__}.Exits", "v": "<unreadable: SystemExit>"}


def test_memory_addresses_are_left_out_so_that_two_runs_agree() -> None:
    form = encode(object())

    assert form == {"$": "repr", "type": "object", "v": "<object object>"}


def test_a_keyboard_interrupt_is_never_swallowed() -> None:
    class Interrupts:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode([Interrupts()])


@pytest.mark.parametrize("make", [lambda x: [x], lambda x: {"k": x}, lambda x: Box("b", x)])
def test_a_cycle_is_told_and_not_followed(make: Any) -> None:
    inner: list[object] = []
    inner.append(make(inner))

    text = json.dumps(encode(inner))

    assert '"cycle"' in text
    assert len(text) < 300


def test_the_same_object_twice_is_no_cycle() -> None:
    shared = [1]

    assert encode([shared, shared]) == [[1], [1]]


def test_depth_is_cut_and_told() -> None:
    nest: list[object] = []
    for _ in range(10_000):
        nest = [nest]

    form = encode(nest)

    assert '"cut"' in json.dumps(form)


def test_encoding_near_the_end_of_the_stack_gives_a_cut_instead_of_raising() -> None:
    nest: list[object] = []
    for _ in range(50):
        nest = [nest]

    def dive() -> Json:
        try:
            return dive()
        except RecursionError:
            return encode(nest)

    assert dive() is not None


def test_a_long_text_is_cut_with_its_size_and_a_hash_of_the_whole() -> None:
    limits = Limits(text=100)
    a, b = encode("x" * 1000, limits=limits), encode("x" * 999 + "y", limits=limits)

    assert kind_of(a) == "cut"
    assert size_of(a) == 1000
    assert isinstance(a, dict) and isinstance(b, dict)
    assert a["v"] == "x" * 100
    assert a["h"] != b["h"]


@pytest.mark.parametrize(
    ("value", "of"),
    [(list(range(50)), "list"), ({str(i): i for i in range(50)}, "dict"), (set(range(50)), "set")],
)
def test_a_long_container_is_cut_with_its_true_size(value: object, of: str) -> None:
    form = encode(value, limits=Limits(items=10))

    assert isinstance(form, dict)
    assert (form["$"], form["of"], form["n"]) == ("cut", of, 50)
    assert size_of(form) == 50
    assert isinstance(form["v"], list) and len(form["v"]) == 10


def test_the_whole_is_bounded_whatever_it_is_made_of() -> None:
    huge = [{"text": "x" * 1000, "n": list(range(100))} for _ in range(2_000)]

    form = encode(huge, limits=Limits(total=100_000))

    assert len(json.dumps(form)) < 300_000


def test_the_default_limits_do_not_touch_an_ordinary_state() -> None:
    state = {"messages": [{"role": "user", "content": "x" * 500} for _ in range(1_000)]}

    assert encode(state) == state


class Note:
    def __init__(self, text: str, extra: object = None) -> None:
        self.text = text
        self.extra = extra


class NoteCodec:
    def encode(self, obj: object) -> Any:
        return {"$": "msg", "text": obj.text, "extra": obj.extra} if isinstance(obj, Note) else None

    def decode(self, value: Any, like: object) -> object:
        return Note(value["text"], value["extra"])


def test_a_codec_gives_the_form_and_leaves_the_children_to_us() -> None:
    form = encode([Note("a", (1, Note("b")))], NoteCodec())

    assert form == [
        {
            "$": "msg",
            "text": "a",
            "extra": {"$": "tuple", "v": [1, {"$": "msg", "text": "b", "extra": None}]},
        }
    ]


def test_a_codec_that_raises_is_passed_over() -> None:
    class Broken(NoteCodec):
        def encode(self, obj: object) -> Any:
            raise RuntimeError

    form = encode(Note("a"), Broken())

    assert kind_of(form) == "obj"


def test_a_codec_object_in_a_cycle_is_told() -> None:
    note = Note("a")
    note.extra = [note]

    assert '"cycle"' in json.dumps(encode(note, NoteCodec()))


def test_sets_are_written_in_an_order_of_their_own() -> None:
    assert encode({"b", "a", "c"}) == {"$": "set", "v": ["a", "b", "c"]}
    assert encode({3, "a", (1,)}) == encode({(1,), "a", 3})


live = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=5) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers() | st.just("$"), inner, max_size=4)
        | st.builds(Box, st.text(max_size=3), inner)
        | st.frozensets(st.integers() | st.text(max_size=3), max_size=3)
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(live)
def test_any_plain_value_survives_the_way_there_and_back(value: object) -> None:
    form = encode(value)
    over_the_wire = json.loads(json.dumps(form, allow_nan=False))

    assert same(encode(decode(over_the_wire)), form)
