"""JSON for a file: messages and long texts are kept once and referred to by their hash."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable

from hookstepper.model.ids import Json
from hookstepper.values.tags import TAG

LONG = 1024
"""Characters from which a text is kept apart."""
MOST = 64 << 20
"""Bytes of one record when unpacked; more is no record of ours."""
REF = "ref"
"""Tag of a reference; occurs in files only."""

_WORDS = (
    b'{"$":"ref","h":"","t":"step","index":,"branch":"main","superstep":,"task":"","site":{"kind":"node",'
    b'"node":"_AGENT_HOOK_.beforeModel"},"kind":"after_model","delta":[{"t":"splice","path":["messages"],'
    b'"index":,"removed":[],"inserted":[{"$":"msg","role":"assistant","content":"","tool_calls":[{"id":"",'
    b'"name":"","args":{}}],"id":""}]},{"t":"set","path":["jump_to"],"old":null,"new":},{"t":"add","path":'
    b'],"route":{"to":["_AGENT_MODEL_","_AGENT_TOOL_"],"rule":"fixed","why":"","rules":[{"rule":"default",'
    b'"saw":"not set","fired":true,"to":"__END__"}]},"checkpoint":"","host":"","duration_us":,"usage":'
    b'{"input_tokens":,"output_tokens":},"reads":["messages"],"writes":["messages"],"update":{"messages":'
    b'"t":"nodeEntered","t":"stopped","stop":{"id":,"epoch":,"posture":"held","reasons":["step"],"acts":'
    b'["abort","fail","fulfil","patch","proceed","retry"],"phase":"enter","frames":[{"kind":"node","name":'
    b'"value":{"$":"tuple","v":[{"t":"resumed","stop":,"how":"next"}'
)
"""What records are full of; primes the compressor, since each record is compressed by itself. Part of the
format: another text needs another format version."""

Keep = Callable[[bytes, bytes], None]
"""Takes a hash and a compressed body that is to be kept once."""


def squeezed(value: Json) -> bytes:
    """The value as compressed JSON text."""
    press = zlib.compressobj(6, zdict=_WORDS)
    return press.compress(_text(value)) + press.flush()


def unsqueezed(data: bytes) -> Json:
    """The value in a compressed JSON text.

    Raises:
        ValueError: it is torn, or no JSON.
    """
    press = zlib.decompressobj(zdict=_WORDS)
    try:
        text = press.decompress(data, MOST)
        if press.unconsumed_tail:
            raise ValueError(f"it is larger than {MOST >> 20} MiB")
        if not press.eof:
            raise ValueError("the text ends early")
        value: Json = json.loads(text)
    except (zlib.error, RecursionError) as error:
        raise ValueError(str(error)) from None
    return value


def _text(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def pack(value: Json, keep: Keep) -> Json:
    """The value with references in place of its messages and long texts, which go to `keep`."""
    if isinstance(value, str):
        return _kept(value, keep) if len(value) >= LONG else value
    if isinstance(value, list):
        return [pack(item, keep) if isinstance(item, (str, list, dict)) else item for item in value]
    if isinstance(value, dict):
        if value.get(TAG) == "msg" or (TAG not in value and "role" in value and "content" in value):
            return _kept(value, keep)
        return {
            key: pack(item, keep) if isinstance(item, (str, list, dict)) else item
            for key, item in value.items()
        }
    return value


def _kept(value: Json, keep: Keep) -> Json:
    text = _text(value)
    name = hashlib.blake2b(text, digest_size=12).digest()
    press = zlib.compressobj(6, zdict=_WORDS)
    keep(name, press.compress(text) + press.flush())
    return {TAG: REF, "h": name.hex()}


def unpack(value: Json, find: Callable[[bytes], Json]) -> Json:
    """The value with what its references refer to; the same thing is the same object each time.

    Raises:
        KeyError: `find` does not know a hash.
    """
    if isinstance(value, list):
        return [unpack(item, find) if isinstance(item, (list, dict)) else item for item in value]
    if isinstance(value, dict):
        if value.get(TAG) == REF:
            return find(bytes.fromhex(str(value.get("h", ""))))
        return {
            key: unpack(item, find) if isinstance(item, (list, dict)) else item for key, item in value.items()
        }
    return value
