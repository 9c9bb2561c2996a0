// Drives the view of runs over runs that `gswc` keeps, with an editor of this file's own. `node test/runs.mjs [--if-available]`; GSWC
// names the compiler, else it is the one of the debug build.

import assert from "node:assert";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { runsView, asJson } = createRequire(import.meta.url)("../src/runs.js");

assert.equal(asJson("yes", { type: "string" }), '"yes"');
assert.equal(asJson('"yes"', { type: "string" }), '"yes"');
assert.equal(asJson("12", { type: "string" }), '"12"');
assert.equal(asJson('{ "a": 1 }', { type: "object" }), '{"a":1}');
assert.equal(asJson("yes", { type: "object" }), undefined);

const here = dirname(fileURLToPath(import.meta.url));
const gswc = process.env.GSWC ?? join(here, "../../../target/debug/gswc");
if (!existsSync(gswc) && process.argv.includes("--if-available")) {
  console.log(`the view of runs is not driven: there is no ${gswc}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "gsw-runs-"));
const file = join(folder, "main.gsw");
writeFileSync(
  file,
  `human approve(plan: string) -> bool { user "Ship \${plan}?" }

workflow main() -> string {
  let plan = step "plan" { "friday" }
  if approve(plan) { "shipped" } else { "kept" }
}
`,
);
const env = { ...process.env, GSW_STORE: join(folder, "runs.db") };
const ask = (words) =>
  new Promise((done, failed) => {
    const asked = execFile(gswc, words, { cwd: folder, env }, (error, said, why) => (error ? failed(new Error(why || error.message)) : done(said)));
    asked.stdin.end();
  });

class TreeItem {
  constructor(label, state) {
    Object.assign(this, { label, open: state });
  }
}
const said = { terminals: [], errors: [], questions: [] };
const vscode = {
  EventEmitter: class {
    event = () => {};
    fire() {}
  },
  TreeItem,
  TreeItemCollapsibleState: { None: 0, Collapsed: 1 },
  ThemeIcon: class {
    constructor(id) {
      this.id = id;
    }
  },
  window: {
    showQuickPick: async (them, { title }) => (said.questions.push([title, them]), "true"),
    showErrorMessage: (it) => said.errors.push(it),
  },
};
const view = runsView({ vscode, ask, terminal: (words) => said.terminals.push(words), file: () => file });
const labels = async (them) => them.map((it) => view.provider.getTreeItem(it)).map((it) => `${it.label} (${it.description}) ${it.iconPath?.id}`);

assert.deepEqual(await view.provider.getChildren(), []);
await ask(["run", file]).catch(() => {});
const [run] = await view.provider.getChildren();
assert.equal(run.run.status, "parked");
const parts = await view.provider.getChildren(run);
const shown = await labels(parts);
assert.match(shown[0], /^Ship friday\? \(approve\) question$/);
assert.match(shown[1], /^main \(workflow\) sync$/);
const steps = await labels(await view.provider.getChildren(parts[1]));
assert.match(steps[0], /^plan \(step, \d+\.\d+ s, "friday"\) pass$/);
assert.match(steps[1], /^approve \(human\) sync$/);

await view.commands["gsw.runs.answer"](parts[0]);
assert.deepEqual(said.errors, []);
assert.deepEqual(said.questions, [["Ship friday?", ["true", "false"]]]);
assert.deepEqual(said.terminals, [["run", file, "runs", "resume", run.run.id]]);
assert.equal(await ask(said.terminals[0]), '"shipped"\n');
const [ended] = await view.provider.getChildren();
assert.match((await labels([ended]))[0], /\(completed\) pass$/);
const after = await labels(await view.provider.getChildren(ended));
assert.match(after[0], /^main \(workflow, \d+\.\d+ s, "shipped"\) pass$/);

writeFileSync(file, "workflow main() -> int { nothing }\n");
const [wrong] = await view.provider.getChildren();
assert.match(wrong.text, /nothing|error/);
console.log("the view of runs shows trees, asks and resumes");
