"""What the Answer dialog says: the calls, the arguments asked and sent, and what the answer will bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hookstepper.client.view import View
from hookstepper.model import jumps
from hookstepper.model.commands import Answer
from hookstepper.model.gates import Ask, AskCall, Decision
from hookstepper.model.ids import Json
from hookstepper.tui.rows.jump import name_of, owner_of
from hookstepper.tui.rows.lines import shown, shown_lines, wrap
from hookstepper.tui.rows.row import Role, Row, cut_text, pad_text, row, spread
from hookstepper.tui.words import tr, tr_as
from hookstepper.values import preview
from hookstepper.values.schema import schema_problem

MOST_CALLS = 4
MOST_ARGUMENTS = 6
DECISIONS: tuple[Decision, ...] = ("approve", "edit", "reject", "respond")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to decide: a call of an approval, or a plain question (`call` is None)."""

    ask: Ask
    call: AskCall | None

    @property
    def key(self) -> tuple[str, str]:
        """Names the item among all."""
        return self.ask.id, self.call.id if self.call is not None else ""

    @property
    def must(self) -> bool:
        """True if it has to be decided before anything can be sent."""
        return self.call is None or self.call.needs_approval

    @property
    def allowed(self) -> tuple[Decision, ...]:
        """Decisions on offer; empty for a plain question."""
        if self.call is None:
            return ()
        return dict(self.ask.allowed_by_call).get(self.call.id, self.ask.allowed)


Drafts = Mapping[tuple[str, str], Json]
"""What was decided so far, by `Item.key`."""


def items_of(asks: Sequence[Ask]) -> tuple[Item, ...]:
    """Everything that is asked, in the order of the questions and calls."""
    return tuple(
        item
        for ask in asks
        for item in (
            [Item(ask, call) for call in ask.calls]
            if ask.kind == "approval" and ask.calls
            else [Item(ask, None)]
        )
    )


def missing(items: Sequence[Item], drafts: Drafts) -> tuple[Item, ...]:
    """What has to be decided and is not."""
    return tuple(item for item in items if item.must and item.key not in drafts)


def answer_of(items: Sequence[Item], drafts: Drafts) -> Answer:
    """The command that sends all decisions, in the order of the calls."""
    answers: dict[str, Json] = {}
    for item in items:
        if item.call is None:
            answers[item.ask.id] = drafts[item.key]
        elif item.must:
            found = answers.setdefault(item.ask.id, {"decisions": []})
            assert isinstance(found, dict)
            decisions = found["decisions"]
            assert isinstance(decisions, list)
            decisions.append(drafts[item.key])
    return Answer(answers)


def decision_of(item: Item, drafts: Drafts) -> str:
    """`approve`, `edit`, `reject`, `respond`, `answer`, or empty if nothing is decided."""
    draft = drafts.get(item.key)
    if item.key not in drafts:
        return ""
    return str(draft.get("type", "")) if item.call is not None and isinstance(draft, dict) else "answer"


# ------------------------------------------------------------------------------------------ rows


def head_words(items: Sequence[Item], at: int) -> tuple[str, str]:
    """The words on the upper edge."""
    asks = list(dict.fromkeys(item.ask.id for item in items))
    number = asks.index(items[at].ask.id) + 1
    return tr("Answer"), tr("question {n} of {count}", n=number, count=len(asks))


def top_rows(view: View, items: Sequence[Item], at: int, drafts: Drafts, cells: int) -> list[Row]:
    """Who asks, and the calls or the question."""
    item = items[at]
    turn = view.trace.turn_of(view.trace.head) if view.trace.head >= 0 else 0
    who = name_of(view.graph, item.ask.node) if view.graph is not None else shown(item.ask.node)
    if item.call is None:
        return [row(tr("{node} asks", node=who)), *_prompt_rows(item, cells)]
    said = tr("{node} asks before the tools run", node=who)
    if turn:
        said += " · " + tr("turn {turn}", turn=turn)
    return [row(said), *_call_rows([i for i in items if i.ask.id == item.ask.id], item, drafts, cells)]


def _prompt_rows(item: Item, cells: int) -> list[Row]:
    lines = [part for line in shown_lines(item.ask.prompt, 20) for part in wrap(line, cells, most=6)]
    rows = [row((line, "strong")) for line in lines[:6] if line.strip()]
    if item.ask.payload is not None and not (isinstance(item.ask.payload, str) and rows):
        rows.append(row((preview(item.ask.payload, cells), "muted")))
    return rows


def _call_rows(items: Sequence[Item], current: Item, drafts: Drafts, cells: int) -> list[Row]:
    rows = [row((_columns("call", "tool", "needs approval", "your decision", cells), "muted"))]
    place = items.index(current)
    first = max(0, min(place - MOST_CALLS + 1, len(items) - MOST_CALLS))
    for item in items[first : first + MOST_CALLS]:
        call = item.call
        if call is None:
            continue
        decision = decision_of(item, drafts)
        needs = tr("yes") if item.must else tr("no")
        text = _columns(
            shown(call.id), shown(call.tool), needs, tr(decision) if decision else "–", cells, say=False
        )
        chosen = item is current
        rows.append(row(("▶ " if chosen else "  ", "current"), (text[2:], "strong" if chosen else "")))
    left = len(items) - MOST_CALLS
    if left > 0:
        rows.append(row(("  " + tr("{n} more, [ and ] move", n=left), "muted")))
    return rows


def _columns(call: str, tool: str, needs: str, decision: str, cells: int, *, say: bool = True) -> str:
    if say:
        call, tool, needs, decision = (tr_as("column", word) for word in (call, tool, needs, decision))
    text = f"  {pad_text(call, 5)} {pad_text(tool, 20)} {pad_text(needs, 15)} {decision}"
    return cut_text(text, cells)


def argument_rows(item: Item, drafts: Drafts, cells: int) -> list[Row]:
    """The arguments as the model asked and as they will be sent."""
    call = item.call
    if call is None:
        return []
    asked = call.arguments if isinstance(call.arguments, dict) else {"": call.arguments}
    draft = drafts.get(item.key)
    edited = draft.get("args") if isinstance(draft, dict) and draft.get("type") == "edit" else None
    sent = edited if isinstance(edited, dict) else asked
    names = list(dict.fromkeys([*asked, *sent]))
    wide = max(10, (cells - 14) // 2 - 1)
    head = f"  {pad_text(tr('argument'), 9)} {pad_text(tr('the model asked'), wide)} {tr('you send')}"
    rows = [row((head, "muted"))]
    for name in names[:MOST_ARGUMENTS]:
        old = preview(asked[name], wide) if name in asked else "–"
        new = preview(sent[name], wide) if name in sent else "–"
        changed = name not in asked or name not in sent or asked[name] != sent[name]
        mark, role = ("~ ", "changed") if changed else ("  ", "")
        rows.append(
            row(
                (mark, "changed"),
                pad_text(shown(name), 9),
                " ",
                pad_text(old, wide),
                " ",
                (new, _as_role(role)),
            )
        )
    if len(names) > MOST_ARGUMENTS:
        rows.append(row(("  " + tr("{n} more arguments", n=len(names) - MOST_ARGUMENTS), "muted")))
    return rows


def _as_role(word: str) -> Role:
    return "changed" if word == "changed" else ""


def choice_rows(item: Item, drafts: Drafts) -> list[Row]:
    """The four decisions with their digits; what is not on offer says so."""
    if item.call is None:
        return []
    if not item.must:
        return [row((tr("This call needs no approval; it runs as asked if the others allow."), "muted"))]
    chosen = decision_of(item, drafts)
    pieces: list[tuple[str, Role]] = []
    refused: list[str] = []
    for number, word in enumerate(DECISIONS, 1):
        if word not in item.allowed:
            refused.append(f"{number} {tr(word)}")
            continue
        pieces += [(f"{number}", "key"), (f" {tr(word)}   ", "current" if word == chosen else "")]
    rows = [row(*pieces)]
    if refused:
        rows.append(row((tr("{what}: not offered by this hook", what=", ".join(refused)), "disabled")))
    return rows


def outcome_rows(view: View, items: Sequence[Item], drafts: Drafts, cells: int) -> list[Row]:
    """What sending will do, and whether anything is missing."""
    wanted = [item for item in items if item.must]
    open_items = missing(items, drafts)
    done = len(wanted) - len(open_items)
    ready = not open_items
    count = tr("{n} of {count} decided", n=done, count=len(wanted))
    head = tr("If you send this")
    right = ("✓ " if ready else "… ") + count
    rows = [spread(row((head, "strong")), row((right, "ok" if ready else "waiting")), cells)]
    if open_items:
        return [*rows, row((_missing_text(items, open_items), "waiting")), *_again_rows(items)]
    if any(item.call is None for item in items):
        return [*rows, *_again_rows(items)]
    return [*rows, *_effect_rows(view, items, drafts, cells)]


def _missing_text(items: Sequence[Item], open_items: Sequence[Item]) -> str:
    if len(items) == 1 and items[0].call is None:
        return tr("no answer yet")
    names = ", ".join(shown(i.call.id) if i.call is not None else shown(i.ask.node) for i in open_items[:5])
    return tr("{what} is not decided", what=names)


def _again_rows(items: Sequence[Item]) -> list[Row]:
    """Which bodies start over once it is sent: what they did before the question, they do again."""
    again = dict.fromkeys(shown(node) for item in items if item.call is None for node in item.ask.again)
    if not again:
        return []
    names = ", ".join(list(again)[:5])
    return [row((tr("{nodes} will run again from the first line", nodes=names), "warning"))]


def _effect_rows(view: View, items: Sequence[Item], drafts: Drafts, cells: int) -> list[Row]:
    runs, stays = [], []
    problems = []
    for item in items:
        call, draft = item.call, drafts.get(item.key)
        if call is None:
            continue
        kind = decision_of(item, drafts)
        if kind in ("reject", "respond"):
            stays.append(shown(call.tool))
            continue
        args = draft.get("args") if isinstance(draft, dict) and kind == "edit" else call.arguments
        runs.append(f"{shown(call.tool)}({_arguments_text(args)})")
        problem = schema_problem(args, call.schema)
        if problem:
            problems.append(f"{shown(call.id)}: {shown(problem)}")
    wide = cells - 15
    rows = [
        row("  ", (pad_text(tr("runs"), 13), "muted"), cut_text(", ".join(runs) or "–", wide)),
        row("  ", (pad_text(tr("does not run"), 13), "muted"), cut_text(", ".join(stays) or "–", wide)),
        row(
            "  ",
            (pad_text(tr("path"), 13), "muted"),
            cut_text(path_text(view, items[0].ask, bool(runs)), wide),
        ),
    ]
    if problems:
        rows.append(row(("✗ " + cut_text("; ".join(problems), cells - 2), "failed")))
    elif runs:
        rows.append(row("  ", ("✓ " + tr("arguments fit the schema"), "ok")))
    return rows


def _arguments_text(args: Json) -> str:
    if not isinstance(args, dict):
        return preview(args, 40)
    return ", ".join(f"{shown(name)}={preview(value, 30)}" for name, value in list(args.items())[:6])


def path_text(view: View, ask: Ask, runs: bool) -> str:
    """`HITL → Log → tool → Log.beforeModel`: the nodes that follow, as far as the graph tells."""
    graph = view.graph
    if graph is None:
        return "–"
    names = [owner_of(graph, ask.node)]
    for node in jumps.default_path(graph, ask.node):
        found = graph.node(node)
        names.append(owner_of(graph, node))
        if node == graph.anchors.loop_exit or found is None:
            break
    tool = jumps.target_of(graph, "tool")
    if not runs or tool is None:
        return " → ".join(names) + " → …"
    loop = graph.anchors.loop_entry
    names.append(name_of(graph, tool))
    if loop is not None:
        names.append(name_of(graph, loop))
    return " → ".join(names)
