"""The commands behind the words."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hookstepper.cli import exits
from hookstepper.cli.glyphs import glyphs_here
from hookstepper.client.options import TargetOptions
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import UsageError
from hookstepper.model.ids import Json

if TYPE_CHECKING:
    from hookstepper.cli.headless import HeadlessOptions
    from hookstepper.client.conversation import Conversation
    from hookstepper.client.link import Item
    from hookstepper.client.recorded import Recorded
    from hookstepper.tui.words import Language

SAMPLES = {"en": "weather.py", "zh": "weather_zh.py"}


def run(arguments: argparse.Namespace) -> int:
    """`hookstepper run TARGET`."""
    if arguments.headless and arguments.script != "-":
        # Another program says when its run begins; else the target's own suggestion is better than none.
        _suggested(arguments)
    options = _options(arguments, arguments.target)
    if arguments.headless:
        return _headless(arguments, options)
    for flag in ("json", "answer", "script", "max_steps", "expect"):
        if getattr(arguments, flag):
            raise UsageError(f"--{flag.replace('_', '-')} needs --headless")
    return _screen(arguments, options)


def demo(arguments: argparse.Namespace) -> int:
    """`hookstepper demo`."""
    language = arguments.lang or "en"
    arguments.target = str(sample(SAMPLES[language]))
    _suggested(arguments)
    return run(arguments)


def _suggested(arguments: argparse.Namespace) -> None:
    """Let the target's sample serve where no input is given."""
    arguments.use_sample_input = arguments.input is None and arguments.input_json is None


def graph(arguments: argparse.Namespace) -> int:
    """`hookstepper graph TARGET`."""
    from hookstepper.cli.describing import described
    from hookstepper.exporters import ExportOptions, exporter, format_of
    from hookstepper.tui.words_zh import CHINESE

    writer = exporter(arguments.form or format_of(arguments.output or ""))
    options = TargetOptions(
        arguments.target,
        Path.cwd(),
        python=arguments.python,
        compat=arguments.compat,
        environment=dict(os.environ),
    )
    loaded = described(options)
    wishes = ExportOptions(
        dialect=arguments.dialect,
        conditions=arguments.conditions,
        names=arguments.names,
        title=arguments.title,
        width=_width(arguments),
        show_never=arguments.never,
        words=CHINESE if arguments.lang == "zh" else {},
        glyphs=glyphs_here(arguments.glyphs),
        zoom=arguments.zoom,
    )
    content = writer.export(loaded.graph, wishes)
    data = content.encode("utf-8") if isinstance(content, str) else content
    if arguments.output:
        Path(arguments.output).write_bytes(data)
    else:
        sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
        sys.stdout.buffer.flush()
    return exits.OK


def sample(name: str) -> Path:
    """The path of a sample agent, in an installed package or in a checkout.

    Raises:
        UsageError: it is not there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_samples", package.parent.parent / "sample_agents"):
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"the sample {name} is not installed")


def _options(arguments: argparse.Namespace, target: str) -> TargetOptions:
    breaks = tuple(Breakpoint(number, node=node) for number, node in enumerate(arguments.breaks, 1))
    return TargetOptions(
        target,
        Path.cwd(),
        input=_input(arguments),
        use_sample_input=getattr(arguments, "use_sample_input", False),
        thread=arguments.thread,
        hold=not arguments.headless or bool(arguments.script),
        python=arguments.python,
        db=str(Path(arguments.db).resolve()) if arguments.db else None,
        compat=arguments.compat,
        config=_config(arguments),
        breakpoints=breaks,
        breakpoints_file=Path(arguments.breakpoints) if arguments.breakpoints else None,
        record=Path(arguments.record) if arguments.record else None,
        guard=_guard(arguments.guard),
        redact=None if arguments.no_redact else tuple(arguments.redact),
        watch=arguments.watch,
        environment={**os.environ, **({"HOOKSTEPPER_TRACING": "1"} if arguments.tracing else {})},
    )


def _guard(steps: int | None) -> int | None:
    if steps is not None and steps < 0:
        raise UsageError("--guard needs a number of steps", hint="0 never holds a run")
    return steps


def _input(arguments: argparse.Namespace) -> Json:
    if arguments.input is not None:
        text: str = arguments.input
        return text
    return _json("--input-json", arguments.input_json)


def _config(arguments: argparse.Namespace) -> dict[str, Json]:
    """The config of every run, with the context in it: adapters pass both again whenever a run goes on."""
    config = _json("--config", arguments.config)
    if config is not None and not isinstance(config, dict):
        raise UsageError("--config is not a JSON object")
    context = _json("--context", arguments.context)
    return {**(config or {}), **({} if context is None else {"context": context})}


def _json(option: str, given: str | None) -> Json:
    """The JSON that an option gives itself, or in a file after an @; None if it is not given."""
    if given is None:
        return None
    try:
        content = Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given
        value: Json = json.loads(content)
    except OSError as error:
        raise UsageError(f"{option}: {error.strerror}: {given[1:]}") from None
    except ValueError as error:
        raise UsageError(f"{option} is not JSON: {error}") from None
    return value


def _headless(arguments: argparse.Namespace, options: TargetOptions) -> int:
    from hookstepper.cli.headless import run_headless

    return run_headless(options, headless_options(arguments), sys.stdout, sys.stderr)


def headless_options(arguments: argparse.Namespace) -> HeadlessOptions:
    """What the words of the command line say of a run without a screen."""
    from hookstepper.cli.headless import HeadlessOptions
    from hookstepper.client.expecting import expectation
    from hookstepper.model.commands import parse_answer

    talks = arguments.script == "-"
    if getattr(arguments, "watch", False) and not talks:
        raise UsageError("--watch needs the screen, or --script -", hint="what is played once is over")
    script = _script(arguments.script) if arguments.script and not talks else None
    return HeadlessOptions(
        as_json=arguments.json,
        answers=tuple(parse_answer(answer) for answer in arguments.answer),
        script=script,
        talk=sys.stdin if talks else None,
        expect=tuple(expectation(sentence) for sentence in arguments.expect),
        max_steps=arguments.max_steps,
    )


def _script(name: str) -> tuple[str, ...]:
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--script: {error.strerror}: {name}") from None
    except ValueError:
        raise UsageError(f"--script: {name} is not UTF-8 text") from None
    # What says nothing stays, as an empty line, so that messages name the line of the file.
    lines = [line.strip() for line in text.splitlines()]
    return tuple("" if line.startswith("#") else line for line in lines)


def _screen(arguments: argparse.Namespace, options: TargetOptions) -> int:
    _need_terminal()
    from hookstepper.tui.app import run_app
    from hookstepper.tui.options import Options

    wishes = Options(
        language=arguments.lang or "en",
        target=options.target,
        glyphs=glyphs_here(arguments.glyphs),
        ask_input=not options.use_sample_input,
    )
    return run_app(partial(_conversation, options), wishes)


def _conversation(options: TargetOptions, deliver: Callable[[Item], None]) -> Conversation:
    # Imported when the first frame is painted: it takes a third of the time that the frame takes.
    from hookstepper.client.conversation import Conversation

    return Conversation(options, deliver)


def _width(arguments: argparse.Namespace) -> int | None:
    if arguments.width:
        return int(arguments.width)
    return os.get_terminal_size().columns if sys.stdout.isatty() else None


def replay(arguments: argparse.Namespace) -> int:
    """`hookstepper replay FILE`."""
    if arguments.export is not None:
        from hookstepper.cli.replaying import export_lines

        return export_lines(_recorded(arguments.file), arguments.export, sys.stdout, sys.stderr)
    if arguments.headless or arguments.find is not None:
        return _replay_headless(arguments)
    for flag in ("json", "script", "expect"):
        if getattr(arguments, flag):
            raise UsageError(f"--{flag} needs --headless")
    _need_terminal()
    from hookstepper.tui.app import run_app
    from hookstepper.tui.options import Options

    wishes = Options(
        language=arguments.lang or "en",
        target=arguments.file,
        glyphs=glyphs_here(arguments.glyphs),
        ask_input=False,
        welcome=False,
    )
    return run_app(lambda _: _recorded(arguments.file), wishes)


def _replay_headless(arguments: argparse.Namespace) -> int:
    from hookstepper.cli.replaying import ReplayOptions, print_recording
    from hookstepper.client.expecting import expectation

    talks = arguments.script == "-"
    script = _script(arguments.script) if arguments.script and not talks else None
    if arguments.find is not None:
        script = (f"find.open {arguments.find}",)
    wishes = ReplayOptions(
        arguments.json,
        script,
        sys.stdin if talks else None,
        tuple(expectation(sentence) for sentence in arguments.expect),
    )
    return print_recording(_recorded(arguments.file), wishes, sys.stdout, sys.stderr)


def _recorded(file: str) -> Recorded:
    from hookstepper.client.recorded import Recorded

    return Recorded(Path(file))


def diff(arguments: argparse.Namespace) -> int:
    """`hookstepper diff A B`."""
    from hookstepper.cli.replaying import print_difference

    return print_difference(
        _recorded(arguments.a), _recorded(arguments.b), sys.stdout, as_json=arguments.json
    )


def screen_child(arguments: argparse.Namespace) -> int:
    """`hookstepper _screen`: the screen of `hookstepper.debug`, on an inherited socket."""
    import socket

    from hookstepper.tui.app import run_app
    from hookstepper.tui.options import Options

    wishes = json.loads(arguments.wishes)
    sock = socket.socket(fileno=int(wishes["fd"]))
    options = TargetOptions(str(wishes["name"]), Path.cwd(), input=wishes["input"], guard=wishes.get("guard"))

    def connect(deliver: Callable[[Item], None]) -> Conversation:
        from hookstepper.client.conversation import Conversation
        from hookstepper.client.socket_link import SocketLink

        return Conversation(
            options, deliver, connect=lambda number, given, to: SocketLink(sock, number, given, to)
        )

    language: Language = "zh" if wishes["lang"] == "zh" else "en"
    return run_app(connect, Options(language=language, target=options.target, glyphs=glyphs_here(None)))


def _need_terminal() -> None:
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise UsageError("the screen needs a terminal", hint="without one, use --headless")
