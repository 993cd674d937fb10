"""Puts results that are too large into files and leaves the model a notice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hookstepper.agent import options
from hookstepper.agent.interceptors import ToolCallRequest, ToolCallResponse
from hookstepper.agent.stepwise import Ask, SteppedToolInterceptor, Steps

EVICTED = "evicted_to_filesystem"
SHOWN_LINES = 10
LINE_LENGTH = 1000


class LargeResultEvictionInterceptor(SteppedToolInterceptor):
    """A result of more than four characters for each token of the limit goes to
    `FOLDER/large_tool_results/CALL_ID`; an id keeps its letters, digits, `_` and `-`.

    Args:
        token_limit: None evicts nothing.
        folder: by default the working directory.
    """

    name = "LargeResultEviction"

    def __init__(
        self,
        *,
        token_limit: int | None = 20_000,
        exclude_tools: Sequence[str] = (),
        folder: str | Path | None = None,
    ) -> None:
        options.number(token_limit, "LargeResultEvictionInterceptor: token_limit", none=True)
        self.token_limit = token_limit
        excluded = options.names(exclude_tools, "LargeResultEvictionInterceptor: exclude_tools")
        self.exclude_tools = frozenset(excluded)
        self.folder = folder

    def steps(self, request: ToolCallRequest) -> Steps:
        """The result, or a notice with its first lines."""
        response: ToolCallResponse = yield Ask(request)
        text = response.result or ""
        if (
            self.token_limit is None
            or request.name in self.exclude_tools
            or len(text) <= 4 * self.token_limit
        ):
            return response
        path = (
            Path(self.folder or Path.cwd())
            / "large_tool_results"
            / re.sub(r"[^A-Za-z0-9_-]", "_", request.id)
        )
        problem = _write(path, text)
        return response.with_(result=notice(text, path, problem), status=EVICTED)


def _write(path: Path, text: str) -> str:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
    except OSError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def notice(text: str, path: Path, problem: str = "") -> str:
    """What the model reads instead: where the result is, and its first lines with their numbers."""
    head = "\n".join(
        f"{number:6d}\t{line[:LINE_LENGTH]}"
        for number, line in enumerate(text.split("\n")[:SHOWN_LINES], start=1)
    )
    where = f"It could not be kept ({problem})." if problem else f"It is in the file {path}."
    return f"The result is too long to show: {len(text)} characters. {where} Its first lines:\n{head}"
