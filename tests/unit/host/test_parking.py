"""Held tasks: they wait, run what is posted on their own thread or loop, and go when told."""

from __future__ import annotations

import asyncio
import threading

from hookstepper.host.parking import ParkedCoroutine, ParkedThread
from hookstepper.ports.verdict import PROCEED, Fail, Verdict


def test_closures_run_on_the_parked_thread_until_the_verdict() -> None:
    parked = ParkedThread()
    seen: list[int] = []
    verdicts: list[Verdict] = []
    task = threading.Thread(target=lambda: verdicts.append(parked.wait()))
    task.start()

    parked.post(lambda: seen.append(threading.get_ident()))
    parked.post(lambda: seen.append(threading.get_ident()))
    parked.release(PROCEED)
    task.join(10)

    assert verdicts == [PROCEED]
    assert seen == [task.ident, task.ident]


async def test_a_parked_coroutine_leaves_its_loop_free() -> None:
    parked = ParkedCoroutine()
    waiting = asyncio.create_task(parked.wait())
    ticks = 0
    for _ in range(3):
        await asyncio.sleep(0)
        ticks += 1
    error = Fail(ValueError("stop"))
    ran = threading.Event()

    from_elsewhere = threading.Thread(target=lambda: (parked.post(ran.set), parked.release(error)))
    from_elsewhere.start()

    assert await waiting == error
    assert ticks == 3
    assert ran.is_set()
    from_elsewhere.join(10)
