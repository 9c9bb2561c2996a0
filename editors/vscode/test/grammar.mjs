// The colours, by the engine that VS Code has: some lines with what they must be, and every program of the project, in which
// nothing may be illegal and nothing stay open.

import { createRequire } from "node:module";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const path = join(here, "../syntaxes/gsw.tmLanguage.json");

const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (them) => new oniguruma.OnigScanner(them),
    createOnigString: (it) => new oniguruma.OnigString(it),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(path, "utf8"), path),
});
const grammar = await registry.loadGrammar("source.gsw");
const wrong = [];

/** The tokens of a text, each with its text and its innermost scope. */
function tokens(text) {
  let stack = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const read = grammar.tokenizeLine(line, stack);
    stack = read.ruleStack;
    found.push(...read.tokens.map((it) => [line.slice(it.startIndex, it.endIndex), it.scopes.at(-1)]));
  }
  return { found, open: stack.depth > 1 };
}

// A line, and pieces of it with the scopes that they must have.
const LINES = [
  ["fn Cart.total(self, n: int = 2) -> int ! Missing { n }", "fn:storage.type", "Cart:entity.name.type", "total:entity.name.function", "self:variable.language", "int:support.type", "2:constant.numeric.integer", "->:keyword.operator.arrow", "Missing:entity.name.type"],
  ["workflow main(folder: string) -> [Reading] timeout 5m {", "workflow:storage.type", "main:entity.name.function", "timeout:keyword.other.modifier", "5m:constant.numeric.duration"],
  ['step "read ${files.map(f => "a${f}").len()}" retry 2 {', "step:keyword.control", "${:punctuation.section.interpolation.begin", "map:entity.name.function.call", "retry:keyword.other.modifier"],
  ["let step = retry + timeout", "let:storage.type", "step :source.gsw"],
  ["agent clerk { model: first_of(a), reflect: 2 }", "agent:storage.type", "clerk:entity.name.section"],
  ["  reflect: 2", "reflect:variable.other.property"],
  ["let x = map[key] ?? none // `fn`", "none:constant.language", "// `fn`:comment.line.double-slash", "??:keyword.operator"],
  ["/// Says hello.", "/// Says hello.:comment.line.documentation"],
  ['tool pay(n: int) -> string idempotent by "pay:${n}" { charge(n) }', "tool:storage.type", "idempotent:keyword.other", "by:keyword.other", "charge:entity.name.function.call"],
  ['let r = r#"no ${hole} "here" "#', 'no ${hole} "here" :string.quoted.raw'],
  ["import ./schemas.{Report, Bug as Defect}", "import:storage.type", "Report:entity.name.type"],
  ['test "it works" {', "test:storage.type"],
  ["mock agent clerk {", "mock:keyword.control", "agent:storage.type", "clerk:entity.name.section"],
  ["for x in await [a, b] { if not x.for { continue } }", "for:keyword.control", "await:keyword.control", "not:keyword.operator.word", ".for:source.gsw"],
  ["if n >= MAX_SIZE and d < 1h30m { 1.5e-3 }", "MAX_SIZE:constant.other", "1h30m:constant.numeric.duration", "1.5e-3:constant.numeric.float"],
  ['"a \\n \\q"', "\\n:constant.character.escape", "\\q:invalid.illegal.escape"],
];
for (const [line, ...wanted] of LINES) {
  const { found } = tokens(line);
  for (const piece of wanted) {
    const cut = piece.lastIndexOf(":");
    const [text, scope] = [piece.slice(0, cut), piece.slice(cut + 1)];
    const is = found.some(([it, its]) => (it === text || (scope === "source.gsw" && it.includes(text.trim()))) && its.startsWith(scope));
    if (!is) wrong.push(`${line}\n  no ${text} as ${scope} in ${JSON.stringify(found)}`);
  }
}

function* programs(folder) {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(".") || name === "target" || name === "node_modules") continue;
    const file = join(folder, name);
    if (statSync(file).isDirectory()) yield* programs(file);
    else if (name.endsWith(".gsw")) yield file;
  }
}
let count = 0;
for (const folder of ["std", "examples", "tests/conformance/run"]) {
  for (const file of programs(join(root, folder))) {
    count += 1;
    const { found, open } = tokens(readFileSync(file, "utf8"));
    const place = relative(root, file);
    if (open) wrong.push(`${place}: something stays open`);
    for (const [text, scope] of found) {
      if (scope.startsWith("invalid")) wrong.push(`${place}: ${JSON.stringify(text)} is ${scope}`);
    }
  }
}
if (count < 40) wrong.push(`only ${count} programs were found`);

if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
console.log(`${LINES.length} lines and ${count} programs have the colours that they must have`);
