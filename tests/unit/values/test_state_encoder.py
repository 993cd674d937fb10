"""A state encoded step by step gives the same as one encoded whole, and finds changes made in place."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hookstepper.model.record import AddKey, SetValue, Splice
from hookstepper.values import Limits, StateEncoder, apply, encode, kind_of, same


@dataclasses.dataclass(eq=False)
class Note:
    text: str


class NoteCodec:
    """Notes count as messages here; how often each was encoded is told."""

    def __init__(self) -> None:
        self.encoded = 0

    def encode(self, obj: object) -> Any:
        if not isinstance(obj, Note):
            return None
        self.encoded += 1
        return {"$": "msg", "text": obj.text}

    def decode(self, value: Any, like: object) -> object:
        return Note(value["text"])


def test_only_the_new_message_of_a_thousand_is_encoded() -> None:
    codec = NoteCodec()
    encoder = StateEncoder(codec)
    notes = [Note(str(i)) for i in range(1_000)]
    encoder.encode({"messages": notes})
    codec.encoded = 0

    delta = encoder.step({"messages": [*notes, Note("new")]})

    assert codec.encoded == 1
    assert delta == (Splice(("messages",), 1_000, (), ({"$": "msg", "text": "new"},)),)


def test_dropped_messages_cost_no_encoding() -> None:
    codec = NoteCodec()
    encoder = StateEncoder(codec)
    notes = [Note(str(i)) for i in range(500)]
    encoder.encode({"messages": notes})
    codec.encoded = 0

    delta = encoder.step({"messages": [notes[0], *notes[200:]]})

    assert codec.encoded == 0
    assert len(delta) == 1


def test_an_item_appended_in_place_is_seen_at_the_next_step() -> None:
    encoder = StateEncoder()
    items = ["a"]
    encoder.encode({"log": items})
    items.append("b")

    assert encoder.step({"log": items}) == (Splice(("log",), 1, (), ("b",)),)


def test_a_plain_item_changed_in_place_in_a_short_list_is_seen_at_the_next_step() -> None:
    encoder = StateEncoder()
    todo = {"title": "x", "done": False}
    encoder.encode({"todos": [todo]})
    todo["done"] = True

    assert encoder.step({"todos": [todo]}) == (SetValue(("todos", 0, "done"), False, True),)


def test_a_message_changed_in_place_is_found_by_rehashing() -> None:
    encoder = StateEncoder(NoteCodec())
    notes = [Note("a"), Note("b")]
    encoder.encode({"messages": notes})
    notes[1].text = "changed"

    assert encoder.step({"messages": notes}) == ()
    assert encoder.rehash({"messages": notes}) == (SetValue(("messages", 1, "text"), "b", "changed"),)
    assert encoder.rehash({"messages": notes}) == ()


def test_unchanged_parts_are_shared_from_step_to_step() -> None:
    encoder = StateEncoder()
    first = encoder.encode({"facts": {"a": [1, 2]}, "n": 1})
    second = encoder.encode({"facts": {"a": [1, 2]}, "n": 2})

    assert second["facts"] is first["facts"]


def test_a_mapping_that_raises_is_told_and_not_raised() -> None:
    class Broken(dict):
        def items(self) -> Any:
            raise RuntimeError

    assert StateEncoder().encode(Broken()) == {
        "?": {"$": "repr", "type": f"{__name__}.{Broken.__qualname__}", "v": "<unreadable: RuntimeError>"}
    }


def test_keys_that_are_no_text_get_one() -> None:
    assert StateEncoder().step({1: "a", "b": 2}) == (AddKey(("1",), "a"), AddKey(("b",), 2))


def test_a_state_beyond_all_limits_is_cut_and_stays_bounded() -> None:
    encoder = StateEncoder(limits=Limits(total=50_000))
    for size in (10, 1_000, 1_001):
        state = encoder.encode({"messages": [{"text": "x" * 500} for _ in range(size)], "n": 1})
        assert len(str(state)) < 200_000
    assert isinstance(state["messages"], list)
    assert kind_of(state["messages"][0]) == "dict"
    assert kind_of(state["messages"][-1]) == "cut"


class Steps(RuleBasedStateMachine):
    """Whatever a program does between steps with new objects, stepping gives what encoding whole gives."""

    def __init__(self) -> None:
        super().__init__()
        self.codec = NoteCodec()
        self.encoder = StateEncoder(self.codec)
        self.live: dict[str, Any] = {"messages": [], "k": 0}
        self.replayed: Any = {}

    @rule(texts=st.lists(st.text(max_size=2), max_size=90))
    def append(self, texts: list[str]) -> None:
        self.live = {**self.live, "messages": [*self.live["messages"], *map(Note, texts)]}

    @rule(at=st.integers(0, 100), count=st.integers(0, 50))
    def drop(self, at: int, count: int) -> None:
        items = list(self.live["messages"])
        del items[at : at + count]
        self.live = {**self.live, "messages": items}

    @rule(at=st.integers(0, 100), text=st.text(max_size=2))
    def replace(self, at: int, text: str) -> None:
        items = list(self.live["messages"])
        if at < len(items):
            items[at] = Note(text)
        self.live = {**self.live, "messages": items}

    @rule()
    def reverse(self) -> None:
        self.live["messages"].reverse()

    @rule(key=st.sampled_from("abk"), value=st.integers() | st.lists(st.integers(), max_size=3) | st.none())
    def put(self, key: str, value: object) -> None:
        self.live = {**self.live, key: value}

    @rule(value=st.integers())
    def grow_in_place(self, value: int) -> None:
        if isinstance(self.live.get("a"), list):
            self.live["a"].append(value)

    @rule(key=st.sampled_from("ab"))
    def remove(self, key: str) -> None:
        self.live = {name: value for name, value in self.live.items() if name != key}

    @invariant()
    def stepping_equals_encoding_whole(self) -> None:
        self.replayed = apply(self.encoder.step(self.live), self.replayed)
        assert same(self.replayed, encode(self.live, self.codec))
        assert same(self.encoder.state, self.replayed)


TestSteps = Steps.TestCase
TestSteps.settings = settings(
    max_examples=200 if os.environ.get("HOOKSTEPPER_THOROUGH") else 15, stateful_step_count=20, deadline=None
)
