"""Drives the fake provider with the official OpenAI client for Python: chat completions and the Responses API."""

import json

import openai
from pydantic import BaseModel

from script import URL, body, play, recorded

MODEL = "gpt-5"
CHAT = {"model": MODEL, "messages": [{"role": "user", "content": "Say hello."}]}
ASK = {"model": MODEL, "input": "Say hello."}
CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "look", "arguments": '{"path": "a/b"}', "status": "completed"}


def client(**options):
    return openai.OpenAI(api_key="test-key", base_url=f"{URL}/v1", **options)


def message(words):
    part = {"type": "output_text", "text": words, "annotations": []}
    return {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [part]}


def response(*output, **more):
    return {"body": {"responses": {"output": list(output), **more}}}


def completion(**parts):
    return {"body": {"openai": parts}}


def whole_completion():
    play(completion(content="Hello."))
    answer = client().chat.completions.create(**CHAT)
    assert answer.choices[0].message.content == "Hello." and answer.choices[0].finish_reason == "stop"
    assert answer.usage.prompt_tokens == 10 and answer.usage.completion_tokens == 5
    assert dict(recorded()[0]["headers"])["authorization"] == "Bearer test-key"


def streamed_completion():
    call = {"id": "c1", "function": {"name": "look", "arguments": '{"path": "a/b"}'}}
    play(completion(content="Hello, wörld!", tool_calls=[call], finish_reason="tool_calls"))
    with client().chat.completions.stream(**CHAT, stream_options={"include_usage": True}) as stream:
        answer = stream.get_final_completion()
    said = answer.choices[0].message
    assert said.content == "Hello, wörld!", said
    assert said.tool_calls[0].function.arguments == '{"path": "a/b"}' and answer.usage.total_tokens == 15


def whole_response():
    play(response(message("Hello.")))
    answer = client().responses.create(**ASK)
    assert answer.output_text == "Hello." and answer.status == "completed" and answer.usage.total_tokens == 15
    assert recorded()[0]["path"] == "/v1/responses"


def streamed_response():
    reasoning = {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "c2VjcmV0"}
    play(response(reasoning, message("Hello, wörld!"), CALL))
    words = ""
    with client().responses.stream(**ASK) as stream:
        for event in stream:
            words += event.delta if event.type == "response.output_text.delta" else ""
        answer = stream.get_final_response()
    assert words == "Hello, wörld!" == answer.output_text, words
    assert answer.output[0].encrypted_content == "c2VjcmV0"
    assert answer.output[2].call_id == "c1" and json.loads(answer.output[2].arguments) == {"path": "a/b"}


def structured_response():
    class Bug(BaseModel):
        title: str
        line: int

    play(response(message('{"title": "off by one", "line": 3}')))
    answer = client().responses.parse(**ASK, text_format=Bug)
    assert answer.output_parsed == Bug(title="off by one", line=3), answer
    form = body()["text"]["format"]
    assert form["type"] == "json_schema" and form["strict"] is True, form


def tools_and_their_results():
    play(response(message("Done.")))
    tool = {"type": "function", "name": "look", "description": "Looks.", "parameters": {"type": "object", "properties": {}}, "strict": False}
    result = {"type": "function_call_output", "call_id": "c1", "output": "x"}
    client().responses.create(model=MODEL, input=[{"role": "user", "content": "Look."}, CALL, result], tools=[tool], store=False)
    sent = body()
    assert sent["tools"][0]["name"] == "look" and sent["input"][2]["type"] == "function_call_output", sent


def ends():
    play(response(message("x"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}))
    answer = client().responses.create(**ASK)
    assert answer.status == "incomplete" and answer.incomplete_details.reason == "max_output_tokens"
    play(response(status="failed", error={"code": "server_error", "message": "no luck"}))
    answer = client().responses.create(**ASK)
    assert answer.status == "failed" and answer.error.code == "server_error"


def errors():
    for status, expected in [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ]:
        error = {"message": "no luck", "type": "invented", "code": "invented"}
        play({"status": status, "body": {"json": {"error": error}}, "times": 0})
        try:
            client(max_retries=0).responses.create(**ASK)
        except expected as raised:
            assert raised.status_code == status and raised.code == "invented"
        else:
            raise AssertionError(f"{status} was accepted")


for check in [whole_completion, streamed_completion, whole_response, streamed_response, structured_response, tools_and_their_results, ends, errors]:
    check()
    print(f"openai {openai.__version__} for Python: {check.__name__.replace('_', ' ')} ok")
