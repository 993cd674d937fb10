"""What can be asked of a debugging session: the commands, and the table that names them all.

Keys, palette, help, the `:` line, scripts and docs/keys.md are made from `COMMANDS`. Ids are public and
stable: user keymaps and scripts are keyed by them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hookstepper.model.breakpoints import Breakpoint
from hookstepper.model.errors import UsageError
from hookstepper.model.ids import BranchId, Json, NodeId
from hookstepper.model.mocks import Mock

# --------------------------------------------------------------------------- commands of the session


@dataclass(frozen=True, slots=True)
class StartRun:
    """Begin a run with an input; it is held before its first node unless `hold` is False."""

    TAG: ClassVar[str] = "start"
    input: Json
    thread: str = "main"
    hold: bool = True
    config: Json = None


@dataclass(frozen=True, slots=True)
class Next:
    """Run ▶ to its end; stop before the node that follows."""

    TAG: ClassVar[str] = "next"


@dataclass(frozen=True, slots=True)
class Into:
    """Go one gate deeper: node, interceptor ring, model call, tool call, then the route decision."""

    TAG: ClassVar[str] = "into"


@dataclass(frozen=True, slots=True)
class Out:
    """Run to the end of this frame: ring, hook chain or subgraph."""

    TAG: ClassVar[str] = "out"


@dataclass(frozen=True, slots=True)
class StepLine:
    """Go to the next line of the program's own code inside ▶; at the end of its function to the next node."""

    TAG: ClassVar[str] = "stepLine"
    how: Literal["into", "over", "out"]


@dataclass(frozen=True, slots=True)
class Continue:
    """Run to the next stop."""

    TAG: ClassVar[str] = "continue"


@dataclass(frozen=True, slots=True)
class RunTo:
    """Run until the node is next."""

    TAG: ClassVar[str] = "runTo"
    node: str


@dataclass(frozen=True, slots=True)
class Superstep:
    """Run all held parallel tasks up to their common commit."""

    TAG: ClassVar[str] = "superstep"


@dataclass(frozen=True, slots=True)
class CompleteStep:
    """Go on with the step that another stop has overtaken, to where it was to end."""

    TAG: ClassVar[str] = "completeStep"


@dataclass(frozen=True, slots=True)
class Turn:
    """Run to the start of the next turn, the loop entry."""

    TAG: ClassVar[str] = "turn"


@dataclass(frozen=True, slots=True)
class Pause:
    """Stop at the next safe point."""

    TAG: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class SetGuard:
    """Hold a run after so many steps, and again after as many more; 0 never does."""

    TAG: ClassVar[str] = "setGuard"
    steps: int


@dataclass(frozen=True, slots=True)
class AbortRun:
    """End this run; the record stays."""

    TAG: ClassVar[str] = "abort"


@dataclass(frozen=True, slots=True)
class SetBreakpoints:
    """Replace the whole set of breakpoints; doing it twice changes nothing."""

    TAG: ClassVar[str] = "setBreakpoints"
    breakpoints: tuple[Breakpoint, ...]


@dataclass(frozen=True, slots=True)
class SetMocks:
    """Replace the whole set of mocks."""

    TAG: ClassVar[str] = "setMocks"
    mocks: tuple[Mock, ...]


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """At a call that is held: do not make it, and this comes back; after it was made: this instead."""

    TAG: ClassVar[str] = "answerCall"
    value: Json = None
    recorded: bool = False
    """True takes what the record has."""
    error: str = ""
    """If set, the call fails with this text."""
    retry: bool = False
    """True, after the call was made, makes it again."""


@dataclass(frozen=True, slots=True)
class SetJump:
    """Send the run elsewhere after ▶: put `jump_to` into what it returns; `clear` removes the key."""

    TAG: ClassVar[str] = "setJump"
    word: Literal["model", "tool", "end", "clear"]


@dataclass(frozen=True, slots=True)
class SetNext:
    """Make these nodes the next ones, instead of ▶, and ask no router."""

    TAG: ClassVar[str] = "setNext"
    nodes: tuple[NodeId, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer open questions, by ask id; an empty id means the only one that is open."""

    TAG: ClassVar[str] = "answer"
    answers: Json


@dataclass(frozen=True, slots=True)
class EditState:
    """Change a value of the state; the run does not go on by itself."""

    TAG: ClassVar[str] = "editState"
    path: tuple[str | int, ...]
    value: Json
    mode: Literal["raw", "reducer"] = "raw"


@dataclass(frozen=True, slots=True)
class Fork:
    """Begin a new branch from the state after a step; -1 is the input."""

    TAG: ClassVar[str] = "fork"
    step: int
    node: NodeId | None = None
    """Node to run first, None for what was due there."""
    branch: BranchId | None = None
    replay: bool = False
    """Answer model and tool calls from the record until something differs."""
    ask: tuple[str, ...] = ()
    """Tools before whose real calls the run is held, such as those with side effects."""


@dataclass(frozen=True, slots=True)
class RetryNode:
    """After a failure: run the failed node again from the same state."""

    TAG: ClassVar[str] = "retry"


@dataclass(frozen=True, slots=True)
class SkipNode:
    """Do not run ▶, or the failed node: this is its update."""

    TAG: ClassVar[str] = "skip"
    value: Json


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back what was last done by hand, as long as the next node has not run."""

    TAG: ClassVar[str] = "undo"


@dataclass(frozen=True, slots=True)
class Screen:
    """A command that the screen or the script runner carries out itself."""

    TAG: ClassVar[str] = "screen"
    id: str
    args: tuple[str, ...] = ()


SessionCommand: TypeAlias = (
    StartRun
    | Next
    | Into
    | Out
    | StepLine
    | Continue
    | RunTo
    | Superstep
    | Turn
    | CompleteStep
    | Pause
    | SetGuard
    | AbortRun
    | SetBreakpoints
    | SetMocks
    | AnswerCall
    | SetJump
    | SetNext
    | Answer
    | EditState
    | Fork
    | RetryNode
    | SkipNode
    | Undo
)
Command: TypeAlias = SessionCommand | Screen

# --------------------------------------------------------------------------------------- the table

Group = Literal["run", "time", "stops", "act", "look", "tool"]
Where = Literal["session", "screen"]


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One row of the table."""

    id: str
    aliases: tuple[str, ...]
    """Other words for the `:` line and scripts."""
    help: str
    """What it does, in one line of English; translated by the screen."""
    group: Group
    parse: Callable[[Sequence[str]], Command]
    """Raises `UsageError` if the words do not fit."""
    where: Where = "session"
    usage: str = ""
    """Arguments as shown in help, empty if none."""


def parse_line(line: str) -> Command:
    """The command that a line of a script or of the `:` prompt means.

    Raises:
        UsageError: no such command (the hint names the nearest), or its arguments do not fit.
    """
    words = line.split()
    if not words:
        raise UsageError("empty command")
    spec = find(words[0])
    if spec is None:
        raise UsageError(f"no command {words[0]!r}", hint=_nearest(words[0]))
    rest = line.strip()[len(words[0]) :].strip()
    # Texts, JSON and node names may hold blanks that mean something.
    as_it_is = spec.usage == "NODE" or spec.usage.endswith(
        ("JSON", "JSON]", "TEXT", "EXPRESSION", "CONDITION]")
    )
    return spec.parse([rest] if as_it_is and rest else words[1:])


def find(word: str) -> CommandSpec | None:
    """The row whose id or alias is `word`, or None."""
    return _BY_WORD.get(word)


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, list(_BY_WORD), n=3, cutoff=0.5)
    return f"near: {', '.join(close)}" if close else "help lists all commands"


def _bare(command: Command) -> Callable[[Sequence[str]], Command]:
    def parse(words: Sequence[str]) -> Command:
        if words:
            raise UsageError(f"takes no arguments, got {' '.join(words)!r}")
        return command

    return parse


def _screen(command_id: str, most: int = 0) -> Callable[[Sequence[str]], Command]:
    def parse(words: Sequence[str]) -> Command:
        if len(words) > most:
            raise UsageError(f"{command_id} takes at most {most} arguments")
        return Screen(command_id, tuple(words))

    return parse


def _one(make: Callable[[str], Command], what: str) -> Callable[[Sequence[str]], Command]:
    def parse(words: Sequence[str]) -> Command:
        if len(words) != 1:
            raise UsageError(f"needs one {what}")
        return make(words[0])

    return parse


def _screen_line(command_id: str) -> Callable[[Sequence[str]], Command]:
    """The rest of the line as one word: these commands have a small language of their own."""

    def parse(words: Sequence[str]) -> Command:
        return Screen(command_id, (" ".join(words),) if words else ())

    return parse


def _json(text: str, what: str) -> Json:
    try:
        value: Json = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{what} is not JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"{what} is nested too deeply") from None
    return value


def _is_whole(text: str) -> bool:
    # `isdigit` takes digits that `int` does not, and `int` refuses thousands of them.
    return re.fullmatch("-?[0-9]{1,18}", text) is not None


def _jump(words: Sequence[str]) -> Command:
    match list(words):
        case ["next", *nodes] if nodes:
            return SetNext(tuple(NodeId(node) for node in nodes))
        case [("model" | "tool" | "end" | "clear") as word]:
            return SetJump(word)
    raise UsageError("needs model, tool, end or clear", hint="or: next NODE, to set the next node")


def _answer(words: Sequence[str]) -> Command:
    if not words:
        raise UsageError("needs an answer", hint="approve, reject[:REASON], respond:TEXT, or JSON")
    text = " ".join(words)
    ask = ""
    if text.startswith("@"):
        ask, _, text = text[1:].partition(" ")
    return Answer({ask: parse_answer(text)})


def parse_answer(text: str) -> Json:
    """The neutral form of an answer given as a word: `approve`, `reject[:REASON]`, `respond:TEXT` or JSON.

    A word stands for all calls of the question: `{"all": {...}}`; the session spreads it over them.

    Raises:
        UsageError: neither a known word nor JSON.
    """
    word, _, rest = text.strip().partition(":")
    match word:
        case "approve" if not rest:
            return {"all": {"type": "approve"}}
        case "reject":
            return {"all": {"type": "reject", "reason": rest.strip()}}
        case "respond":
            return {"all": {"type": "respond", "text": rest.strip()}}
    return _json(text, "the answer")


def parse_path(text: str) -> tuple[str | int, ...]:
    """`messages[0].content` as the path it means.

    Raises:
        UsageError: a bracket does not hold a whole number.
    """
    parts: list[str | int] = []
    for piece in text.replace("[", ".[").split("."):
        if piece.startswith("["):
            if not piece.endswith("]") or not _is_whole(piece[1:-1]):
                raise UsageError(f"{text!r}: {piece!r} is not an index")
            parts.append(int(piece[1:-1]))
        elif piece:
            parts.append(piece)
    if not parts:
        raise UsageError("needs a path", hint="such as messages[0].content")
    return tuple(parts)


def _call_answer(words: Sequence[str]) -> Command:
    return AnswerCall(_json(" ".join(words), "the answer"))


def _edit(mode: Literal["raw", "reducer"]) -> Callable[[Sequence[str]], Command]:
    def parse(words: Sequence[str]) -> Command:
        path, _, value = " ".join(words).partition(" ")
        where = parse_path(path)
        if mode == "reducer" and len(where) > 1:
            raise UsageError("an update is of a whole key", hint="state.edit changes a part of it")
        return EditState(where, _json(value, "the new value"), mode)

    return parse


def _fork(words: Sequence[str]) -> Command:
    match list(words):
        case [step] if _is_whole(step):
            return Fork(int(step))
        case [step, "as", *node] if _is_whole(step) and node:
            return Fork(int(step), NodeId(" ".join(node)))
        case [step, "replay", *tools] if _is_whole(step):
            return Fork(int(step), replay=True, ask=tuple(tools))
    raise UsageError("needs a step number", hint="time.fork 11, time.fork 11 as NODE, time.fork 11 replay")


def _guard(words: Sequence[str]) -> Command:
    match list(words):
        case [steps] if _is_whole(steps) and int(steps) >= 0:
            return SetGuard(int(steps))
    raise UsageError("needs a number of steps", hint="0 never holds")


def _start(words: Sequence[str]) -> Command:
    return StartRun(" ".join(words))


COMMANDS: tuple[CommandSpec, ...] = (
    CommandSpec("run.start", ("start",), "start a run with an input", "run", _start, usage="TEXT"),
    CommandSpec(
        "run.next", ("next", "n"), "run ▶ to its end, stop with its changes shown", "run", _bare(Next())
    ),
    CommandSpec(
        "run.into",
        ("into", "step", "s"),
        "one gate deeper: ring, model or tool call, subgraph, route",
        "run",
        _bare(Into()),
    ),
    CommandSpec(
        "run.out",
        ("out", "finish", "f"),
        "to the end of this ring, hook chain or subgraph",
        "run",
        _bare(Out()),
    ),
    CommandSpec(
        "line.into", ("li",), "next line of the code, into functions", "run", _bare(StepLine("into"))
    ),
    CommandSpec("line.over", ("lo",), "next line of this function", "run", _bare(StepLine("over"))),
    CommandSpec("line.out", ("lf",), "to the end of this function", "run", _bare(StepLine("out"))),
    CommandSpec("run.continue", ("continue", "c"), "to the next stop", "run", _bare(Continue())),
    CommandSpec("run.to", ("to", "until", "t"), "to the node", "run", _one(RunTo, "node"), usage="NODE"),
    CommandSpec(
        "run.superstep",
        ("superstep",),
        "all held parallel tasks, to their common commit",
        "run",
        _bare(Superstep()),
    ),
    CommandSpec("run.turn", ("turn",), "to the start of the next turn", "run", _bare(Turn())),
    CommandSpec(
        "run.complete",
        ("complete",),
        "finish the step that another stop has overtaken",
        "run",
        _bare(CompleteStep()),
    ),
    CommandSpec("run.play", ("play",), "play, or stop playing", "run", _screen("run.play"), "screen"),
    CommandSpec("run.slower", (), "play slower", "run", _screen("run.slower"), "screen"),
    CommandSpec("run.faster", (), "play faster", "run", _screen("run.faster"), "screen"),
    CommandSpec("run.pause", ("pause", "p"), "stop at the next safe point", "run", _bare(Pause())),
    CommandSpec(
        "run.guard", ("guard",), "hold a run that takes more steps than this", "run", _guard, usage="STEPS"
    ),
    CommandSpec("run.abort", ("abort", "kill"), "end this run, keep the record", "run", _bare(AbortRun())),
    CommandSpec(
        "run.restart",
        ("restart", "run"),
        "same input, breakpoints kept",
        "run",
        _screen("run.restart"),
        "screen",
    ),
    CommandSpec(
        "run.watch",
        (),
        "restart when a file of the program changes, or no longer",
        "run",
        _screen("run.watch"),
        "screen",
    ),
    CommandSpec(
        "input.open",
        ("input",),
        "next message: same thread or a new one",
        "run",
        _screen("input.open"),
        "screen",
    ),
    CommandSpec("time.back", ("back",), "look one step back", "time", _screen("time.back"), "screen"),
    CommandSpec(
        "time.forward", ("forward",), "look one step forward", "time", _screen("time.forward"), "screen"
    ),
    CommandSpec("time.prev-mark", (), "to the last mark", "time", _screen("time.prev-mark"), "screen"),
    CommandSpec("time.next-mark", (), "to the next mark", "time", _screen("time.next-mark"), "screen"),
    CommandSpec(
        "time.writer",
        ("writer",),
        "to the step that wrote this value",
        "time",
        _screen("time.writer", 1),
        "screen",
        "PATH",
    ),
    CommandSpec("time.goto", ("goto",), "look at a step", "time", _screen("time.goto", 1), "screen", "STEP"),
    CommandSpec("time.live", ("live",), "back to the live end", "time", _screen("time.live"), "screen"),
    CommandSpec(
        "time.prev-break",
        ("reverse-continue", "rc"),
        "back to the last breakpoint that holds",
        "time",
        _screen("time.prev-break"),
        "screen",
    ),
    CommandSpec(
        "time.next-break",
        (),
        "on to the next breakpoint that holds",
        "time",
        _screen("time.next-break"),
        "screen",
    ),
    CommandSpec("time.branches", ("branches",), "all branches", "time", _screen("time.branches"), "screen"),
    CommandSpec(
        "time.branch",
        ("branch",),
        "look at the head of a branch",
        "time",
        _screen("time.branch", 1),
        "screen",
        "NAME",
    ),
    CommandSpec(
        "time.steps", ("steps",), "the steps on this branch", "time", _screen("time.steps"), "screen"
    ),
    CommandSpec(
        "time.plan",
        ("plan",),
        "what a fork from a step runs again",
        "time",
        _screen("time.plan", 1),
        "screen",
        "STEP",
    ),
    CommandSpec(
        "time.fork",
        ("fork",),
        "new branch from a step",
        "time",
        _fork,
        usage="STEP [as NODE | replay [TOOL TO ASK ABOUT]…]",
    ),
    CommandSpec(
        "break.toggle",
        ("break", "b"),
        "breakpoint on a node",
        "stops",
        _screen("break.toggle", 1),
        "screen",
        "NODE",
    ),
    CommandSpec(
        "break.edit", (), "condition, hit count, log text, once", "stops", _screen("break.edit", 1), "screen"
    ),
    CommandSpec(
        "break.add",
        (),
        "breakpoint on a node, call, key, jump, error, question or turn",
        "stops",
        _screen_line("break.add"),
        "screen",
        "[KIND] [NAME] [exit] [hit N] [once] [log TEXT] [if CONDITION]",
    ),
    CommandSpec(
        "break.enable",
        ("mute",),
        "switch a breakpoint on or off",
        "stops",
        _screen("break.enable", 1),
        "screen",
        "NUMBER",
    ),
    CommandSpec(
        "break.remove", (), "remove a breakpoint", "stops", _screen("break.remove", 1), "screen", "NUMBER"
    ),
    CommandSpec(
        "watch.add",
        ("display",),
        "watch an expression",
        "stops",
        _screen_line("watch.add"),
        "screen",
        "EXPRESSION",
    ),
    CommandSpec(
        "watch.list", ("watches",), "watches and their values", "stops", _screen("watch.list"), "screen"
    ),
    CommandSpec("watch.remove", (), "stop watching", "stops", _screen("watch.remove", 1), "screen", "NUMBER"),
    CommandSpec(
        "mock.add",
        ("mock",),
        "answer model or tool calls instead of making them",
        "stops",
        _screen_line("mock.add"),
        "screen",
        "model|tool NAME [always] [fails TEXT] [JSON]",
    ),
    CommandSpec(
        "mock.open",
        (),
        "answer the next model or tool call instead of making it",
        "stops",
        _screen("mock.open", 2),
        "screen",
        "[model|tool] [NAME]",
    ),
    CommandSpec("mock.list", ("mocks",), "all mocks", "stops", _screen("mock.list"), "screen"),
    CommandSpec(
        "mock.remove", (), "make the calls again", "stops", _screen("mock.remove", 1), "screen", "NUMBER"
    ),
    CommandSpec(
        "call.answer", (), "answer the held call instead of making it", "act", _call_answer, usage="JSON"
    ),
    CommandSpec(
        "call.recorded", (), "answer the held call from the record", "act", _bare(AnswerCall(recorded=True))
    ),
    CommandSpec(
        "call.fail",
        (),
        "let the held call fail",
        "act",
        lambda words: AnswerCall(error=" ".join(words) or "failed by hand"),
        usage="TEXT",
    ),
    CommandSpec("call.retry", (), "make the call again that was made", "act", _bare(AnswerCall(retry=True))),
    CommandSpec("break.list", ("breakpoints",), "all breakpoints", "stops", _screen("break.list"), "screen"),
    CommandSpec("jump.open", (), "send the run elsewhere", "act", _screen("jump.open"), "screen"),
    CommandSpec(
        "jump.set",
        ("jump",),
        "jump after ▶, or set the next node",
        "act",
        _jump,
        usage="model|tool|end|clear|next NODE",
    ),
    CommandSpec("answer.open", (), "answer what is open", "act", _screen("answer.open"), "screen"),
    CommandSpec(
        "answer.send",
        ("answer",),
        "answer the open question",
        "act",
        _answer,
        usage="[@ID] approve|reject[:WHY]|JSON",
    ),
    CommandSpec("fail.retry", ("retry",), "after a failure: run the node again", "act", _bare(RetryNode())),
    CommandSpec(
        "fail.skip",
        ("skip",),
        "skip ▶ or the failed node with this update",
        "act",
        _one(lambda text: SkipNode(_json(text, "the update")), "update"),
        usage="JSON",
    ),
    CommandSpec(
        "state.show", ("print",), "a value of the state", "look", _screen("state.show", 1), "screen", "PATH"
    ),
    CommandSpec(
        "state.eval",
        ("eval",),
        "the value of an expression",
        "look",
        _screen_line("state.eval"),
        "screen",
        "EXPRESSION",
    ),
    CommandSpec(
        "state.edit", ("set",), "change a value of the state", "act", _edit("raw"), usage="PATH JSON"
    ),
    CommandSpec(
        "state.merge",
        ("merge",),
        "give a value to a key's strategy, as a node does",
        "act",
        _edit("reducer"),
        usage="KEY JSON",
    ),
    CommandSpec("edit.undo", ("undo",), "take back what was done by hand", "act", _bare(Undo())),
    CommandSpec("pane.next", (), "next pane", "look", _screen("pane.next"), "screen"),
    CommandSpec("pane.prev", (), "previous pane", "look", _screen("pane.prev"), "screen"),
    CommandSpec("pane.graph", (), "go to the graph", "look", _screen("pane.graph"), "screen"),
    CommandSpec("pane.inspector", (), "go to the inspector", "look", _screen("pane.inspector"), "screen"),
    CommandSpec("pane.timeline", (), "go to the timeline", "look", _screen("pane.timeline"), "screen"),
    CommandSpec("pane.maximise", (), "this pane alone", "look", _screen("pane.maximise"), "screen"),
    CommandSpec("tab.state", ("state",), "State", "look", _screen("tab.state"), "screen"),
    CommandSpec("tab.messages", ("messages",), "Messages", "look", _screen("tab.messages"), "screen"),
    CommandSpec("tab.node", ("node",), "Node", "look", _screen("tab.node"), "screen"),
    CommandSpec("tab.onion", ("onion",), "Onion", "look", _screen("tab.onion"), "screen"),
    CommandSpec("tab.route", ("route",), "Route", "look", _screen("tab.route"), "screen"),
    CommandSpec("tab.calls", ("calls",), "Calls", "look", _screen("tab.calls"), "screen"),
    CommandSpec("tab.source", ("source",), "Source", "look", _screen("tab.source"), "screen"),
    CommandSpec("tab.stack", ("stack",), "Stack", "look", _screen("tab.stack"), "screen"),
    CommandSpec("frame.up", ("up",), "outer frame", "look", _screen("frame.up"), "screen"),
    CommandSpec("frame.down", ("down",), "inner frame", "look", _screen("frame.down"), "screen"),
    CommandSpec("tab.breakpoints", (), "Breakpoints", "look", _screen("tab.breakpoints"), "screen"),
    CommandSpec("tab.output", ("output",), "what the agent printed", "look", _screen("tab.output"), "screen"),
    CommandSpec("tab.branches", (), "Branches", "look", _screen("tab.branches"), "screen"),
    CommandSpec("tab.tasks", ("tasks",), "Tasks", "look", _screen("tab.tasks"), "screen"),
    CommandSpec("tab.more", (), "more tabs", "look", _screen("tab.more"), "screen"),
    CommandSpec(
        "cursor.move",
        (),
        "nearest node, row or step in that direction",
        "look",
        _screen("cursor.move", 1),
        "screen",
        "DIRECTION",
    ),
    CommandSpec("cursor.prev", (), "previous thing of interest", "look", _screen("cursor.prev"), "screen"),
    CommandSpec("cursor.next", (), "next thing of interest", "look", _screen("cursor.next"), "screen"),
    CommandSpec("cursor.open", (), "open, select, follow", "look", _screen("cursor.open"), "screen"),
    CommandSpec(
        "view.toggle",
        (),
        "the other form: fold or unfold, registered or executed",
        "look",
        _screen("view.toggle"),
        "screen",
    ),
    CommandSpec("view.pan", (), "move the picture", "look", _screen("view.pan", 1), "screen", "DIRECTION"),
    CommandSpec("view.zoom-in", (), "larger picture", "look", _screen("view.zoom-in"), "screen"),
    CommandSpec("view.zoom-out", (), "smaller picture", "look", _screen("view.zoom-out"), "screen"),
    CommandSpec("view.fit", (), "the largest picture that fits", "look", _screen("view.fit"), "screen"),
    CommandSpec("view.map", (), "overview of a large picture", "look", _screen("view.map"), "screen"),
    CommandSpec(
        "view.glyphs",
        ("glyphs",),
        "characters of the picture: unicode, safe, ascii",
        "look",
        _screen("view.glyphs", 1),
        "screen",
        "SET",
    ),
    CommandSpec(
        "view.node", (), "to the node on the picture", "look", _screen("view.node", 99), "screen", "NODE"
    ),
    CommandSpec(
        "find.open",
        ("find",),
        "node, key, text in state and messages, step",
        "look",
        _screen("find.open", 99),
        "screen",
        "TEXT",
    ),
    CommandSpec(
        "explain.open",
        ("explain",),
        "explain what the cursor is on",
        "look",
        _screen("explain.open"),
        "screen",
    ),
    CommandSpec(
        "help.keys", ("help",), "keys of this pane, then all", "tool", _screen("help.keys"), "screen"
    ),
    CommandSpec("app.palette", (), "every command", "tool", _screen("app.palette"), "screen"),
    CommandSpec("app.line", (), "type a command", "tool", _screen("app.line"), "screen"),
    CommandSpec("app.theme", ("theme",), "colours", "tool", _screen("app.theme", 1), "screen", "NAME"),
    CommandSpec("app.tour", ("tour",), "show the welcome card again", "tool", _screen("app.tour"), "screen"),
    CommandSpec(
        "copy.value", ("copy",), "copy what the cursor is on", "tool", _screen("copy.value"), "screen"
    ),
    CommandSpec(
        "export.screen", (), "this screen as SVG", "tool", _screen("export.screen", 1), "screen", "FILE"
    ),
    CommandSpec(
        "app.quit", ("quit", "q"), "quit; asks while a run is alive", "tool", _screen("app.quit"), "screen"
    ),
    CommandSpec("app.quit-now", (), "quit at once", "tool", _screen("app.quit-now"), "screen"),
    CommandSpec("app.break", (), "copy, pause, or ask to quit", "tool", _screen("app.break"), "screen"),
    CommandSpec("ui.close", (), "close; never ends a run", "tool", _screen("ui.close"), "screen"),
)

_BY_WORD: dict[str, CommandSpec] = {}
for _spec in COMMANDS:
    for _word in (_spec.id, *_spec.aliases):
        _BY_WORD[_word] = _spec
