"""The door of a program that listens: strangers and broken clients get nowhere, and the program goes on."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hookstepper
from hookstepper.agent import ReactAgent, ScriptedModel
from hookstepper.host import door
from hookstepper.launch.attaching import attach, listening, meant
from hookstepper.listening import Listening
from hookstepper.model.errors import HookstepperError, NotPossibleError, UsageError, WireError
from hookstepper.wire.connection import PROTOCOL, Connection, Reply
from hookstepper.wire.endpoints import TOKEN, connect_to, parse_endpoint, read_advert, runtime_folder
from hookstepper.wire.frames import pack
from support.visiting import Visitor

THOROUGH = 20 if os.environ.get("HOOKSTEPPER_THOROUGH") else 1


def an_agent() -> ReactAgent:
    return ReactAgent("agent", ScriptedModel(["done"], per_turn=True))


@pytest.fixture(params=["unix", "tcp"])
def program(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An agent, and the place at which its program listens."""
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    agent = an_agent()
    place = f"unix:{tmp_path}/x.sock" if request.param == "unix" else "tcp:127.0.0.1:0"
    with hookstepper.listen(agent, place) as made:
        yield agent, made


def stranger(made: Listening) -> socket.socket:
    """Somebody who has connected, and can wait as long as a test may last."""
    sock = connect_to(parse_endpoint(made.endpoint))
    sock.settimeout(60)
    return sock


def is_closed(sock: socket.socket) -> bool:
    """Wait for the end of what the program says, and that it says nothing."""
    try:
        return sock.recv(1) == b""
    except ConnectionError:
        return True


def still_works(program: Any) -> None:
    """The program runs, and a real client is let in."""
    agent, made = program
    assert agent.call("hi").text == "done"
    visitor = Visitor(made.endpoint)
    visitor.until(lambda view: view.phase == "ended")
    visitor.leave()


def wait_gone(made: Listening) -> None:
    """Until the program knows that its client is gone."""
    deadline = time.monotonic() + 60
    while made.attached:
        assert time.monotonic() < deadline


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def hello(token: str = "", **more: Any) -> bytes:
    params = {"protocol": list(PROTOCOL), "token": token, **more}
    return pack({"t": "q", "seq": 1, "m": "hello", "p": params})


ABSURD: dict[str, bytes] = {
    "an HTTP request": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a POST request": b"POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd",
    "a header of 4 GiB": struct.pack(">I", 0xFFFFFFFF),
    "more than a stranger may send": struct.pack(">I", door.FIRST_FRAME + 1),
    "bad UTF-8": frame(b'{"t":"q","seq":1,"m":"hello","p":{"token":"\xff\xfe"}}'),
    "a nest of lists": frame(b"[" * 30_000 + b"]" * 30_000),
    "an empty frame": frame(b""),
    "no object": frame(b"[1, 2]"),
    "no token": frame(b'{"t":"q","seq":1,"m":"hello","p":{"protocol":[1,0]}}'),
    "params that are a list": frame(b'{"t":"q","seq":1,"m":"hello","p":[]}'),
    "a command first": frame(b'{"t":"q","seq":1,"m":"command","p":{"t":"pause"}}'),
    "an event first": frame(b'{"t":"e","seq":1,"m":"event","p":{}}'),
    "a wrong token": hello(secrets.token_urlsafe(32)),
    "a token of lone surrogates": hello("\ud800"),
    "a token that is no text": frame(b'{"t":"q","seq":1,"m":"hello","p":{"token":{"a":1}}}'),
}


@pytest.mark.parametrize("what", ABSURD)
def test_a_stranger_is_let_go_without_a_word(what: str, program: Any) -> None:
    _, made = program
    with stranger(made) as sock:
        sock.sendall(ABSURD[what])

        assert is_closed(sock)
    still_works(program)


def test_a_stranger_that_says_nothing_is_let_go(program: Any) -> None:
    with stranger(program[1]) as sock:
        assert is_closed(sock)
    still_works(program)


def test_many_strangers_do_not_keep_a_client_out_for_long(program: Any) -> None:
    _, made = program
    crowd = [stranger(made) for _ in range(3 * door.STRANGERS)]
    for sock in crowd:
        with sock:
            assert is_closed(sock)

    still_works(program)


def inside(made: Listening) -> socket.socket:
    """Somebody with the token, who has opened; from here on anything goes."""
    sock = attach(made.endpoint, os.environ).sock
    Connection(sock).request("open", {})
    return sock


@pytest.mark.parametrize("nest", [b"[" * 8_000_000 + b"]" * 8_000_000, b"[" + b"[]," * 5_000_000 + b"[]]"])
def test_sixteen_megabytes_of_lists_end_the_conversation_and_not_the_program(
    nest: bytes, program: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    with inside(program[1]) as sock:
        sock.sendall(frame(nest))
        while sock.recv(1 << 16):
            pass

    assert "hookstepper:" in capfd.readouterr().err
    still_works(program)


@pytest.mark.parametrize("what", ["an HTTP request", "a header of 4 GiB", "bad UTF-8", "no object"])
def test_nonsense_from_inside_ends_the_conversation_and_not_the_program(what: str, program: Any) -> None:
    with inside(program[1]) as sock:
        sock.sendall(ABSURD[what])
        while sock.recv(1 << 16):
            pass
    still_works(program)


def test_a_client_that_does_not_read_is_let_go_and_the_run_goes_on(
    program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "PATIENCE_S", 1)
    agent, made = program
    with inside(made):
        for _ in range(20):
            assert agent.call("x" * 1_000_000).text == "done"

        wait_gone(made)
    still_works(program)


def test_frames_may_come_in_single_bytes(program: Any) -> None:
    _, made = program
    advert = meant(made.endpoint, os.environ)
    with stranger(made) as sock:
        for byte in hello(advert.token):
            sock.sendall(bytes([byte]))
        answer = Connection(sock).receive()

    assert isinstance(answer, Reply)
    assert answer.error is None


REQUESTS = st.fixed_dictionaries(
    {
        "t": st.sampled_from(["q", "r", "e", "z", "", None, 1]),
        "seq": st.one_of(st.integers(), st.none(), st.text(max_size=3)),
        "m": st.sampled_from(["command", "where", "ping", "open", "hello", "nothing", "", 3]),
        "p": st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["t", "breakpoints", "answers", "node", "path", "value", "id"]),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=8,
        )
        | st.fixed_dictionaries(
            {"t": st.sampled_from(["pause", "next", "continue", "abort", "undo", "fork"])}
        ),
    }
)


@settings(
    max_examples=30 * THOROUGH, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(messages=st.lists(REQUESTS | st.binary(max_size=40), max_size=6), tail=st.binary(max_size=30))
def test_any_messages_from_inside_leave_the_program_running(program: Any, messages: Any, tail: bytes) -> None:
    """Random requests and bytes, whole and cut: the host answers, refuses or ends the conversation."""
    agent, made = program
    with inside_once_free(made) as sock:
        for message in messages:
            data = frame(message if isinstance(message, bytes) else json.dumps(message).encode())
            if not sent(sock, data):
                break
        sent(sock, tail)
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)
        while received(sock):
            pass

    assert agent.call("hi").text == "done"


def sent(sock: socket.socket, data: bytes) -> bool:
    try:
        sock.sendall(data)
    except OSError:
        return False
    return True


def received(sock: socket.socket) -> bytes:
    try:
        return sock.recv(1 << 16)
    except ConnectionError:
        return b""


def inside_once_free(made: Listening) -> socket.socket:
    """The same as `inside`, after the client before has been seen to be gone."""
    while True:
        try:
            return inside(made)
        except NotPossibleError as error:
            assert "another debugger" in error.message


# ------------------------------------------------------------------------------ finding a program


def test_a_program_is_found_by_its_process_and_alone_without_any_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    with pytest.raises(UsageError, match="no program of yours listens"):
        meant("", os.environ)
    with hookstepper.listen(an_agent()) as one:
        assert meant("", os.environ).endpoint == one.endpoint
        assert meant(str(os.getpid()), os.environ).endpoint == one.endpoint
        with hookstepper.listen(an_agent(), "tcp:127.0.0.1:0") as two:
            with pytest.raises(UsageError, match="several"):
                meant("", os.environ)
            assert {advert.endpoint for advert in listening(os.environ)} == {one.endpoint, two.endpoint}
    assert listening(os.environ) == ()


def test_what_a_killed_program_left_is_cleared_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    child = os.fork()
    if child == 0:
        hookstepper.listen(an_agent())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    folder = runtime_folder(os.environ)
    assert len(list(folder.iterdir())) == 2

    assert listening(os.environ) == ()
    assert list(folder.iterdir()) == []


def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hookstepper").mkdir(mode=0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))

    with pytest.raises(NotPossibleError, match="not private"):
        hookstepper.listen(an_agent())


def test_a_wrong_token_and_no_token_are_told_to_the_person(program: Any, monkeypatch: Any) -> None:
    _, made = program
    file = next(p for p in _adverts(made) if read_advert(p) is not None)
    file.unlink()

    with pytest.raises(UsageError, match="no token"):
        attach(made.endpoint, os.environ)
    monkeypatch.setenv(TOKEN, "wrong")
    with pytest.raises(NotPossibleError, match="did not let us in"):
        attach(made.endpoint, os.environ)


def _adverts(made: Listening) -> list[Path]:
    place = parse_endpoint(made.endpoint)
    folder = Path(place.path).parent if place.path else runtime_folder(os.environ)
    return list(folder.glob("*.json"))


def test_nobody_there_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "x")

    with pytest.raises(NotPossibleError, match="nobody listens"):
        attach(f"unix:{tmp_path}/none.sock", os.environ)


@given(st.binary(min_size=1, max_size=60))
@settings(max_examples=40 * THOROUGH, deadline=None)
def test_whatever_answers_at_a_place_is_an_error_of_ours_and_no_crash(noise: bytes) -> None:
    """A client that attaches to something else, or to something broken."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = {TOKEN: "x", "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "")}
        client = _Attaching(f"tcp:127.0.0.1:{server.getsockname()[1]}", environment)
        peer, _ = server.accept()
        with peer:
            peer.sendall(noise)
            peer.shutdown(socket.SHUT_WR)
            outcome = client.outcome()

    assert isinstance(outcome, HookstepperError | WireError)


class _Attaching:
    """`attach` on a thread of its own."""

    def __init__(self, endpoint: str, environment: dict[str, str]) -> None:
        import queue
        import threading

        self._end: queue.SimpleQueue[object] = queue.SimpleQueue()

        def run(give: Callable[[object], None]) -> None:
            try:
                give(attach(endpoint, environment))
            except BaseException as error:
                give(error)

        threading.Thread(target=run, args=(self._end.put,), daemon=True).start()

    def outcome(self) -> object:
        return self._end.get(timeout=60)
