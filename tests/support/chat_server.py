"""A small server that speaks OpenAI's chat completions, and breaks on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer(ThreadingHTTPServer):
    """Answers each request with the next row of `script`.

    A row is a text, a list of calls `(id, name, arguments)`, `{"status": 429}` for an error, `"@hang"` for no
    answer at all, or `"@break"` for a stream that ends in the middle.
    """

    daemon_threads = True

    def __init__(self, script: list[Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.gone = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        row = self.server.script.pop(0) if self.server.script else "(script exhausted)"
        if isinstance(row, dict):
            self._send(row["status"], {"error": {"message": row.get("message", "no"), "type": "x"}})
        elif row == "@hang":
            self.server.gone.wait(60)
        elif body.get("stream"):
            self._stream(row)
        else:
            self._send(200, _completion(row))

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, row: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in _pieces("half an answer" if row == "@break" else row):
            self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            if row == "@break":
                self.wfile.write(b"data: {broken\n\n")
                return
        self.wfile.write(b"data: [DONE]\n\n")


def _message(row: Any) -> dict[str, Any]:
    if isinstance(row, str):
        return {"role": "assistant", "content": row}
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in row
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _completion(row: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(row), "finish_reason": "stop"}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def _pieces(row: Any) -> Iterator[dict[str, Any]]:
    def piece(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}

    if isinstance(row, str):
        for at in range(0, len(row), 4):
            yield piece({"content": row[at : at + 4]})
    else:
        for index, (call_id, name, arguments) in enumerate(row):
            yield piece(
                {"tool_calls": [{"index": index, "id": call_id, "function": {"name": name, "arguments": ""}}]}
            )
            for at in range(0, len(arguments), 4):
                function = {"arguments": arguments[at : at + 4]}
                yield piece({"tool_calls": [{"index": index, "function": function}]})
    yield piece({}, "stop")
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    yield {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [],
        "usage": usage,
    }


@contextmanager
def chat_server(*script: Any) -> Iterator[ChatServer]:
    """A running server; it is gone afterwards."""
    server = ChatServer(list(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.gone.set()
        server.shutdown()
        thread.join()
        server.server_close()
