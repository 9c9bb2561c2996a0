// Agents that call a tool ten times each, by the AI SDK, all at once: `agents.mjs COUNT URL`. Prints how many came to the end.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages lie where they were installed, not beside this file.
const require = createRequire(`${process.env.PEERS}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { generateText, stepCountIs, tool } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { z } = await load("zod");

const [count, baseURL] = [Number(process.argv[2]), process.argv[3]];
const model = createOpenAI({ baseURL, apiKey: "x" }).chat("gpt-5");
const step = tool({
  description: "Goes one step on.",
  inputSchema: z.object({ n: z.number().int() }),
  execute: async ({ n }) => `turn-${n + 1}`,
});
const run = (n) =>
  generateText({ model, tools: { step }, stopWhen: stepCountIs(20), prompt: `Agent ${n}: go on until you are told to stop.` });
const done = await Promise.all(Array.from({ length: count }, (_, n) => run(n)));
console.log(done.filter((it) => it.text === "done").length);
