"""Our own colours: one dark and one light theme; every theme of Textual can be chosen too."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="hookstepper-dark",
    primary="#7aa2f7",
    secondary="#7dcfff",
    accent="#e0af68",
    warning="#e0af68",
    error="#f7768e",
    success="#9ece6a",
    foreground="#d5d9e8",
    background="#16181f",
    surface="#1b1e27",
    panel="#262a36",
    dark=True,
    variables={
        "border": "#7aa2f7",
        "border-blurred": "#5f667e",
        "text-muted": "#a0a6b8",
        "text-disabled": "#949aad",
        "scrollbar": "#6b728c",
        "scrollbar-background": "#1b1e27",
        "block-cursor-text-style": "bold",
    },
)

LIGHT = Theme(
    name="hookstepper-light",
    primary="#2456b3",
    secondary="#08637a",
    accent="#7d5200",
    warning="#7d5200",
    error="#b3203b",
    success="#2f6b14",
    foreground="#22252e",
    background="#fbfbf8",
    surface="#f3f3ee",
    panel="#e4e5de",
    dark=False,
    variables={
        "border": "#2456b3",
        "border-blurred": "#878b97",
        "text-muted": "#535762",
        "text-disabled": "#5c6068",
        "scrollbar": "#7b7f8b",
        "scrollbar-background": "#f3f3ee",
        "block-cursor-text-style": "bold",
    },
)

THEMES = (DARK, LIGHT)
