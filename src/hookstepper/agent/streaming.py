"""Interceptors of a stream: each sees the pieces of an answer as they come, and may change or drop them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.models.port import ChatChunk


class StreamingModelInterceptor:
    """Only used where the answer comes in pieces. The first registered is innermost: it sees raw pieces."""

    name: str = ""

    def get_name(self) -> str:
        """The name that it is known by."""
        return self.name or type(self).__name__

    def before_stream_call(self, request: ModelRequest) -> None:
        """A stream is about to begin; what is done to `request` does not reach the model."""

    def on_chunk(self, chunk: ChatChunk) -> ChatChunk | None:
        """The piece to pass on; None drops it."""
        return chunk

    def after_stream_complete(self, text: str) -> None:
        """The stream has ended; `text` is what this interceptor has passed on."""

    def on_stream_error(self, error: Exception) -> None:
        """The stream has failed, or could not begin."""


class StreamChain:
    """The interceptors of one stream, and what each has passed on; made anew for each stream."""

    def __init__(self, interceptors: Sequence[StreamingModelInterceptor], request: ModelRequest) -> None:
        self.interceptors = interceptors
        self.request = request
        self.passed: list[list[str]] = [[] for _ in interceptors]

    def begin(self) -> None:
        """Tell all, from the first to the last.

        Raises:
            Exception: what one of them raised; all have been told of it.
        """
        for item in self.interceptors:
            item.before_stream_call(self.request.with_())

    def passing(self, chunk: ChatChunk) -> ChatChunk | None:
        """The piece as it comes out, None if one of them dropped it."""
        for item, texts in zip(self.interceptors, self.passed, strict=True):
            changed: Any = item.on_chunk(chunk)
            if changed is None:
                return None
            chunk = changed
            texts.append(chunk.text)
        return chunk

    def complete(self) -> None:
        """The stream has ended."""
        for item, texts in zip(self.interceptors, self.passed, strict=True):
            item.after_stream_complete("".join(texts))

    def failed(self, error: Exception) -> None:
        """The stream has failed."""
        for item in self.interceptors:
            item.on_stream_error(error)
