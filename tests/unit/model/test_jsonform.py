"""Model objects over the wire and back: the laws of the JSON form, for every event and command."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.commands import Command
from hookstepper.model.errors import InvalidValueError
from hookstepper.model.events import Event, NodeEntered, RunStarted, Stopped, TargetLoaded
from hookstepper.model.gates import Site, Stop
from hookstepper.model.graph import Graph, Node
from hookstepper.model.ids import Json, NodeId
from hookstepper.model.jsonform import TAG, from_json, tag_of, to_json
from hookstepper.model.record import DeltaOp, StepDone
from support.model_values import JSON, values_of

EVENTS: tuple[type, ...] = get_args(Event)
COMMANDS: tuple[type, ...] = get_args(Command)
KINDS: tuple[type, ...] = (*EVENTS, *COMMANDS, *get_args(DeltaOp), Graph)
COUNT = int(os.environ.get("HOOKSTEPPER_THOROUGH", "0")) * 500 or 12


def over_the_wire(data: Json) -> Json:
    """What the other process reads."""
    return json.loads(json.dumps(data))


def union_of(kind: type) -> Any:
    if kind in EVENTS:
        return Event
    return Command if kind in COMMANDS else kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=COUNT, deadline=None)
def test_what_arrives_is_what_was_sent(kind: type, data: st.DataObject) -> None:
    """Both processes talk about the same thing; the union finds the class by its tag."""
    sent = data.draw(values_of(kind))

    arrived = from_json(union_of(kind), over_the_wire(to_json(sent)))

    assert arrived == sent
    assert type(arrived) is kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=COUNT, deadline=None)
def test_fields_from_a_later_version_are_ignored(kind: type, data: st.DataObject) -> None:
    """A newer host talks to an older screen."""
    sent = data.draw(values_of(kind))
    form = over_the_wire(to_json(sent))
    assert isinstance(form, dict)

    assert from_json(kind, form | {"from_the_future": [1], "": None}) == sent


@pytest.mark.parametrize("union", [Event, Command], ids=["events", "commands"])
def test_tags_are_there_and_unique(union: Any) -> None:
    """A union is told apart by its tag alone."""
    tags = [tag_of(member) for member in get_args(union)]

    assert None not in tags
    assert len(set(tags)) == len(tags)


def is_open(hint: Any) -> bool:
    """True for a field that takes any JSON."""
    return hint is object or {bool, int, float, str}.issubset(get_args(hint))


FIELDS = [
    (kind, field.name)
    for kind in KINDS
    for field in fields(kind)
    if not is_open(get_type_hints(kind)[field.name])
]


@pytest.mark.parametrize(("kind", "name"), FIELDS, ids=lambda part: getattr(part, "__name__", part))
@given(data=st.data())
@settings(max_examples=1, deadline=None)
def test_a_wrong_shape_is_refused_with_the_path_to_it(kind: type, name: str, data: st.DataObject) -> None:
    """A message from a broken peer names the broken field, and never becomes half an object."""
    form = over_the_wire(to_json(data.draw(values_of(kind))))
    assert isinstance(form, dict)

    with pytest.raises(InvalidValueError) as refused:
        from_json(kind, form | {name: 1.5})

    assert refused.value.path[0] == name


@pytest.mark.parametrize("kind", [Event, Command, Graph, Stop, StepDone], ids=str)
@given(data=JSON)
@settings(max_examples=COUNT * 4, deadline=None)
def test_any_json_is_taken_or_refused_and_nothing_else(kind: Any, data: Json) -> None:
    """Bytes from outside cannot crash the reader."""
    with suppress(InvalidValueError):
        from_json(kind, data)


@pytest.mark.parametrize("tag", [None, 1, ["step"], {"a": 1}, "noSuchTag"], ids=repr)
def test_an_unknown_tag_is_refused_with_the_known_ones(tag: Json) -> None:
    """The log says what the peer should have sent."""
    with pytest.raises(InvalidValueError) as refused:
        from_json(Event, {TAG: tag})  # type: ignore[arg-type]

    assert "stopped" in refused.value.hint


def test_the_path_leads_through_lists_and_objects() -> None:
    """`frames[1].site.node`, not just `frames`."""
    stop = {"id": 1, "epoch": 1, "posture": "held", "reasons": [], "acts": []}
    frames: Json = [{"kind": "run", "name": ""}, {"kind": "node", "name": "", "site": {"kind": "node"}}]

    with pytest.raises(InvalidValueError) as refused:
        from_json(Stopped, {"stop": stop | {"frames": frames}})

    assert refused.value.path == ("stop", "frames", 1, "site", "node")


def test_a_pair_of_the_wrong_length_is_refused_where_it_stands() -> None:
    """Fixed tuples have a length; a third part is not an unknown field."""
    graph = to_json(Graph("g", (), ()))

    with pytest.raises(InvalidValueError) as refused:
        from_json(TargetLoaded, {"graph": graph, "attr": "", "versions": [["a", "1"], ["b", "2", "3"]]})

    assert refused.value.path == ("versions", 1)


def test_fields_at_their_default_take_no_room() -> None:
    """Ten thousand steps go over the wire."""
    entered = NodeEntered(Site("node", NodeId("a")), "t", 1)  # type: ignore[arg-type]

    assert to_json(entered) == {
        "t": "nodeEntered",
        "site": {"kind": "node", "node": "a"},
        "task": "t",
        "superstep": 1,
    }


def test_a_value_that_only_equals_its_default_is_kept() -> None:
    """`True == 1`, and a step number is not a flag."""

    @dataclass(frozen=True, slots=True)
    class Loose:
        TAG: ClassVar[str] = "loose"
        value: Json = 0

    assert to_json(Loose(False)) == {"t": "loose", "value": False}
    assert to_json(Loose(0)) == {"t": "loose"}


def test_what_has_no_json_form_is_refused() -> None:
    """A live object of the user's must not slip onto the wire as a string."""
    started = RunStarted(1, "main", "t", "start", state={})  # type: ignore[arg-type]

    with pytest.raises(InvalidValueError):
        to_json((started, object()))


def test_words_from_a_later_version_are_kept_as_they_are() -> None:
    """Enumerations are open: a new kind of node is shown by its word."""
    node = from_json(Node, {"id": "a", "label": "a", "kind": "oracle"})

    assert node.kind == "oracle"


def test_everything_that_crosses_the_wire_is_frozen_and_slotted() -> None:
    """Facts do not change after they were told."""
    for kind in KINDS:
        assert is_dataclass(kind)
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert hasattr(kind, "__slots__")
