"""Values: live objects as typed JSON and back, what changed between them, and questions about them.

Standard library only: the debuggee side runs it inside the user's process.
"""

from hookstepper.values.decoding import InvalidValue, decode
from hookstepper.values.delta import apply, apply_all, diff, invert, same
from hookstepper.values.encoding import RECORDED, Encoder, Limits, ObjectCodec, encode
from hookstepper.values.paging import Page, page
from hookstepper.values.paths import exists, lookup, show
from hookstepper.values.state import StateEncoder
from hookstepper.values.tags import TAG, is_editable, kind_of, size_of, tag_of
from hookstepper.values.text import clean, fit, width

__all__ = [
    "RECORDED",
    "TAG",
    "Encoder",
    "InvalidValue",
    "Limits",
    "ObjectCodec",
    "Page",
    "StateEncoder",
    "apply",
    "apply_all",
    "clean",
    "decode",
    "diff",
    "encode",
    "exists",
    "fit",
    "invert",
    "is_editable",
    "kind_of",
    "lookup",
    "page",
    "same",
    "show",
    "size_of",
    "tag_of",
    "width",
]
