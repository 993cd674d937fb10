"""Record the events of a sample's run, for tests of the screen: one JSON object a line.

    python scripts/record_events.py sample_agents/weather.py tests/data/weather_events.jsonl

Drives the real agent process over the real wire: one node at a time, and at a question the decision `edit`
with another text. Paths of this machine are taken out of what is written.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import tempfile
from pathlib import Path

from hookstepper.client.link import Hung, Item, Link, Spoke
from hookstepper.client.options import TargetOptions
from hookstepper.model.commands import Answer, Command, Next, StartRun
from hookstepper.model.events import Event, RunEnded, Stopped, TargetLoaded, TargetNotLoaded
from hookstepper.model.gates import Stop
from hookstepper.model.ids import Json
from hookstepper.model.jsonform import from_json, to_json
from hookstepper.wire.connection import Notice, Reply

PATIENCE = 30
"""Seconds to wait for the next message."""
MOST = 200
"""Commands at most, so that a sample that loops does not record for ever."""


class Recorder:
    """Talks to one agent process and keeps what it tells."""

    def __init__(self, target: str, text: str | None) -> None:
        self.items: queue.Queue[Item] = queue.Queue()
        self.lines: list[Json] = []
        self.text = text
        environment = {**os.environ, "HOOKSTEPPER_REPORTS": str(Path(tempfile.gettempdir()) / "reports")}
        self.link = Link(1, TargetOptions(target, Path.cwd(), environment=environment), self.items.put)

    def send(self, command: Command) -> None:
        self.link.request("command", to_json(command))

    def run(self) -> None:
        """Until the run has ended."""
        for _ in range(MOST * 10):
            item = self.items.get(timeout=PATIENCE)
            if isinstance(item, Hung):
                return
            if isinstance(item, Spoke) and isinstance(item.message, Reply) and item.message.error is not None:
                raise SystemExit(f"refused: {item.message.error}")
            if (
                isinstance(item, Spoke)
                and isinstance(item.message, Notice)
                and item.message.method == "event"
            ):
                params = item.message.params
                self.lines.append(params)
                event: Event = from_json(Event, params)  # type: ignore[arg-type]
                if not self.react(event):
                    return

    def react(self, event: Event) -> bool:
        """Do what the event asks for; False at the end."""
        match event:
            case TargetNotLoaded(failure):
                raise SystemExit(failure.title)
            case TargetLoaded(sample_input=sample):
                self.send(StartRun(self.text if self.text is not None else sample, "demo"))
            case Stopped(stop) if stop.posture == "held":
                self.send(Next())
            case Stopped(stop) if stop.asks:
                self.send(Answer({"": _edited(stop)}))
            case Stopped():
                return False
            case RunEnded(status=status) if status == "failed":
                raise SystemExit("the run failed")
        return True


def _edited(stop: Stop) -> Json:
    """Every call with a text goes on with a date in its text, all others as they are."""
    decisions: list[Json] = []
    for call in stop.asks[0].calls:
        if not call.needs_approval:
            continue
        arguments = dict(call.arguments) if isinstance(call.arguments, dict) else {}
        if isinstance(arguments.get("text"), str):
            arguments["text"] = (
                str(arguments["text"]).replace(": ", ", 30 Nov: ").replace("：", "，11 月 30 日：")
            )
        decisions.append({"type": "edit", "args": arguments})
    return {"decisions": decisions}


def without_this_machine(text: str) -> str:
    """The text without the folders of this machine."""
    for folder, name in (
        (str(Path.cwd()), "/home/you/hookstepper"),
        (tempfile.gettempdir() + "/reports", "/tmp/reports"),
        (str(Path.home()), "/home/you"),
    ):
        text = text.replace(folder, name)
    return text


def main(target: str, out: str, text: str | None = None) -> None:
    recorder = Recorder(target, text)
    try:
        recorder.run()
    finally:
        recorder.link.wait()
    lines = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in recorder.lines]
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(without_this_machine("\n".join(lines)) + "\n", encoding="utf-8")
    print(f"{out}: {len(lines)} events")


if __name__ == "__main__":
    main(*sys.argv[1:])
