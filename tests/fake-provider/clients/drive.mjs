// Drives the fake provider with the official Anthropic client for TypeScript: what the client accepts is the wire format.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages stand in a folder of their own, outside of the sources.
const require = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const { Anthropic, APIError } = require("@anthropic-ai/sdk");

const URL_OF_FAKE = process.env.FAKE_URL;
const MODEL = "claude-sonnet-5-5";
const ASK = { model: MODEL, max_tokens: 64, messages: [{ role: "user", content: "Say hello." }] };

async function play(...replies) {
  const answer = await fetch(`${URL_OF_FAKE}/__script`, { method: "POST", body: JSON.stringify({ replies }) });
  assert.equal(answer.status, 200, await answer.text());
}

async function recorded() {
  return (await fetch(`${URL_OF_FAKE}/__requests`)).json();
}

const client = (options = {}) => new Anthropic({ apiKey: "test-key", baseURL: URL_OF_FAKE, ...options });
const message = (content, more = {}) => ({ body: { anthropic: { content, ...more } } });
const text = (words) => ({ type: "text", text: words });
const error = (status, type, more = {}) => ({
  status,
  body: { json: { type: "error", error: { type, message: "no luck" }, request_id: "req_fake" } },
  ...more,
});

async function wholeMessage() {
  await play(message([text("Hello.")]));
  const answer = await client().messages.create(ASK);
  assert.equal(answer.content[0].text, "Hello.");
  assert.equal(answer.stop_reason, "end_turn");
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [10, 5]);
  assert.equal(answer._request_id, "req_fake");
  const headers = Object.fromEntries((await recorded())[0].headers);
  assert.equal(headers["authorization"], "Bearer test-key");
  assert.equal(headers["anthropic-version"], "2026-10-21");
}

async function streamedMessage() {
  const thought = { type: "thinking", thinking: "Let me think.", signature: "c2ln" };
  const call = { type: "tool_use", id: "t1", name: "look", input: { path: "a/b", n: [1, 2] } };
  await play(message([thought, text("Hello, wörld!"), call], { stop_reason: "tool_use" }));
  let words = "";
  const stream = client().messages.stream(ASK).on("text", (delta) => (words += delta));
  const answer = await stream.finalMessage();
  assert.equal(words, "Hello, wörld!");
  assert.equal(answer.content[0].thinking, "Let me think.");
  assert.equal(answer.content[0].signature, "c2ln");
  assert.deepEqual(answer.content[2].input, { path: "a/b", n: [1, 2] });
  assert.deepEqual([answer.stop_reason, answer.usage.output_tokens], ["tool_use", 5]);
}

async function structuredOutput() {
  await play(message([text('{"title": "off by one", "line": 3}')]));
  const schema = {
    type: "object",
    properties: { title: { type: "string" }, line: { type: "integer" } },
    required: ["title", "line"],
    additionalProperties: false,
  };
  const answer = await client().messages.create({ ...ASK, output_config: { format: { type: "json_schema", schema } } });
  assert.deepEqual(JSON.parse(answer.content[0].text), { title: "off by one", line: 3 });
  const body = JSON.parse((await recorded())[0].body);
  assert.deepEqual(body.output_config.format.schema, schema);
}

async function errors() {
  for (const [status, type] of [
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [529, "overloaded_error"],
  ]) {
    await play(error(status, type, { times: 0 }));
    await assert.rejects(client({ maxRetries: 0 }).messages.create(ASK), (raised) => {
      assert.ok(raised instanceof APIError);
      assert.equal(raised.status, status);
      assert.equal(raised.error.error.type, type);
      return true;
    });
  }
}

async function retries() {
  const headers = { "retry-after-ms": "5" };
  for (const [status, requests] of [[408, 3], [409, 3], [429, 3], [500, 3], [529, 3], [400, 1], [401, 1], [422, 1]]) {
    await play(error(status, "api_error", { headers, times: 2 }), message([text("Hello.")]));
    const outcome = client().messages.create(ASK);
    if (requests === 1) await assert.rejects(outcome);
    else await outcome;
    assert.equal((await recorded()).length, requests, `status ${status}`);
  }
  // This client retries a connection that ends before the headers, not one that ends behind them.
  await play({ body: { raw: "" } }, message([text("Hello.")]));
  assert.equal((await client().messages.create(ASK)).content[0].text, "Hello.");
  assert.equal((await recorded()).length, 2);
}

const { version } = JSON.parse(readFileSync("node_modules/@anthropic-ai/sdk/package.json", "utf8"));
for (const check of [wholeMessage, streamedMessage, structuredOutput, errors, retries]) {
  await check();
  console.log(`@anthropic-ai/sdk ${version} for TypeScript: ${check.name} ok`);
}
