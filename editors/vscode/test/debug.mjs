// Drives `gswc dap` with the client that adapters of VS Code are tested with. `node test/debug.mjs [--if-available]`; GSWC names the
// compiler, else it is the one of the debug build.

import assert from "node:assert";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const gswc = process.env.GSWC ?? join(here, "../../../target/debug/gswc");

let DebugClient;
try {
  ({ DebugClient } = await import("@vscode/debugadapter-testsupport"));
  if (!existsSync(gswc)) throw new Error(`there is no ${gswc}`);
} catch (error) {
  if (!process.argv.includes("--if-available")) throw error;
  console.log(`the debugger is not driven: ${error.message}`);
  process.exit(0);
}

const program = join(mkdtempSync(join(tmpdir(), "gsw-debug-")), "main.gsw");
writeFileSync(
  program,
  `fn total(prices: [int]) -> int {
  var sum = 0
  for price in prices {
    sum += price
  }
  sum
}

workflow main(prices: [int] = [3, 4]) -> int {
  let all = total(prices)
  all * 2
}
`,
);

const client = new DebugClient(gswc, "dap", "gsw");
await client.start();

const top = async () => (await client.stackTraceRequest({ threadId: 1 })).body.stackFrames[0];
const value = async (expression) => (await client.evaluateRequest({ expression, frameId: (await top()).id })).body.result;
const stops = async (reason, ask) => {
  const [event] = await Promise.all([client.waitForEvent("stopped"), ask()]);
  assert.equal(event.body.reason, reason);
  return (await top()).line;
};

await client.initializeRequest({ adapterID: "gsw", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path" });
await Promise.all([client.waitForEvent("initialized"), client.launchRequest({ program })]);
await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line: 4 }] });
assert.equal(await stops("breakpoint", () => client.configurationDoneRequest()), 4);
assert.equal(await stops("breakpoint", () => client.continueRequest({ threadId: 1 })), 4);
assert.equal(await value("sum"), "3");
assert.equal(await stops("step", () => client.nextRequest({ threadId: 1 })), 6);
assert.equal(await stops("breakpoint", () => client.reverseContinueRequest({ threadId: 1 })), 4);
assert.equal(await value("sum"), "3");
assert.equal(await stops("step", () => client.stepBackRequest({ threadId: 1 })), 4);
assert.equal(await value("sum"), "0");
await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
await stops("pause", () => client.continueRequest({ threadId: 1 }));
await Promise.all([client.waitForEvent("terminated"), client.continueRequest({ threadId: 1 })]);
await client.stop();
console.log("the debugger stops, steps, shows and goes back");
process.exit(0);
