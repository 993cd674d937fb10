"""Lines of the program's own code are stepped on the thread that was asked for, and nowhere else."""

import asyncio
import json
import sys
import threading

import pytest

from hookstepper.host.line_steps import LineSteps
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId, TaskId
from hookstepper.ports.verdict import PROCEED, Abort, Point, RunAborted

AT = Point(Site("node", NodeId("a")), "enter", TaskId("1"), 1, None, frozenset())


def inner():
    x = 1
    return x + 1


def outer():
    y = inner()
    json.dumps({"y": y})
    return y + 1


async def waits():
    await asyncio.sleep(0)
    return inner()


class Person:
    """Lets each line go by the next command of a list, then by `continue`."""

    def __init__(self, *commands, verdict=PROCEED):
        self.commands = list(commands)
        self.verdict = verdict
        self.seen = []
        self.steps = LineSteps(self.hold)

    def hold(self, point, frame, detail):
        code = frame.f_code
        if not code.co_name.startswith("test_"):
            self.seen.append((code.co_name, frame.f_lineno - code.co_firstlineno))
        self.steps.follow(self.commands.pop(0) if self.commands else "run.continue", point, frame)
        return self.verdict

    def begin(self):
        self.steps.follow("line.into", AT)


@pytest.fixture(autouse=True)
def what_traced_before():
    before = sys.gettrace()
    yield
    sys.settrace(before)


def test_into_follows_calls_of_the_program_and_passes_over_libraries():
    person = Person(*["line.into"] * 9)
    person.begin()
    outer()
    person.steps.follow("run.next", AT)

    assert person.seen == [("outer", 1), ("inner", 1), ("inner", 2), ("outer", 2), ("outer", 3)]


def test_over_stays_in_the_function():
    person = Person(*["line.over"] * 9)
    person.begin()
    outer()
    person.steps.follow("run.next", AT)

    assert person.seen == [("outer", 1), ("outer", 2), ("outer", 3)]


def test_out_goes_to_the_line_after_the_call():
    person = Person("line.into", "line.out")
    person.begin()
    outer()

    assert person.seen == [("outer", 1), ("inner", 1), ("outer", 2)]


def test_async_code_is_stepped_across_its_waits():
    person = Person(*["line.into"] * 9)

    async def run():
        person.begin()
        await waits()
        person.steps.follow("run.next", AT)

    asyncio.run(run())

    assert ("waits", 1) in person.seen
    assert ("waits", 2) in person.seen
    assert ("inner", 1) in person.seen


def test_another_task_of_the_same_loop_is_not_stepped():
    person = Person(*["line.into"] * 30)

    async def other():
        await asyncio.sleep(0)
        return inner()

    async def run():
        task = asyncio.ensure_future(other())
        person.begin()
        await asyncio.sleep(0)
        await task
        person.steps.follow("run.next", AT)

    asyncio.run(run())

    assert not [name for name, _ in person.seen if name in ("other", "inner")]


def test_another_thread_is_not_stepped():
    person = Person(*["line.into"] * 30)
    person.begin()
    thread = threading.Thread(target=inner)
    thread.start()
    thread.join()
    person.steps.follow("run.next", AT)

    assert ("inner", 1) not in person.seen


def test_nothing_is_traced_before_somebody_asks_or_after_the_run_goes_on():
    sys.settrace(None)
    person = Person()
    outer()
    assert person.seen == []

    person.begin()
    outer()
    traced = sys.gettrace()

    assert traced is None
    assert len(person.seen) == 1


def test_a_run_that_is_aborted_at_a_line_leaves_there():
    person = Person(verdict=Abort())
    person.begin()

    with pytest.raises(RunAborted):
        outer()
