"""Drives the fake provider with the official Anthropic client for Python: what the client accepts is the wire format."""

import json

import anthropic
from pydantic import BaseModel

from script import URL, play, recorded

MODEL = "claude-sonnet-5-5"
ASK = {"model": MODEL, "max_tokens": 64, "messages": [{"role": "user", "content": "Say hello."}]}


def client(**options):
    return anthropic.Anthropic(api_key="test-key", base_url=URL, **options)


def message(*content, **more):
    return {"body": {"anthropic": {"content": list(content), **more}}}


def text(words):
    return {"type": "text", "text": words}


def error(status, kind, **more):
    body = {"type": "error", "error": {"type": kind, "message": "no luck"}, "request_id": "req_fake"}
    return {"status": status, "body": {"json": body}, **more}


def whole_message():
    play(message(text("Hello.")))
    answer = client().messages.create(**ASK)
    assert answer.content[0].text == "Hello." and answer.stop_reason == "end_turn"
    assert answer.usage.input_tokens == 10 and answer.usage.output_tokens == 5
    assert answer.model == MODEL and answer._request_id == "req_fake"
    headers = dict(recorded()[0]["headers"])
    assert headers["authorization"] == "Bearer test-key", headers
    assert headers["anthropic-version"] == "2026-10-21", headers


def streamed_message():
    thought = {"type": "thinking", "thinking": "Let me think.", "signature": "c2ln"}
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"path": "a/b", "n": [1, 2]}}
    play(message(thought, text("Hello, wörld!"), call, stop_reason="tool_use"))
    with client().messages.stream(**ASK) as stream:
        words = "".join(stream.text_stream)
        answer = stream.get_final_message()
    assert words == "Hello, wörld!", words
    assert answer.content[0].thinking == "Let me think." and answer.content[0].signature == "c2ln"
    assert answer.content[2].input == {"path": "a/b", "n": [1, 2]}
    assert answer.stop_reason == "tool_use" and answer.usage.output_tokens == 5
    assert json.loads(recorded()[0]["body"])["stream"] is True


def structured_output():
    class Bug(BaseModel):
        title: str
        line: int

    play(message(text('{"title": "off by one", "line": 3}')))
    answer = client().messages.parse(**ASK, output_format=Bug)
    assert answer.parsed_output == Bug(title="off by one", line=3), answer
    body = json.loads(recorded()[0]["body"])
    form = body["output_config"]["format"]
    assert form["type"] == "json_schema" and form["schema"]["additionalProperties"] is False, body


def refusal():
    details = {"type": "refusal", "category": "bio", "explanation": "Not this."}
    play(message(stop_reason="refusal", stop_details=details))
    answer = client().messages.create(**ASK)
    assert answer.stop_reason == "refusal" and answer.stop_details.explanation == "Not this."


def errors():
    for status, kind, expected in [
        (400, "invalid_request_error", anthropic.BadRequestError),
        (401, "authentication_error", anthropic.AuthenticationError),
        (403, "permission_error", anthropic.PermissionDeniedError),
        (404, "not_found_error", anthropic.NotFoundError),
        (429, "rate_limit_error", anthropic.RateLimitError),
        (500, "api_error", anthropic.InternalServerError),
        (529, "overloaded_error", anthropic.InternalServerError),
    ]:
        play(error(status, kind, times=0))
        try:
            client(max_retries=0).messages.create(**ASK)
        except expected as raised:
            assert raised.status_code == status and raised.body["error"]["type"] == kind
        else:
            raise AssertionError(f"{status} was accepted")


def retries():
    soon = {"retry-after-ms": "5"}
    for status, requests in [(408, 3), (409, 3), (429, 3), (500, 3), (529, 3), (400, 1), (401, 1), (413, 1), (422, 1)]:
        play(error(status, "api_error", headers=soon, times=2), message(text("Hello.")))
        try:
            client().messages.create(**ASK)
        except anthropic.APIStatusError as raised:
            assert requests == 1, (status, raised)
        assert len(recorded()) == requests, (status, len(recorded()))
    play(error(500, "api_error", headers={"x-should-retry": "false"}), message(text("Hello.")))
    try:
        client().messages.create(**ASK)
    except anthropic.InternalServerError:
        assert len(recorded()) == 1
    else:
        raise AssertionError("x-should-retry was not obeyed")
    play({**message(text("Hello.")), "drop_at": 0}, message(text("Hello.")))
    assert client().messages.create(**ASK).content[0].text == "Hello." and len(recorded()) == 2


for check in [whole_message, streamed_message, structured_output, refusal, errors, retries]:
    check()
    print(f"anthropic {anthropic.__version__} for Python: {check.__name__.replace('_', ' ')} ok")
