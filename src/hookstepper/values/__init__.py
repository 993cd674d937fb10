"""Values: live objects as typed JSON and back, what changed between them, and questions about them.

Standard library only: the debuggee side runs it inside the user's process.
"""

from hookstepper.values.conditions import Condition, Template, compile_condition, compile_template
from hookstepper.values.decoding import InvalidValue, decode
from hookstepper.values.delta import apply, apply_all, diff, invert, same
from hookstepper.values.encoding import Encoder, encode
from hookstepper.values.limits import RECORDED, Limits, ObjectCodec
from hookstepper.values.paging import Page, page
from hookstepper.values.paths import exists, lookup, show
from hookstepper.values.preview import preview
from hookstepper.values.redact import Redactor
from hookstepper.values.state import StateEncoder
from hookstepper.values.tags import TAG, is_editable, kind_of, size_of, tag_of
from hookstepper.values.text import clean, fit, width

__all__ = [
    "RECORDED",
    "TAG",
    "Condition",
    "Encoder",
    "InvalidValue",
    "Limits",
    "ObjectCodec",
    "Page",
    "Redactor",
    "StateEncoder",
    "Template",
    "apply",
    "apply_all",
    "clean",
    "compile_condition",
    "compile_template",
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
    "preview",
    "same",
    "show",
    "size_of",
    "tag_of",
    "width",
]
