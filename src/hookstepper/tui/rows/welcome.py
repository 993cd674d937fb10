"""The welcome card: what is on the screen, and the first keys."""

from __future__ import annotations

from rich.cells import cell_len

from hookstepper.tui.rows.row import Row, Span, row
from hookstepper.tui.words import language

_ENGLISH = """
This is your agent as a graph. Nothing has run yet.

 `n`    run one node         `Space`  play it
 `c`    run to the next stop
 `,` `.`  look back, forward: nothing runs again
 `b`    stop here            `J`   send it elsewhere
 `i`    explain what the cursor is on
 `?`    all keys             `q`   quit

{places}

Try it: `n` five times, then `4` for the onion.
"""

_CHINESE = """
这就是你的智能体编译出来的图，还没有运行。

 `n` 单步一个节点      `空格` 播放
 `c` 运行到下一个停点
 `,` `.` 往回看、往前看，不会重新执行
 `b` 在这里停          `J` 跳到别处
 `i` 讲解光标处        `?` 所有按键
 `q` 退出

{places}

试试：按五次 `n`，再按 `4` 看洋葱。
"""


_PLACES = {
    "en": """\
Left: the graph. ▶ is the node that runs next.
Here: the state, and what the last node changed.
Below: one column a step; the lane says who acts.""",
    "zh": """\
左：图，▶ 是下一个要运行的节点。
右：状态，以及上一个节点改了什么。
下：一步一列，泳道说明谁在做。""",
}
_PLACES_ALONE = {
    "en": """\
 `g`    the graph; ▶ is the node that runs next
 `1`    the state, and what the last node changed
 `L`    the timeline: one column a step, the lane says who acts""",
    "zh": """\
 `g` 图，▶ 是下一个要运行的节点
 `1` 状态，以及上一个节点改了什么
 `L` 时间线：一步一列，泳道说明谁在做""",
}


def welcome_rows(cells: int, height: int, *, alone: bool = False) -> list[Row]:
    """The card; its last line, how to close it, stands at the bottom right.

    Args:
        alone: the screen shows one pane at a time, so that the others are behind keys.
    """
    text, end = (
        (_CHINESE, "Esc 关闭 · ^p 里选“导览”可再看")
        if language() == "zh"
        else (_ENGLISH, "Esc closes · Tour in ^p brings it back")
    )
    places = (_PLACES_ALONE if alone else _PLACES)[language()]
    rows = [_keyed(line) for line in text.format(places=places).rstrip().split("\n")]
    rows += [()] * max(1, height - len(rows) - 1)
    return [*rows, row(" " * max(1, cells - cell_len(end) - 1), (end, "muted"))]


def _keyed(line: str) -> Row:
    """Text between backquotes is a key."""
    pieces = [Span(" ")] if line else []
    for index, part in enumerate(line.split("`")):
        if part:
            pieces.append(Span(part, "key" if index % 2 else ""))
    return tuple(pieces)
