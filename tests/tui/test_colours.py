"""Every colour can be read: contrast of at least 4.5 to 1 in both of our themes (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import pytest
from rich.color import ColorType
from rich.style import Style as RichStyle
from textual.color import Color
from textual.geometry import Region

from hookstepper.tui.graph_paint import ROLE_WORDS
from hookstepper.tui.options import Options
from hookstepper.tui.roles import ROLES, RoleBook
from hookstepper.tui.themes import THEMES
from support.driving import Driven, driven

TEXT = 4.5
"""Least ratio for what is read (WCAG 2.2, 1.4.3)."""
LINES = 3.0
"""Least ratio for lines that only part things (1.4.11)."""
PARTING = frozenset("─│┌┐└┘├┤┬┴┼╭╮╯╰━┃┏┓┗┛╸╹▁▔▎▕▂▃▄▅▆▇█▌▐▀ ")
NAMES = [theme.name for theme in THEMES]
SCENES: list[tuple[int | None, tuple[str, ...]]] = [
    (None, ()),
    (11, ("1", "down")),
    (11, ("2", "down")),
    (13, ("3", "down", "down")),
    (20, ("4", "down")),
    (14, ("5",)),
    (23, ("6", "down")),
    (11, ("b", "8")),
    (11, ("b", "up", "b", "b", "up", "up")),
    (11, ("L",)),
    (11, ("J",)),
    (11, ("1", "down", "e")),
    (13, ("a",)),
    (13, ("a", "1")),
    (13, ("a", "2")),
    (11, ("B",)),
    (11, ("M",)),
    (11, ("i",)),
    (11, ("0",)),
    (11, ("question_mark",)),
    (11, ("ctrl+p", "down")),
    (11, ("colon",)),
    (11, ("slash",)),
    (23, ("m",)),
    (23, ("comma",) * 9),
    (23, ("comma", "comma", "F")),
    (23, ("o",)),
]


def ratio(one: Color, other: Color) -> float:
    """Contrast of two opaque colours, 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: Color) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def pair(style: RichStyle) -> tuple[Color, Color] | None:
    """Foreground and background of a cell, None if the terminal chooses one of them."""
    if (
        style.color is None
        or style.bgcolor is None
        or ColorType.DEFAULT in (style.color.type, style.bgcolor.type)
    ):
        return None
    front, back = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    return (back, front) if style.reverse else (front, back)


def pale(app: Driven) -> set[str]:
    """What is too pale on the screen, each with its ratio; what a dialog dims is not looked at."""
    screen = app.app.screen
    frame = screen.query("#dialog, CommandPalette > Vertical")
    inside = frame.first().region if frame else Region(0, 0, *app.app.size)
    if app.app.screen is not app.app.main and not frame:
        inside = Region(0, 0, *app.app.size)
    found = set()
    for y, strip in enumerate(screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            text, start = segment.text, x
            x += segment.cell_length
            colours = pair(segment.style) if segment.style is not None and text.strip() else None
            if colours is None or not inside.contains(start, y):
                continue
            least = LINES if set(text) <= PARTING else TEXT
            if (contrast := ratio(*colours)) < least:
                found.add(f"{text.strip()[:20]!r} {contrast:.2f} {colours[0].hex} on {colours[1].hex}")
    return found


@pytest.mark.parametrize("theme", NAMES)
@pytest.mark.parametrize(("steps", "keys"), SCENES)
async def test_what_is_on_the_screen_can_be_read(theme: str, steps: int | None, keys: tuple[str, ...]):
    """Each cell of each state, as it is drawn."""
    options = Options(theme=theme, welcome=steps is None, clock=lambda: 0.0)
    async with driven(steps, options=options) as app:
        await app.press(*keys)

        assert pale(app) == set()


@pytest.mark.parametrize("theme", NAMES)
async def test_every_role_can_be_read_wherever_it_may_stand(theme: str):
    """Also the roles that no state of the demonstration shows."""
    async with driven(11, options=Options(theme=theme, welcome=False, clock=lambda: 0.0)) as app:
        assert app.app.main is not None
        book = app.app.main.query_one(RoleBook)
        variables = app.app.theme_variables
        for ground in ("background", "surface"):
            under = Color.parse(variables[ground])
            for role in ROLES:
                for lit in ((), ("lines--cursor",)):
                    style = book.style((f"role--{role}", *lit), under)
                    front = style.foreground or Color.parse(variables["foreground"])
                    back = style.background or under
                    contrast = ratio(back + front, under + back)
                    assert contrast >= TEXT, (ground, role, lit, round(contrast, 2))


@pytest.mark.parametrize("theme", NAMES)
async def test_every_role_of_the_picture_can_be_read(theme: str):
    """On the plain ground and inside three boxes, each a little darker than the one around it."""
    async with driven(11, options=Options(theme=theme, welcome=False, clock=lambda: 0.0)) as app:
        assert app.app.main is not None
        painter = app.app.main.workspace.graph.picture._painter
        # The cells of a tint have a background of their own and no word.
        for word in sorted(set(ROLE_WORDS) - {"tint"}):
            for depth in range(4):
                colours = pair(painter._style(word, depth))
                assert colours is not None, word
                assert ratio(*colours) >= TEXT, (word, depth, round(ratio(*colours), 2))
