"""The one table of keys: complete, without clashes, and the page that is printed from it."""

from __future__ import annotations

from pathlib import Path

from hookstepper.model.commands import COMMANDS, find
from hookstepper.tui import keymap
from hookstepper.tui.main_screen import bindings

ROOT = Path(__file__).resolve().parents[2]
SPOKEN_FOR = {"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+[", "ctrl+left_square_bracket"}
"""Keys that a terminal sends for tab, enter, backspace and escape."""


def test_every_command_has_a_key_or_says_why_not():
    """A command that nobody can reach is not there."""
    with_key = {line.split()[0] for line in keymap.KEYS}

    assert {spec.id for spec in COMMANDS} == with_key | set(keymap.KEYLESS)
    assert not with_key & set(keymap.KEYLESS)


def test_no_key_means_two_things():
    """A key means the same in every pane, so there is one table and no key stands in it twice."""
    keys = [key for keys in keymap.KEYS.values() for key in keys]

    assert len(keys) == len(set(keys))
    assert not SPOKEN_FOR & set(keys)


def test_every_line_of_the_table_is_a_command_line():
    """What a key does can be typed after `:` in the same words."""
    for line in keymap.KEYS:
        command_id, *args = line.split()
        spec = find(command_id)
        assert spec is not None, line
        if args:
            spec.parse(args)


def test_bindings_hold_every_key_once():
    """The keyboard is made from the table and from nothing else."""
    keys = [key for binding in bindings() for key in binding.key.split(",")]

    assert sorted(keys) == sorted(key for keys in keymap.KEYS.values() for key in keymap_names(keys))


def keymap_names(keys: tuple[str, ...]) -> list[str]:
    return ["comma" if key == "," else key for key in keys]


def test_the_keys_page_is_what_the_table_prints():
    """docs/keys.md is never written by hand."""
    page = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")

    assert page == keymap.keys_page()


def test_keys_are_shown_as_people_write_them():
    """The footer, the help and the page use the same names."""
    assert keymap.shown("ctrl+p") == "^p"
    assert keymap.shown("space") == "Space"
    assert keymap.shown("shift+f11") == "shift+F11"
    assert keymap.main_key("run.next") == "n"
    assert keymap.main_key("run.start") == ""
