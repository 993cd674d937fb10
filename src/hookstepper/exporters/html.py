"""The picture as one HTML page that needs no network: zoom, pan, and a click to follow a node's edges."""

from __future__ import annotations

from html import escape

from hookstepper.exporters import ExportOptions
from hookstepper.exporters.signs import legal
from hookstepper.exporters.svg import drawn
from hookstepper.model.graph import Graph

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>TITLE</title>
<style>
html, body { margin: 0; height: 100% }
body { background: #ffffff; overflow: hidden }
@media (prefers-color-scheme: dark) { body { background: #111827 } }
svg.hs { width: 100%; height: 100%; cursor: grab; touch-action: none }
svg.hs .node { cursor: pointer }
svg.hs .node:focus-visible { outline: 2px solid #f59e0b }
svg.hs.picked .wire:not(.near), svg.hs.picked .node:not(.near) { opacity: 0.2 }
</style>
</head>
<body>
SVG
<script>
SCRIPT
</script>
</body>
</html>
"""

_SCRIPT = """
const svg = document.querySelector('svg.hs');
const whole = svg.viewBox.baseVal, first = [whole.x, whole.y, whole.width, whole.height];
const nodes = [...svg.querySelectorAll('.node')], wires = [...svg.querySelectorAll('.wire[data-from]')];

function zoom(factor, x, y) {
  const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  whole.x = at.x - (at.x - whole.x) * factor;
  whole.y = at.y - (at.y - whole.y) * factor;
  whole.width *= factor;
  whole.height *= factor;
}
function move(dx, dy) {
  const scale = svg.getScreenCTM().a;
  whole.x -= dx / scale;
  whole.y -= dy / scale;
}
function fit() { [whole.x, whole.y, whole.width, whole.height] = first; }
function pick(id) {
  const same = svg.dataset.picked === id || id === null;
  svg.dataset.picked = same ? '' : id;
  svg.classList.toggle('picked', !same);
  const near = new Set([id]);
  for (const wire of wires) {
    const touches = wire.dataset.from === id || wire.dataset.to === id;
    wire.classList.toggle('near', touches);
    if (touches) near.add(wire.dataset.from).add(wire.dataset.to);
  }
  for (const node of nodes) node.classList.toggle('near', near.has(node.dataset.id));
}

svg.addEventListener('wheel', event => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.1 : 1 / 1.1, event.clientX, event.clientY);
}, { passive: false });
let held = null, moved = false;
svg.addEventListener('pointerdown', event => { held = event.pointerId; moved = false; });
window.addEventListener('pointerup', () => { held = null; });
window.addEventListener('pointermove', event => {
  if (held !== event.pointerId) return;
  moved ||= Math.abs(event.movementX) + Math.abs(event.movementY) > 2;
  move(event.movementX, event.movementY);
});
svg.addEventListener('click', event => {
  if (moved) return;
  const node = event.target.closest('.node');
  pick(node ? node.dataset.id : null);
});
for (const node of nodes) {
  node.setAttribute('tabindex', '0');
  node.addEventListener('keydown', event => { if (event.key === 'Enter') pick(node.dataset.id); });
}
window.addEventListener('keydown', event => {
  const centre = [svg.clientWidth / 2, svg.clientHeight / 2], step = 60;
  const keys = {
    '+': () => zoom(1 / 1.2, ...centre), '-': () => zoom(1.2, ...centre), '0': fit,
    'Escape': () => pick(null), 'ArrowLeft': () => move(step, 0), 'ArrowRight': () => move(-step, 0),
    'ArrowUp': () => move(0, step), 'ArrowDown': () => move(0, -step),
  };
  if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
});
""".strip()


class HtmlExporter:
    """Writes `.html`."""

    suffix = ".html"

    def export(self, graph: Graph, options: ExportOptions) -> str:
        """A page with the picture. Keys: `+` `-` `0` and arrows; a click or Enter follows a node's edges."""
        title = graph.name if options.title is None else options.title
        title = escape(legal(title or "graph"))
        head, _, rest = _PAGE.partition("TITLE")
        middle, _, rest = rest.partition("SVG")
        between, _, tail = rest.partition("SCRIPT")
        return "".join((head, title, middle, drawn(graph, options), between, _SCRIPT, tail))
