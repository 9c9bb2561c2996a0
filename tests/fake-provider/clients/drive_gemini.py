"""Drives the fake provider with the official client of the Gemini API for Python."""

from importlib.metadata import version

from google import genai
from google.genai import errors, types
from pydantic import BaseModel

from script import URL, body, play, recorded

MODEL = "gemini-2.5-flash"


# One for all: a client that nobody holds any more closes its connections.
CLIENT = genai.Client(api_key="test-key", vertexai=False, http_options=types.HttpOptions(base_url=URL))


def generation(*parts, **more):
    return {"body": {"gemini": {"parts": list(parts), **more}}}


def ask(**more):
    return CLIENT.models.generate_content(model=MODEL, contents="Say hello.", **more)


def whole_generation():
    play(generation({"text": "Hello."}))
    answer = ask()
    assert answer.text == "Hello." and answer.candidates[0].finish_reason == types.FinishReason.STOP
    assert answer.usage_metadata.prompt_token_count == 10 and answer.usage_metadata.candidates_token_count == 5
    sent = recorded()[0]
    assert sent["path"] == f"/v1/models/{MODEL}:generateContent", sent["path"]
    assert dict(sent["headers"])["x-goog-api-key"] == "test-key"


def streamed_generation():
    play(generation({"text": "Hello, wörld!"}))
    chunks = list(CLIENT.models.generate_content_stream(model=MODEL, contents="Say hello."))
    assert "".join(it.text or "" for it in chunks) == "Hello, wörld!"
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP
    assert recorded()[0]["path"] == f"/v1/models/{MODEL}:streamGenerateContent?alt=sse"


def calls_of_functions():
    play(generation({"functionCall": {"id": "f1", "name": "look", "args": {"path": "a/b"}}, "thoughtSignature": "c2ln"}))
    look = {"name": "look", "description": "Looks.", "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    answer = ask(config={"tools": [{"function_declarations": [look]}]})
    assert answer.function_calls[0].args == {"path": "a/b"} and answer.candidates[0].content.parts[0].thought_signature == b"sig"
    sent = body()["tools"][0]["functionDeclarations"][0]
    # Both spellings are one field to the service.
    assert (sent.get("parametersJsonSchema") or sent["parameters_json_schema"])["type"] == "object", sent


def structured_generation():
    class Bug(BaseModel):
        title: str
        line: int

    play(generation({"text": '{"title": "off by one", "line": 3}'}))
    schema = Bug.model_json_schema()
    answer = ask(config={"response_mime_type": "application/json", "response_json_schema": schema, "max_output_tokens": 64})
    assert Bug.model_validate_json(answer.text) == Bug(title="off by one", line=3)
    sent = body()["generationConfig"]
    assert sent["responseMimeType"] == "application/json" and sent["responseJsonSchema"] == schema, sent
    assert sent["maxOutputTokens"] == 64


def a_conversation_with_tools():
    play(generation({"text": "Done."}))
    contents = [
        types.Content(role="user", parts=[types.Part(text="Look.")]),
        types.Content(role="model", parts=[types.Part(function_call=types.FunctionCall(id="f1", name="look", args={}), thought_signature=b"sig")]),
        types.Content(role="user", parts=[types.Part(function_response=types.FunctionResponse(id="f1", name="look", response={"output": "x"}))]),
    ]
    config = types.GenerateContentConfig(system_instruction="Be brief.", thinking_config=types.ThinkingConfig(thinking_budget=1000))
    CLIENT.models.generate_content(model=MODEL, contents=contents, config=config)
    sent = body()
    assert sent["systemInstruction"]["parts"] == [{"text": "Be brief."}], sent
    assert sent["contents"][1]["parts"][0]["thoughtSignature"] == "c2ln", sent["contents"]
    assert sent["contents"][2]["parts"][0]["functionResponse"]["response"] == {"output": "x"}
    assert sent["generationConfig"]["thinkingConfig"] == {"thinkingBudget": 1000} or sent["generationConfig"]["thinkingConfig"] == {"thinking_budget": 1000}


def failures():
    for status, words, expected in [
        (400, "INVALID_ARGUMENT", errors.ClientError),
        (429, "RESOURCE_EXHAUSTED", errors.ClientError),
        (503, "UNAVAILABLE", errors.ServerError),
    ]:
        error = {"code": status, "message": "no luck", "status": words}
        play({"status": status, "body": {"json": {"error": error}}, "times": 0})
        try:
            ask()
        except expected as raised:
            assert raised.code == status and raised.status == words
        else:
            raise AssertionError(f"{status} was accepted")


for check in [whole_generation, streamed_generation, calls_of_functions, structured_generation, a_conversation_with_tools, failures]:
    check()
    print(f"google-genai {version('google-genai')} for Python: {check.__name__.replace('_', ' ')} ok")
