"""Colours of the SVG picture, light and dark; no CSS variables, since converters to PNG do not know them."""

from __future__ import annotations

_LIGHT = {
    "ink": "#1f2937",
    "soft": "#6b7280",
    "paper": "#ffffff",
    "line": "#64748b",
    "model": "#1d4ed8",
    "tool": "#b45309",
    "hook": "#0f766e",
    "sub": "#7c3aed",
}
_DARK = {
    "ink": "#e5e7eb",
    "soft": "#9ca3af",
    "paper": "#111827",
    "line": "#94a3b8",
    "model": "#93c5fd",
    "tool": "#fcd34d",
    "hook": "#5eead4",
    "sub": "#c4b5fd",
}

_SHAPE = """
.hs text { font-family: ui-monospace, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace }
.hs text { font-size: 13px }
.hs .title { font-size: 15px; font-weight: 600 }
.hs .wire path { fill: none; stroke-width: 1.5px }
.hs .wire .halo { stroke-width: 6px }
.hs .dashed .line { stroke-dasharray: 5 4 }
.hs .inferred .line, .hs .observed .line { stroke-dasharray: 1.5 4; stroke-linecap: round }
.hs .never, .hs .hidden, .hs .unknown { opacity: 0.5 }
.hs .node rect { stroke-width: 1.3px }
.hs .model rect { stroke-width: 3px }
.hs .tool rect { stroke-width: 1.8px }
.hs .frame rect { fill-opacity: 0.05; stroke-opacity: 0.5 }
.hs .frame text { font-weight: 600; paint-order: stroke; stroke-width: 5px }
""".strip()

_COLOUR = """
.hs text { fill: INK }
.hs .paper { fill: PAPER }
.hs .wire text, .hs .legend, .hs .anchor { fill: SOFT }
.hs .wire path { stroke: LINE }
.hs .wire .halo { stroke: PAPER }
.hs .wire rect { fill: PAPER }
.hs .arrow { fill: LINE }
.hs .node rect { fill: PAPER; stroke: INK }
.hs .model rect { stroke: MODEL }
.hs .tool rect { stroke: TOOL }
.hs .hook rect { stroke: HOOK }
.hs .subgraph rect { stroke: SUB }
.hs .frame rect { fill: SUB; stroke: SUB }
.hs .frame text { fill: SUB; stroke: PAPER }
""".strip()


def style() -> str:
    """The style sheet: shapes once, colours for light and, where asked for, for dark screens."""
    return f"{_SHAPE}\n{_coloured(_LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_coloured(_DARK)}\n}}"


def _coloured(palette: dict[str, str]) -> str:
    rules = _COLOUR
    for name, colour in palette.items():
        rules = rules.replace(name.upper(), colour)
    return rules
