"""The words of the command line; what is not built yet is not offered."""

from __future__ import annotations

import argparse

from hookstepper.cli import commands

_FIRST_WORDS = """\
hookstepper {demo,run,graph}: an interactive, visual debugger for AI-agent graphs

  hookstepper demo                    the sample agent, ready to step; start here
  hookstepper run agent.py            debug your agent: LangGraph, create_agent, or the built-in builder
  hookstepper run agent.py --headless --input TEXT --json
                                      run it without a screen, one event a line
  hookstepper graph agent.py          print the graph (text, mermaid, plantuml, json)
  hookstepper --help                  all options
"""


def first_words() -> str:
    """What `hookstepper` alone prints."""
    return _FIRST_WORDS


def build_parser(version: str) -> argparse.ArgumentParser:
    """The parser; each command puts its function under `command`."""
    parser = argparse.ArgumentParser(
        prog="hookstepper",
        description="An interactive, visual debugger for AI-agent graphs, in the terminal.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hookstepper {version}")
    sub = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    run = sub.add_parser("run", help="debug an agent or graph", allow_abbrev=False)
    _target(run)
    _run_options(run)
    run.set_defaults(command=commands.run)

    demo = sub.add_parser("demo", help="debug the sample agent", allow_abbrev=False)
    _run_options(demo)
    demo.set_defaults(command=commands.demo, target=None)

    attach = sub.add_parser("attach", help="debug a program that is running", allow_abbrev=False)
    _attach_options(attach)
    attach.set_defaults(command=_attach)

    replay = sub.add_parser("replay", help="look at a recording", allow_abbrev=False)
    replay.add_argument("file", metavar="FILE", help="a recording, *.hookstep")
    replay.add_argument("--headless", action="store_true", help="print its steps")
    _headless_options(replay)
    replay.add_argument("--find", metavar="TEXT", help="print where nodes or values hold this text")
    replay.add_argument("--export", metavar="FILE|-", help="write all that it holds as JSON lines")
    replay.add_argument("--lang", choices=("en", "zh"), help="language of the screen")
    _glyphs(replay)
    replay.set_defaults(command=commands.replay)

    diff = sub.add_parser("diff", help="compare two recordings", allow_abbrev=False)
    diff.add_argument("a", metavar="A", help="a recording")
    diff.add_argument("b", metavar="B", help="another one, compared step by step")
    diff.add_argument("--json", action="store_true", help="one JSON object")
    diff.set_defaults(command=commands.diff)

    # Not for people: no help, so that it is not listed.
    child = sub.add_parser("_screen")
    child.add_argument("wishes")
    child.set_defaults(command=commands.screen_child)

    graph = sub.add_parser("graph", help="print a graph", allow_abbrev=False)
    _target(graph)
    graph.add_argument(
        "--format",
        help="text, svg, html, mermaid, plantuml, dot, png, pdf or json; else by the suffix of -o, else text",
        dest="form",
    )
    graph.add_argument("-o", "--output", metavar="FILE", help="write here instead of to standard output")
    graph.add_argument("--width", type=int, metavar="CELLS", help="cells available to the text form")
    graph.add_argument("--title", metavar="TEXT", help="title of the picture, else the graph's name")
    graph.add_argument(
        "--dialect",
        choices=("safe", "upstream"),
        default="safe",
        help="mermaid, plantuml: how names are kept",
    )
    graph.add_argument(
        "--names", choices=("id", "label"), default="id", help="mermaid, plantuml: what is written on a node"
    )
    graph.add_argument(
        "--conditions", action="store_true", help="mermaid, plantuml: a rhombus where a way is chosen"
    )
    graph.add_argument(
        "--never", action=argparse.BooleanOptionalAction, help="edges that the rules can never take"
    )
    _glyphs(graph)
    graph.add_argument("--zoom", choices=("box", "row", "folded", "dots"), help="text form; else what fits")
    graph.add_argument("--lang", choices=("en", "zh"), default="en")
    graph.add_argument("--python", metavar="PATH", help="interpreter that runs the target")
    graph.add_argument("--compat", choices=("upstream", "fixed"))
    graph.set_defaults(command=commands.graph)
    return parser


def _attach(arguments: argparse.Namespace) -> int:
    # Imported when it is wanted: the first screen of other commands waits for nothing that they do not need.
    from hookstepper.cli import attach

    return attach.run(arguments)


def _attach_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "endpoint",
        metavar="ENDPOINT",
        nargs="?",
        help="unix:PATH, tcp:127.0.0.1:PORT or a process id; left out: the one program that listens",
    )
    parser.add_argument("--list", action="store_true", help="print which programs of yours listen")
    parser.add_argument("--hold", action="store_true", help="hold the run at its next node, or the next run")
    parser.add_argument("--break", action="append", default=[], metavar="NODE", dest="breaks")
    parser.add_argument(
        "--breakpoints", metavar="FILE", help="read breakpoints from here, and keep them here"
    )
    parser.add_argument("--record", metavar="FILE", help="write a recording, *.hookstep")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the screen")
    _glyphs(parser)
    headless = parser.add_argument_group("without a screen")
    headless.add_argument("--headless", action="store_true", help="print what happens, to the run's end")
    _headless_options(headless)
    # The program answers its own questions.
    parser.set_defaults(answer=[])


def _glyphs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--glyphs",
        choices=("unicode", "safe", "ascii"),
        help="characters of the picture; else $HOOKSTEPPER_GLYPHS, else what the terminal can show",
    )


def _target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        metavar="TARGET",
        help="file.py[:attr], package.module[:attr], or langgraph.json[#graph]",
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--input", metavar="TEXT", help="the user's message")
    given.add_argument("--input-json", metavar="JSON|@FILE", help="the whole input state")
    parser.add_argument("--thread", default="main", metavar="ID", help="conversation to go on with")
    parser.add_argument(
        "--db", metavar="FILE", help="keep checkpoints here, and go on from those that it holds"
    )
    parser.add_argument("--config", metavar="JSON|@FILE", help='such as {"configurable": {"user": "me"}}')
    parser.add_argument("--context", metavar="JSON|@FILE", help="the run's context, for graphs that take one")
    parser.add_argument("--tracing", action="store_true", help="let the program trace to remote services")
    parser.add_argument("--python", metavar="PATH", help="interpreter that runs the target")
    parser.add_argument("--break", action="append", default=[], metavar="NODE", dest="breaks")
    parser.add_argument(
        "--breakpoints", metavar="FILE", help="read breakpoints from here, and keep them here"
    )
    parser.add_argument(
        "--guard",
        type=int,
        metavar="N",
        help="hold a run after N steps, and again after as many; 0 never does; else 1,000",
    )
    parser.add_argument("--record", metavar="FILE", help="write a recording, *.hookstep")
    _redact_options(parser)
    parser.add_argument("--watch", action="store_true", help="start again when a file of the program changes")
    parser.add_argument("--compat", choices=("upstream", "fixed"), help="rules of the built-in agent")
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the screen")
    _glyphs(parser)
    headless = parser.add_argument_group("without a screen")
    headless.add_argument("--headless", action="store_true", help="run to the end and print what happens")
    headless.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="ANSWER",
        help="approve, reject[:REASON], respond:TEXT or JSON; the last one serves for the rest",
    )
    _headless_options(headless)


def _redact_options(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--redact",
        action="append",
        default=[],
        metavar="KEY",
        help="keep values under this key (a glob) out of the recording, beside api_key, password, …",
    )
    how.add_argument("--no-redact", action="store_true", help="record values under such keys too")


def _headless_options(headless: argparse._ActionsContainer) -> None:
    headless.add_argument("--json", action="store_true", help="one JSON object a line")
    headless.add_argument(
        "--script",
        metavar="FILE|-",
        help="commands, one a line; with - another program writes them and reads a JSON reply to each",
    )
    headless.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="SENTENCE",
        help='such as "node pay not reached", "tool look called", "state tries == 2", "status completed"; '
        "exit 1 if it does not hold",
    )
    headless.add_argument("--max-steps", type=int, metavar="N", help="leave after so many steps")
