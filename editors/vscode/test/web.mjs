// Loads the extension as a browser does: with `vscode` and nothing of Node. `node test/web.mjs`

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
assert.equal(manifest.browser, "./out/web.js");

const vscode = {};
const require = (name) => {
  if (name === "vscode") return vscode;
  throw new Error(`there is no \`${name}\` in a browser`);
};
const module = { exports: {} };
// No `process`, no `Buffer`, no `setImmediate`: what a web worker has alone.
runInNewContext(readFileSync(join(root, "src/web.js"), "utf8"), { module, exports: module.exports, require, console });
assert.equal(typeof module.exports.activate, "function");
await module.exports.activate({ subscriptions: [] });
await module.exports.deactivate?.();
console.log("the extension loads where no program can be started");
