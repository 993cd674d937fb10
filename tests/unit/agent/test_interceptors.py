"""Cases 86 to 93: the rings that come with the agent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hookstepper.agent import (
    AssistantMessage,
    AssistantMessageSanitizer,
    ModelInterceptor,
    ModelRequest,
    ModelResponse,
    ScriptedModel,
    StreamingModelInterceptor,
    SystemMessage,
    ToolCallRequest,
    ToolCallResponse,
    ToolExecutionError,
    ToolInterceptor,
    UserMessage,
    wrap_model_call,
)
from hookstepper.agent.builtin_interceptors.context_editing import ContextEditingInterceptor
from hookstepper.agent.builtin_interceptors.emulator import ToolEmulatorInterceptor
from hookstepper.agent.builtin_interceptors.eviction import EVICTED, LargeResultEvictionInterceptor
from hookstepper.agent.builtin_interceptors.fallback import ModelFallbackInterceptor
from hookstepper.agent.builtin_interceptors.filesystem import FilesystemInterceptor
from hookstepper.agent.builtin_interceptors.patch_tool_calls import PatchToolCallsInterceptor
from hookstepper.agent.builtin_interceptors.retries import (
    ModelRetryInterceptor,
    ToolErrorInterceptor,
    ToolRetryInterceptor,
)
from hookstepper.agent.builtin_interceptors.selection import ToolSelectionInterceptor, hash_set_order
from hookstepper.agent.builtin_interceptors.todo_list import TodoListInterceptor
from support.agent_kit import Counting, Noting, agent, answers, asks, call, texts, thread

REQUEST = ToolCallRequest("t", "{}", "1")
OK = ToolCallResponse("ok", "t", "1")


class Flaky:
    """A handler that gives its rows one after another; an exception in a row is raised."""

    def __init__(self, *rows):
        self.rows, self.seen = rows, []

    def __call__(self, request):
        self.seen.append(request)
        row = self.rows[min(len(self.seen), len(self.rows)) - 1]
        if isinstance(row, Exception):
            raise row
        return row

    async def later(self, request):
        return self(request)


def silent(ring):
    """The ring, with waits that are noted and not waited."""
    waits: list[float] = []
    ring.sleep = waits.append
    ring.asleep = waits.append
    return ring, waits


def of(text, **more):
    return ModelResponse(AssistantMessage(text), **more)


def request(*messages, **more):
    return ModelRequest(tuple(messages), **more)


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_case_086_a_tool_is_called_so_often_and_no_more(attempts):
    ring, waits = silent(ToolRetryInterceptor(max_attempts=attempts, jitter=False))
    handler = Flaky(ValueError("boom"))

    response = ring.intercept_tool_call(REQUEST, handler)

    assert len(handler.seen) == attempts
    assert f"{attempts} attempts: boom" in response.result
    assert response.status is None
    assert waits == [1.0, 2.0][: attempts - 1]


def test_case_086_it_stops_at_a_success():
    ring, _ = silent(ToolRetryInterceptor())
    handler = Flaky(ValueError("boom"), OK)

    assert ring.intercept_tool_call(REQUEST, handler) is OK
    assert len(handler.seen) == 2


def test_case_086_it_may_raise_in_the_end_and_leaves_other_errors_alone():
    raising, _ = silent(ToolRetryInterceptor(on_failure="RAISE"))
    with pytest.raises(RuntimeError, match="3 attempts"):
        raising.intercept_tool_call(REQUEST, Flaky(ValueError("boom")))

    picky, _ = silent(ToolRetryInterceptor(retry_on=lambda error: isinstance(error, OSError)))
    handler = Flaky(ValueError("boom"))
    with pytest.raises(ValueError, match="boom"):
        picky.intercept_tool_call(REQUEST, handler)
    assert len(handler.seen) == 1


@pytest.mark.parametrize(("compat", "calls"), [("upstream", 3), ("fixed", 1)])
def test_a_result_without_status_counts_as_a_failure_upstream(compat, calls):
    ring, _ = silent(ToolRetryInterceptor())
    noting = Noting("t", ToolExecutionError("said"))

    agent([asks(call("1", "t")), "x"], tools=[noting], interceptors=[ring], compat=compat).invoke("hi")

    assert len(noting.calls) == calls


def test_jitter_varies_a_wait_by_a_quarter():
    low = ToolRetryInterceptor(random_source=lambda: 0.0)
    high = ToolRetryInterceptor(random_source=lambda: 1.0)

    assert (low.delay(1), high.delay(1)) == (1.5, 2.5)
    assert ToolRetryInterceptor(jitter=False).delay(20) == 60.0


@pytest.mark.parametrize(
    ("rows", "calls"),
    [
        ((of("ok"),), 1),
        ((TimeoutError("read timeout"), of("ok")), 2),
        ((of("Exception: I/O error on POST"), of("ok")), 2),
        ((of("Exception: network is down"), of("ok")), 2),
    ],
)
def test_case_087_a_fault_of_the_network_is_tried_again(rows, calls):
    ring, _ = silent(ModelRetryInterceptor())
    handler = Flaky(*rows)

    assert ring.intercept_model(request(), handler).message.text == "ok"
    assert len(handler.seen) == calls


def test_case_087_waits_grow_up_to_a_cap():
    ring, waits = silent(ModelRetryInterceptor(max_attempts=5, initial_delay=1, max_delay=3))

    with pytest.raises(RuntimeError, match="5 attempts"):
        ring.intercept_model(request(), Flaky(ConnectionError("connection reset")))
    assert waits == [1, 2, 3, 3]


def test_case_087_other_errors_fail_at_once_and_other_texts_come_back():
    ring, _ = silent(ModelRetryInterceptor())
    handler = Flaky(ValueError("bad key"))
    with pytest.raises(RuntimeError, match="would not help"):
        ring.intercept_model(request(), handler)
    assert len(handler.seen) == 1

    text = of("Exception: bad key")
    assert ring.intercept_model(request(), Flaky(text)) is text


@pytest.mark.parametrize(("compat", "fails"), [("upstream", True), ("fixed", False)])
def test_case_087_with_one_attempt_a_text_that_will_not_pass_fails_upstream(compat, fails):
    class Saying(ScriptedModel):
        def reply_to(self, prompt):
            raise ValueError("bad key")

    ring, _ = silent(ModelRetryInterceptor(max_attempts=1))
    result = agent(Saying([]), interceptors=[ring], compat=compat).run("hi")

    assert (result.status == "failed") is fails


def test_case_087_a_stream_that_broke_after_its_first_piece_is_not_asked_again():
    class Breaking(Counting):
        def stream(self, prompt):
            self.prompts.append(prompt)
            yield from list(super().stream(prompt))[:1]
            raise ConnectionError("connection reset")

    ring, _ = silent(ModelRetryInterceptor())
    model = Breaking(["a longer text"], stream=3)
    with pytest.raises(RuntimeError, match="broke off"):
        list(agent(model, interceptors=[ring]).stream("hi"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_attempts": 0}, "max_attempts"),
        ({"multiplier": 0.5}, "multiplier"),
        ({"initial_delay": 5, "max_delay": 1}, "max_delay"),
    ],
)
def test_case_087_options_that_cannot_be_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        ModelRetryInterceptor(**options)


def history(tool_rounds):
    messages = [UserMessage("hi")]
    for n in range(tool_rounds):
        messages += [asks(call(str(n), "t", '{"q": "long"}')), answers((str(n), "t", "x" * 400))]
    return messages


def editing(**options):
    counter = lambda messages: 100 * sum(m.role == "tool" for m in messages)  # noqa: E731
    return ContextEditingInterceptor(trigger=50, keep=0, token_counter=counter, **options)


def test_case_088_the_oldest_result_is_cleared_and_no_more_than_needed():
    changed = editing(clear_at_least=100).changed(request(*history(3)))

    assert [m.content == "[cleared]" for m in changed.messages if m.role == "tool"] == [True, False, False]


@pytest.mark.parametrize(("compat", "cleared"), [("upstream", 0), ("fixed", 3)])
def test_case_088_by_default_nothing_is_ever_cleared_upstream(compat, cleared):
    model = Counting(["x"])
    made = agent(model, interceptors=[editing()], compat=compat)

    made.invoke(history(3))

    assert sum(m.content == "[cleared]" for m in model.prompts[0].messages) == cleared


def test_case_088_kept_excluded_and_short_ones_stay():
    messages = history(3)
    assert editing(clear_at_least=1, exclude_tools=["t"]).changed(request(*messages)).messages == tuple(
        messages
    )
    ring = ContextEditingInterceptor(trigger=10_000, clear_at_least=1)
    assert ring.changed(request(*messages)).messages == tuple(messages)
    keeping = ContextEditingInterceptor(trigger=50, clear_at_least=10_000, keep=2)
    shown = keeping.changed(request(*messages)).messages
    assert [m.content == "[cleared]" for m in shown if m.role == "tool"] == [True, True, False]
    assert shown[1].tool_calls[0].arguments == "[cleared]"


def test_case_089_missing_text_becomes_empty_text():
    ring = AssistantMessageSanitizer()
    message = AssistantMessage(None, (call("1", "t"),), metadata={"m": 1})

    (clean,) = ring.changed(request(message)).messages
    untouched = request(AssistantMessage(None), AssistantMessage("x", (call("1", "t"),)))

    assert (clean.text, clean.tool_calls, clean.metadata) == ("", message.tool_calls, {"m": 1})
    assert ring.changed(untouched) is untouched


def fallback(primary, *others, compat=None, stream=False, **options):
    made = agent(primary, interceptors=[ModelFallbackInterceptor(*others)], compat=compat, **options)
    outputs = list(made.stream("hi")) if stream else None
    return texts(outputs[-1].state if outputs else made.invoke("hi"))[-1]


class Down(ScriptedModel):
    def reply_to(self, prompt):
        raise ConnectionError("down")


class Watching(StreamingModelInterceptor):
    """Notes what it is told; drops pieces that hold `drop`."""

    def __init__(self, name, seen, mark="", drop="\0", refuses=False):
        self.name, self.seen, self.mark, self.drop, self.refuses = name, seen, mark, drop, refuses

    def before_stream_call(self, request):
        self.seen.append(f"{self.name} begins")
        if self.refuses:
            raise ValueError("not today")

    def on_chunk(self, chunk):
        return (
            None
            if self.drop in chunk.text
            else replace(chunk, text=chunk.text and f"{chunk.text}{self.mark}")
        )

    def after_stream_complete(self, text):
        self.seen.append(f"{self.name} {text}")

    def on_stream_error(self, error):
        self.seen.append(f"{self.name} failed: {error}")


def streamed(*watching):
    made = agent(Counting(["abcd"], stream=2), streaming_interceptors=watching)
    return [texts(list(made.stream("hi"))[-1].state)[-1] for _ in range(2)]


def test_case_090_the_first_sees_raw_pieces_and_each_stream_is_its_own():
    seen: list[str] = []

    answers_given = streamed(Watching("1", seen, "."), Watching("2", seen, "!"))

    assert answers_given == ["assistant: ab.!cd.!"] * 2
    assert seen == ["1 begins", "2 begins", "1 ab.cd.", "2 ab.!cd.!"] * 2


def test_case_090_a_dropped_piece_reaches_nobody_further_out():
    seen: list[str] = []

    assert streamed(Watching("1", seen, drop="c"), Watching("2", seen)) == ["assistant: ab"] * 2
    assert seen[-2:] == ["1 ab", "2 ab"]


def test_case_090_a_stream_that_may_not_begin_is_told_to_all_and_fails():
    seen: list[str] = []
    with pytest.raises(ValueError, match="not today"):
        streamed(Watching("1", seen, refuses=True), Watching("2", seen))

    assert seen == ["1 begins", "1 failed: not today", "2 failed: not today"]


def test_case_091_a_good_answer_needs_no_other_model():
    other = Counting(["other"])

    assert fallback(Counting(["fine"]), other) == "assistant: fine"
    assert other.calls == 0


@pytest.mark.parametrize(("compat", "text"), [("upstream", "other"), ("fixed", "about Exception: x")])
def test_case_091_a_text_with_the_word_counts_as_a_failure_upstream(compat, text):
    assert (
        fallback(Counting(["about Exception: x"]), Counting(["other"]), compat=compat) == f"assistant: {text}"
    )


def test_case_091_a_failing_model_is_replaced_by_the_next_that_works():
    assert fallback(Down([]), Down([]), Counting(["third"])) == "assistant: third"
    result = agent(Down([]), interceptors=[ModelFallbackInterceptor(Down([]))]).run("hi")
    assert "all 2 models failed" in str(result.error)
    with pytest.raises(ValueError, match="at least one"):
        ModelFallbackInterceptor()


@pytest.mark.parametrize(("compat", "calls"), [("upstream", 0), ("fixed", 1)])
def test_case_091_in_a_stream_the_own_model_is_never_asked_upstream(compat, calls):
    primary = Counting(["fine"], stream=2)

    fallback(primary, Counting(["other"]), compat=compat, stream=True)

    assert primary.calls == calls


@pytest.mark.parametrize(("compat", "roles"), [("upstream", ["user"]), ("fixed", ["system", "user"])])
def test_a_fallback_does_not_get_the_system_message_upstream(compat, roles):
    other = Counting(["x"])

    fallback(Down([]), other, compat=compat, system_prompt="s")

    assert [m.role for m in other.prompts[0].messages] == roles


def test_case_092_calls_that_were_never_answered_are_answered_in_the_request():
    model = Counting(["x"])
    messages = [asks(call("1", "t"), call("2", "t")), answers(("1", "t", "r")), UserMessage("go on")]

    state = agent(model, interceptors=[PatchToolCallsInterceptor()]).invoke(messages)

    put_in = model.prompts[0].messages[1]
    assert [r.id for r in put_in.responses] == ["2"]
    assert put_in.metadata == {"patched": True}
    assert state["messages"][1] == messages[1]


def test_case_093_a_copy_of_a_request_leaves_the_original_alone():
    original = request(UserMessage("a"), tool_descriptions={"t": "d"}, system_message=SystemMessage("s"))

    copy = original.with_(tools=("x",)).with_system_text("more")

    assert copy.tool_descriptions == {"t": "d"}
    assert copy.system_message.text == "s\n\nmore"
    assert (original.tools, original.system_message.text) == ((), "s")


def test_the_first_model_ring_is_outermost():
    seen: list[str] = []

    class Ring(ModelInterceptor):
        def __init__(self, name):
            self.name = name

        def intercept_model(self, request, handler):
            seen.append(f"{self.name} in")
            response = handler(request)
            seen.append(f"{self.name} out")
            return response

    agent(interceptors=[Ring("1"), Ring("2")]).invoke("hi")

    assert seen == ["1 in", "2 in", "2 out", "1 out"]


class Both(ModelInterceptor, ToolInterceptor):
    """One object around both kinds of calls."""

    def __init__(self, seen):
        self.seen = seen

    def intercept_model(self, request, handler):
        self.seen.append("model")
        return handler(request)

    def intercept_tool_call(self, request, handler):
        self.seen.append(request.name)
        return handler(request)


async def test_one_object_may_be_a_ring_of_both_kinds():
    for awaits in (False, True):
        seen: list[str] = []
        made = agent([asks(call("1", "t")), "x"], tools=[Noting("t")], interceptors=[Both(seen)])

        result = await made.arun("hi") if awaits else made.run("hi")

        assert result.status == "completed"
        assert seen == ["model", "t", "model"]
        rings = {node.kind: [ring.name for ring in node.rings] for node in made.describe().nodes}
        assert (rings["model"][0], rings["tool"]) == ("Both", ["Both"])


def test_what_a_ring_raises_fails_the_run_and_a_ring_may_answer_itself():
    @wrap_model_call
    def failing(request, handler):
        raise ValueError("ring boom")

    @wrap_model_call
    def answering(request, handler):
        return of("mine")

    assert str(agent(interceptors=[failing]).run("hi").error) == "ring boom"
    model = Counting(["never"])
    assert texts(agent(model, interceptors=[answering]).invoke("hi"))[-1] == "assistant: mine"
    assert model.calls == 0


def test_a_tool_ring_that_raises_becomes_a_result_only_with_the_error_ring():
    class Failing(ToolInterceptor):
        def intercept_tool_call(self, request, handler):
            raise ValueError("ring boom")

    script = [asks(call("1", "t")), "x"]
    assert agent(script, tools=[Noting("t")], interceptors=[Failing()]).run("hi").status == "failed"
    state = agent(script, tools=[Noting("t")], interceptors=[ToolErrorInterceptor(), Failing()]).invoke("hi")
    assert "ring boom" in state["messages"][2].content


def test_a_model_may_play_a_tool_and_the_tool_runs_if_it_cannot():
    noting = Noting("t", "real")
    script = [asks(call("1", "t")), "x"]

    played = agent(script, tools=[noting], interceptors=[ToolEmulatorInterceptor(ScriptedModel(["played"]))])
    broken = agent(script, tools=[noting], interceptors=[ToolEmulatorInterceptor(Down([]))])

    assert played.invoke("hi")["messages"][2].content == "played"
    assert noting.calls == []
    assert broken.invoke("hi")["messages"][2].content == "real"


def offered(answer, compat=None, **options):
    model = Counting(["x"])
    chooser = Down([]) if answer is None else ScriptedModel([answer])
    tools = [Noting(name) for name in ("a", "b", "c")]
    agent(
        model, tools=tools, interceptors=[ToolSelectionInterceptor(chooser, **options)], compat=compat
    ).invoke("hi")
    return [tool.name for tool in model.prompts[0].tools]


def test_a_model_may_choose_the_tools():
    assert offered('{"tools": ["b"]}') == ["b"]
    assert offered('```json\n{"tools": ["b", "zz"]}\n```', always_include=["c"]) == ["b", "c"]
    assert offered("nonsense", always_include=["a"]) == ["a"]
    assert offered("nonsense") == ["a", "b", "c"]
    assert offered(None) == ["a", "b", "c"]
    assert offered('{"tools": ["a"]}', max_tools=3) == ["a", "b", "c"]


def test_a_cut_selection_may_cost_tools_that_were_always_to_be_there_upstream():
    answer = '{"tools": ["a", "b"]}'

    assert offered(answer, max_tools=2, always_include=["c"]) == ["a", "b"]
    assert offered(answer, "fixed", max_tools=2, always_include=["c"]) == ["a", "c"]


def test_the_order_of_a_java_hash_set():
    """Computed with java.util.HashMap's rules: single letters are their own hash."""
    assert hash_set_order(["c", "a", "b"]) == ["a", "b", "c"]
    assert hash_set_order(["q", "a", "p"]) == ["p", "q", "a"]


def test_the_list_of_things_to_do_is_kept_in_the_state():
    model = Counting(
        [asks(call("1", "write_todos", '{"todos": [{"content": "a", "status": "pending"}]}')), "x"]
    )

    state = agent(model, interceptors=[TodoListInterceptor()], system_prompt="s").invoke("hi")

    assert state["todos"] == [{"content": "a", "status": "pending", "activeForm": "a"}]
    assert model.prompts[0].messages[0].text.startswith("s\n\n")
    assert [tool.name for tool in model.prompts[0].tools] == ["write_todos"]


@pytest.mark.parametrize("todo", ['{"content": " "}', '{"content": "a", "status": "never"}'])
def test_a_todo_that_cannot_be_is_refused(todo):
    state = agent(
        [asks(call("1", "write_todos", f'{{"todos": [{todo}]}}')), "x"], interceptors=[TodoListInterceptor()]
    ).invoke("hi")

    assert state["messages"][2].content.startswith("Error: todo 1")
    assert "todos" not in state


def test_a_result_that_is_too_long_goes_to_a_file(tmp_path):
    text = "\n".join(f"line {n}" for n in range(100))
    ring = LargeResultEvictionInterceptor(token_limit=10, folder=tmp_path)

    response = ring.intercept_tool_call(REQUEST.with_(id="a/b:1"), Flaky(OK.with_(result=text)))
    again = ring.intercept_tool_call(REQUEST.with_(id="a/b:1"), Flaky(OK.with_(result=text)))
    short = ring.intercept_tool_call(REQUEST, Flaky(OK))

    assert (tmp_path / "large_tool_results" / "a_b_1").read_text() == text
    assert response.status == EVICTED
    assert "     1\tline 0" in response.result
    assert "line 10" not in response.result
    assert "could not be kept" in again.result
    assert short is OK


def files(tmp_path, *calls, **options):
    script = [asks(*(call(str(n), *row) for n, row in enumerate(calls))), "x"]
    made = agent(script, interceptors=[FilesystemInterceptor(tmp_path, **options)])
    return [r.data for r in made.invoke("hi")["messages"][2].responses]


def test_files_are_written_read_changed_and_found(tmp_path):
    rows = files(
        tmp_path,
        ("write_file", '{"path": "a/b.txt", "content": "one\\ntwo\\n"}'),
        ("edit_file", '{"path": "a/b.txt", "old": "two", "new": "zwei"}'),
        ("read_file", '{"path": "a/b.txt", "offset": 1}'),
        ("ls", "{}"),
        ("glob", '{"pattern": "**/*.txt"}'),
        ("grep", '{"pattern": "zw.i"}'),
    )

    assert rows[2:] == ["     2\tzwei", "a/", "a/b.txt", "a/b.txt:2: zwei"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", '{"path": "../secret"}'),
        ("read_file", '{"path": "link"}'),
        ("write_file", '{"path": "../../x", "content": ""}'),
        ("glob", '{"pattern": "../*"}'),
        ("ls", '{"path": ".."}'),
    ],
)
def test_nothing_outside_of_the_folder_can_be_reached(tmp_path, name, arguments):
    (tmp_path / "secret").write_text("s")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "secret")

    (row,) = files(inside, (name, arguments))

    assert row.startswith("Error: ")


def test_a_folder_may_be_for_reading_only(tmp_path):
    (row,) = files(tmp_path, ("write_file", '{"path": "x", "content": ""}'), read_only=True)

    assert "no tool" in row
    assert list(tmp_path.iterdir()) == []


async def test_rings_written_as_steps_do_the_same_in_an_async_run():
    retry, waits = silent(ModelRetryInterceptor())
    handler = Flaky(ConnectionError("connection"), of("ok"))

    response = await retry.aintercept_model(request(), handler.later)

    assert response.message.text == "ok"
    assert waits == [1.0]


async def test_a_whole_agent_runs_the_same_async():
    made = agent(
        [asks(call("1", "t")), "done"],
        tools=[Noting("t")],
        interceptors=[ToolErrorInterceptor(), TodoListInterceptor()],
    )

    assert (await made.ainvoke("hi", thread()))["messages"] == made.invoke("hi", thread())["messages"]
