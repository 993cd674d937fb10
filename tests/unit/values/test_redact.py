"""Secrets: found by the names of their keys wherever they stand, and deltas still fit afterwards."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookstepper.model.ids import Json
from hookstepper.values import Redactor, apply, diff, encode, same

REDACTOR = Redactor()


@pytest.mark.parametrize(
    "key",
    [
        "api_key",
        "apiKey",
        "OPENAI_API_KEY",
        "x-api-key",
        "Authorization",
        "password",
        "db_password",
        "client_secret",
        "clientSecret",
        "access_token",
        "refreshToken",
        "token",
        "aws_secret_access_key",
        "private_key",
        "Set-Cookie",
        "credentials",
    ],
)
def test_keys_that_name_a_secret_lose_their_value(key: str) -> None:
    out = REDACTOR.redact({"a": [{key: "s3cret", "other": "stays"}]})

    assert out == {"a": [{key: {"$": "redacted"}, "other": "stays"}]}


@pytest.mark.parametrize(
    "key",
    [
        "input_tokens",
        "max_tokens",
        "token_count",
        "token_usage",
        "total_tokens",
        "key",
        "author",
        "secretary_count_is_a_number",
    ],
)
def test_keys_that_only_sound_like_one_keep_theirs(key: str) -> None:
    assert REDACTOR.redact({key: 17}) == {key: 17}


def test_a_whole_object_under_a_secret_key_goes() -> None:
    assert REDACTOR.redact({"credentials": {"user": "u", "pass": ["x"]}}) == {
        "credentials": {"$": "redacted"}
    }


def test_maps_objects_and_messages_are_searched() -> None:
    value = encode({1: {"password": "s3cret"}, "token": "s3cret", "x": ("authorization", ["s3cret"])})

    assert json.dumps(REDACTOR.redact(value)).count("s3cret") == 1  # the tuple's words are no key and value


def test_secrets_in_arguments_that_are_json_text_go() -> None:
    text = '{"path": "/a", "api_key": "s3\\"cret", \'password\': \'x\'}'

    assert REDACTOR.redact(text) == '{"path": "/a", "api_key": "[redacted]", \'password\': \'[redacted]\'}'


def test_bearer_headers_in_texts_go() -> None:
    assert REDACTOR.redact("curl -H 'Authorization: Bearer abc.def-123'") == (
        "curl -H 'Authorization: Bearer [redacted]'"
    )


def test_a_value_without_secrets_is_the_same_object() -> None:
    value: Json = {"messages": [{"$": "msg", "content": "hi", "tool_calls": [{"args": {"a": "b"}}]}]}

    assert REDACTOR.redact(value) is value


def test_a_megabyte_of_quotes_is_no_trap() -> None:
    text = '"a": "' * 100_000 + "'x': '" * 100_000

    assert REDACTOR.redact(text) == text


keys = st.sampled_from(["a", "b", "token", "password", "v", "api_key"])
leaves = (
    st.none() | st.integers(0, 3) | st.sampled_from(["x", "y", "", '"token": "abc"', "Bearer abcdefghijk"])
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=4)
        | st.fixed_dictionaries(
            {
                "$": st.just("map"),
                "v": st.lists(
                    st.tuples(st.sampled_from(["token", "a", 1]), inner).map(list),
                    max_size=3,
                    unique_by=lambda row: row[0],
                ),
            }
        )
    ),
    max_leaves=15,
)


@settings(max_examples=2_000 if os.environ.get("HOOKSTEPPER_THOROUGH") else 200, deadline=None)
@given(values, values)
def test_redacted_deltas_fit_redacted_states(old: Json, new: Json) -> None:
    delta = REDACTOR.redact_delta(diff(old, new))

    assert same(apply(delta, REDACTOR.redact(old)), REDACTOR.redact(new))


@settings(max_examples=200, deadline=None)
@given(values)
def test_redacting_twice_changes_nothing_more(value: Json) -> None:
    once = REDACTOR.redact(value)

    assert same(REDACTOR.redact(once), once)
