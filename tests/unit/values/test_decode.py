"""Edits: JSON typed by a person becomes a value of the kind that stood there, or is refused with a reason."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import pathlib
from typing import Any

import pytest

from hookstepper.model.ids import Json
from hookstepper.values import InvalidValue, decode, encode


class Status(enum.Enum):
    OPEN = "open"
    DONE = "done"


@dataclasses.dataclass(frozen=True)
class Task:
    title: str
    status: Status = Status.OPEN
    tags: tuple[str, ...] = ()
    lock: object = None

    def __post_init__(self) -> None:
        if not self.title:
            raise ValueError("a task needs a title")


class Opaque:
    pass


class Settings:
    def __init__(self) -> None:
        self.level = 1
        self.name = "x"


class Message:
    def __init__(self, role: str, content: object, key: str = "") -> None:
        self.role, self.content, self.id = role, content, key


class MessageCodec:
    def encode(self, obj: object) -> Any:
        if isinstance(obj, Message):
            return {"$": "msg", "role": obj.role, "content": obj.content, "id": obj.id}
        return None

    def decode(self, value: Any, like: object) -> object:
        if value["role"] not in ("user", "assistant"):
            raise InvalidValue(("role",), "a role is user or assistant")
        return Message(value["role"], value["content"], value["id"])


@pytest.mark.parametrize(
    ("value", "like", "expected"),
    [
        ("DONE", Status.OPEN, Status.DONE),
        ("done", Status.OPEN, Status.DONE),
        ("2026-01-31", dt.date(2025, 1, 1), dt.date(2026, 1, 31)),
        (
            "2026-01-31T10:00:00+00:00",
            dt.datetime(2025, 1, 1, tzinfo=dt.UTC),
            dt.datetime(2026, 1, 31, 10, tzinfo=dt.UTC),
        ),
        ("1.50", decimal.Decimal("1"), decimal.Decimal("1.50")),
        ("/b", pathlib.PurePosixPath("/a"), pathlib.PurePosixPath("/b")),
        (3, 1.5, 3.0),
        ([1, 2], (0,), (1, 2)),
        ([1, 2, 2], {0}, {1, 2}),
        ([1], collections.deque([5], maxlen=3), collections.deque([1], maxlen=3)),
        ({"a": 1}, collections.OrderedDict(b=2), collections.OrderedDict(a=1)),
        ("text", 5, "text"),
        (None, Status.OPEN, None),
    ],
)
def test_a_plain_value_takes_the_type_of_what_stood_there(
    value: Json, like: object, expected: object
) -> None:
    made = decode(value, like)

    assert made == expected
    assert type(made) is type(expected)


def test_what_did_not_change_is_the_very_same_object() -> None:
    opaque = Opaque()
    old = {"a": opaque, "b": [opaque, 1]}
    form = encode(old)
    assert isinstance(form, dict)
    form["b"] = [*form["b"], 2]  # type: ignore[misc]

    new: Any = decode(form, old)

    assert new["a"] is opaque
    assert new["b"][0] is opaque
    assert new["b"] == [opaque, 1, 2]


def test_one_field_of_an_object_changes_and_the_rest_stays() -> None:
    opaque = Opaque()
    old = Task("write", Status.OPEN, ("a",), opaque)
    form: Any = encode(old)
    form["v"]["status"]["name"] = "DONE"

    new: Any = decode(form, old)

    assert new == Task("write", Status.DONE, ("a",), opaque)


def test_fields_alone_are_enough_where_an_object_stood() -> None:
    assert decode({"title": "read"}, Task("write", Status.DONE)) == Task("read", Status.DONE)


def test_an_object_that_refuses_a_value_says_so_with_the_path() -> None:
    form: Any = encode({"task": Task("write")})
    form["task"]["v"]["title"] = ""

    with pytest.raises(InvalidValue, match="needs a title") as caught:
        decode(form, {"task": Task("write")})

    assert caught.value.path == ("task",)


def test_an_object_without_any_class_of_data_is_edited_on_a_copy() -> None:
    old = Settings()
    form: Any = encode(old)
    form["v"]["level"] = 5

    new: Any = decode(form, old)

    assert (new.level, new.name, old.level) == (5, "x", 1)


def test_a_new_object_is_made_of_a_class_that_the_program_has_imported() -> None:
    assert decode(encode(Task("new", Status.DONE))) == Task("new", Status.DONE)


@pytest.mark.parametrize("name", ["os.system", "subprocess.Popen", "builtins.object", "nowhere.At.All", ""])
def test_a_class_that_is_no_plain_data_is_never_called(name: str) -> None:
    with pytest.raises(InvalidValue, match="no class"):
        decode({"$": "obj", "type": name, "v": {"args": "true"}})


@pytest.mark.parametrize(
    "value",
    [
        {"$": "repr", "type": "x", "v": "<x>"},
        {"$": "cycle", "up": 1},
        {"$": "cut", "of": "list", "n": 5},
        {"$": "error", "type": "ValueError", "v": "x"},
    ],
)
def test_what_cannot_be_made_from_its_form_is_refused(value: Json) -> None:
    with pytest.raises(InvalidValue):
        decode([value])


@pytest.mark.parametrize(
    "value",
    [
        {"$": "int", "v": "twelve"},
        {"$": "datetime", "v": "yesterday"},
        {"$": "bytes", "b64": "?"},
        {"$": "timedelta", "v": ["x"]},
        {"$": "map", "v": [[["unhashable"], 1]]},
        {"$": "map", "v": [1, 2]},
        {"$": "set", "v": [[1]]},
        {"$": "path", "type": "os", "v": "x"},
        {"$": "enum", "type": "nowhere.E", "name": "A"},
        {"$": "unheard of"},
        {"$": "obj", "type": f"{__name__}.Task", "v": "no fields"},
    ],
)
def test_a_malformed_value_is_refused_and_never_raises_anything_else(value: Json) -> None:
    with pytest.raises(InvalidValue):
        decode({"k": value})


def test_messages_are_made_by_the_codec_and_found_by_id() -> None:
    codec = MessageCodec()
    old = [Message("user", "hi", "1"), Message("assistant", ("a", 1), "2")]
    form: Any = encode(old, codec)
    del form[0]
    form[0]["role"] = "user"
    form.append({"$": "msg", "role": "user", "content": "new", "id": "3"})

    new: Any = decode(form, old, codec)

    assert [(one.role, one.content, one.id) for one in new] == [("user", ("a", 1), "2"), ("user", "new", "3")]


def test_an_unchanged_message_stays_identical_also_at_another_place() -> None:
    codec = MessageCodec()
    old = [Message("user", "a"), Message("user", "b")]
    form: Any = encode(old, codec)

    new: Any = decode(form[::-1], old, codec)

    assert new[0] is old[1]
    assert new[1] is old[0]


def test_a_codec_that_refuses_gives_the_whole_path() -> None:
    codec = MessageCodec()
    with pytest.raises(InvalidValue, match="user or assistant") as caught:
        decode({"messages": [{"$": "msg", "role": "robot", "content": "", "id": "1"}]}, None, codec)

    assert caught.value.path == ("messages", 0, "role")
