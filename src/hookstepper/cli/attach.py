"""`hookstepper attach`: the same screen, for a program that runs by itself and let us in."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from hookstepper.cli.commands import headless_options
from hookstepper.client.conversation import Conversation
from hookstepper.client.link import AnyLink, Item
from hookstepper.client.options import TargetOptions
from hookstepper.client.socket_link import SocketLink
from hookstepper.launch.attaching import Attached, attach, listening
from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import UsageError

Connect = Callable[[int, TargetOptions, Callable[[Item], None]], AnyLink]


def run(arguments: argparse.Namespace) -> int:
    """`hookstepper attach [ENDPOINT]`."""
    if arguments.list:
        return _list()
    if not arguments.headless and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the screen needs a terminal", hint="without one, use --headless")
    for flag in ("json", "script", "max_steps", "expect"):
        if getattr(arguments, flag) and not arguments.headless:
            raise UsageError(f"--{flag.replace('_', '-')} needs --headless")
    attached = attach(arguments.endpoint or "", os.environ, hold=arguments.hold)
    options = _options(arguments, attached)
    if arguments.headless:
        return _headless(arguments, options, attached)
    return _screen(arguments, options, attached)


def _list() -> int:
    for advert in listening(os.environ):
        print(f"{advert.endpoint}  process {advert.pid}  {advert.name}")
    return 0


def _options(arguments: argparse.Namespace, attached: Attached) -> TargetOptions:
    breaks = tuple(Breakpoint(number, node=node) for number, node in enumerate(arguments.breaks, 1))
    return TargetOptions(
        attached.advert.name or attached.advert.endpoint,
        Path.cwd(),
        hold=arguments.hold,
        breakpoints=breaks,
        breakpoints_file=Path(arguments.breakpoints) if arguments.breakpoints else None,
        record=Path(arguments.record) if arguments.record else None,
    )


def _connect(attached: Attached) -> Connect:
    return lambda number, options, deliver: SocketLink(attached.sock, number, options, deliver)


def _headless(arguments: argparse.Namespace, options: TargetOptions, attached: Attached) -> int:
    from hookstepper.cli.headless import run_headless

    wishes = headless_options(arguments)
    return run_headless(options, wishes, sys.stdout, sys.stderr, _connect(attached))


def _screen(arguments: argparse.Namespace, options: TargetOptions, attached: Attached) -> int:
    from hookstepper.tui.app import run_app
    from hookstepper.tui.options import Options

    wishes = Options(language=arguments.lang or "en", ask_input=False, welcome=False)
    connect = _connect(attached)
    return run_app(lambda deliver: Conversation(options, deliver, connect=connect), wishes)
