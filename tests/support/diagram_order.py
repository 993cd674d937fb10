"""Lines of a diagram in the one order that means something."""

from __future__ import annotations

import re


def in_any_order_within_a_choice(text: str) -> list[object]:
    """Lines, those of one choice as one sorted list: upstream's own order there is that of a hash table."""
    out: list[object] = []
    for line in text.split("\n"):
        dashed = " -.-> " in line or " .down.> " in line
        opens = dashed and re.search(r'> (?:condition\d+:::|"condition\d+")', line)
        if not dashed or opens:
            out.append(line)
            out += [[]] if opens else []
        else:
            block = out[-1]
            assert isinstance(block, list), line
            block.append(line)
            block.sort()
    return out
