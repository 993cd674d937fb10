"""What a person would stumble over: cut words, words of the other language, what does not hold here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.cells import cell_len, chop_cells

from hookstepper.model.commands import COMMANDS
from hookstepper.model.gates import Phase, Site
from hookstepper.model.ids import NodeId
from hookstepper.model.record import RuleSeen
from hookstepper.tui.options import Options
from hookstepper.tui.rows.calls import approval_text
from hookstepper.tui.rows.columns import Columns
from hookstepper.tui.rows.help_keys import help_rows
from hookstepper.tui.rows.lines import as_text
from hookstepper.tui.rows.route import route_lines
from hookstepper.tui.rows.row import Span, cut, cut_text, plain, width_of
from hookstepper.tui.rows.saw import PHRASES, saw_text
from hookstepper.tui.rows.status_line import status_row
from hookstepper.tui.rows.step_list import step_rows
from hookstepper.tui.rows.top_line import top_row
from hookstepper.tui.rows.welcome import welcome_rows
from hookstepper.tui.words import LANGUAGES, Language, tr, use_language
from support.driving import driven
from support.replay import view_at
from tui.support.made import Made, routed

SAFETY = NodeId("_AGENT_HOOK_Safety.afterModel")


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    use_language("en")
    yield
    use_language("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_cuts_no_word(language: Language):
    """A key that is explained by half a sentence is not explained."""
    use_language(language)
    rows = help_rows(73)
    text = "".join("".join(plain(row).split()) for row in rows)

    assert max(width_of(row) for row in rows) <= 73
    assert "…" not in text
    for spec in COMMANDS:
        assert spec.id in text


@pytest.mark.parametrize("phrase", [*PHRASES, "1 message", "7 messages", "last is user", "1 call", "3 calls"])
def test_what_a_rule_saw_is_said_in_the_language_of_the_screen(phrase: str):
    """The table is read across: half of it in another language is not read."""
    assert saw_text(phrase) == phrase
    use_language("zh")

    assert not any("a" <= char <= "z" for char in saw_text(phrase))


def test_what_a_rule_saw_keeps_values_as_they_are():
    """Ids and values of the program are its own words."""
    use_language("zh")

    assert saw_text("c1, c2") == "c1, c2"
    assert saw_text("c1, c2 open") == "c1, c2 未返回"
    assert saw_text("2 calls without an answer") == "2 个未返回"


async def test_the_route_tab_says_in_chinese_what_each_rule_saw():
    """Seen in the tab itself, at the width of home."""
    options = Options(language="zh", welcome=False, clock=lambda: 0.0)
    async with driven(11, options=options) as app:
        await app.press("5")

        assert "3 条消息" in app.text
        assert "没有设置" in app.text
        assert "messages  " not in app.text


def test_long_words_of_a_rule_widen_their_column():
    """`no answered request` is longer than the words that the column is made for."""
    made = Made()
    rules = (
        RuleSeen("answered", "no answered request", False, NodeId("b")),
        RuleSeen("otherwise", "x", True),
    )
    made.step("a", {"x": 1}, route=routed("b", rule="otherwise", rules=rules))

    assert "no answered request" in as_text(route_lines(made.view(), 60), 60)


def test_a_call_that_was_proposed_only_is_not_said_to_need_no_approval():
    """Whether a hook asks about it shows later."""
    proposed = view_at(11)
    ended = view_at(23)

    assert [approval_text(call) for call in proposed.trace.calls()] == ["not needed", "not asked so far"]
    assert [approval_text(call) for call in ended.trace.calls()] == ["not needed", "edited ✎"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_of_a_small_screen_names_the_keys_of_the_panes(language: Language):
    """Where one pane is shown at a time, nothing is on the left or below."""
    use_language(language)
    alone = "\n".join(plain(row) for row in welcome_rows(78, 19, alone=True))
    beside = "\n".join(plain(row) for row in welcome_rows(52, 27))

    for word in ("Left", "Below", "左：", "下："):
        assert word not in alone
    assert [line.split()[0] for line in alone.splitlines() if line.strip()[:1] in ("g", "1", "L")] == [
        "g",
        "1",
        "L",
    ]
    assert "Left" in beside or "左：" in beside
    assert "{" not in alone + beside


async def test_the_small_screen_shows_that_card():
    """At 80×24 the card takes the whole screen."""
    async with driven(None, size=(80, 24), options=Options(clock=lambda: 0.0)) as app:
        await app.press("escape")

        assert "the timeline: one column a step" in app.text
        assert "Left:" not in app.text


async def test_the_engine_of_ours_is_named_in_the_language_of_the_screen():
    """The name of another engine is its own."""
    options = Options(language="zh", welcome=False, clock=lambda: 0.0)
    async with driven(11, options=options) as app:
        assert "内置引擎" in app.lines[0]
        assert "built-in" not in app.lines[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_list_of_steps_stand_under_their_word(language: Language):
    """Right edge under right edge, as numbers are read."""
    use_language(language)
    view = view_at(23)
    rows = [plain(row) for row in step_rows(Columns().of(view), view, 78, 12)]
    end = cell_len(rows[0][: rows[0].index(tr("step")) + len(tr("step"))])

    assert all(row[end - 1].isdigit() and row[end] == " " for row in rows[1:])


def test_a_thread_id_that_a_program_made_leaves_room_for_the_rest():
    """Thirty-six signs that nobody reads push the number of the run off the line."""
    view = view_at(11)
    made = replace(view, thread="763b16c0-5cf8-4ae5-8c13-0123456789ab")

    assert "thread 763b16c0…   run 1 " in plain(top_row(made, 120))
    assert "thread demo   run 1 " in plain(top_row(view, 120))


@pytest.mark.parametrize(
    ("site", "phase", "said"),
    [
        (Site("part", SAFETY, "merge turn"), "enter", "停在 Safety.afterModel 里，turn 的合并之前"),
        (Site("part", SAFETY, "checkpoint"), "enter", "停在 Safety.afterModel 里，检查点之前"),
        (Site("tool", SAFETY, "pay"), "exit", "停在 Safety.afterModel 里 pay 之后"),
        (Site("layer", SAFETY, "Retry", 1), "enter", "停在 Safety.afterModel 里 Retry 之前"),
    ],
)
def test_a_stop_inside_of_a_node_is_one_sentence_in_chinese(site: Site, phase: Phase, said: str):
    """Pieces that English joins by a comma are not a sentence in another order of words."""
    use_language("zh")
    view = view_at(11)
    stop = replace(view.stop, site=site, phase=phase) if view.stop is not None else None

    assert said in plain(status_row(replace(view, stop=stop), 0.0, 120))


@pytest.mark.parametrize(
    "text", ["plain words " * 9, "晴朗 and 25 °C " * 9, "👩‍👩‍👧 family " * 9, "e\u0301" * 40, ""]
)
@pytest.mark.parametrize("cells", [1, 2, 7, 20])
def test_a_text_is_cut_as_if_it_were_measured_whole(text: str, cells: int):
    """Only the beginning is looked at, since texts are long and cells are few."""
    expected = (
        text if cell_len(text) <= cells else (chop_cells(text, cells - 1)[0] if cells > 1 else "") + "…"
    )

    assert cut_text(text, cells) == expected
    assert plain(cut((Span(text),), cells)) == expected


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_help_uses_the_height_and_wastes_no_line(size: tuple[int, int]):
    """There are more keys than lines at any size."""
    async with driven(11, size=size) as app:
        await app.press("question_mark")
        lines = app.lines
        top = next(y for y, line in enumerate(lines) if "─ Keys ─" in line)
        close = next(y for y, line in enumerate(lines) if "[ Close" in line)

    assert "╰─" in lines[close + 1]
    assert close - top >= size[1] * 3 // 4


async def test_the_word_over_what_is_typed_stands_over_the_fields():
    """A table whose head and body do not meet is two tables."""
    async with driven(13, size=(80, 24)) as app:
        await app.press("a", "2")
        head = next(line for line in app.lines if "you send" in line)
        field = next(line for line in app.lines if "report.txt" in line)

    assert head.index("you send") == field.index('"report.txt"')
