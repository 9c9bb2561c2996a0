// Drives tasks, the test explorer and requests of prompts under an editor of this file's own, with the server that the extension starts.
// `node test/extension.mjs [--if-available]`; GSWC names the compiler, else it is the one of the debug build.

import assert from "node:assert";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const gswc = process.env.GSWC ?? join(here, "../../../target/debug/gswc");
if (!existsSync(gswc) && process.argv.includes("--if-available")) {
  console.log(`the extension is not driven: there is no ${gswc}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "gsw-extension-"));
const file = join(folder, "main.gsw");
const text = `agent a { model: "sim/default" }

prompt ask(q: string) -> string by a { user "Say \${q}" }

test "say \\"hi\\"" { assert true }

test "a" { assert true }

test "ab" { assert false }

fn doc() -> string {
  """
  test "not a test" {
  """
}
`;
writeFileSync(file, text);
// One that nobody opens.
const other = join(folder, "other.gsw");
writeFileSync(other, 'test "elsewhere" { assert true }\n');

/** A client that says what this test needs, in the place of the one that is bundled. */
class LanguageClient {
  constructor(_, __, { command, args }) {
    Object.assign(this, { command, args, next: 0, asked: new Map() });
  }
  async start() {
    this.server = spawn(this.command, this.args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    let kept = Buffer.alloc(0);
    this.server.stdout.on("data", (more) => {
      kept = Buffer.concat([kept, more]);
      for (;;) {
        const head = kept.indexOf("\r\n\r\n");
        const length = Number(/Content-Length: (\d+)/i.exec(kept.subarray(0, Math.max(head, 0)))?.[1]);
        if (head < 0 || kept.length < head + 4 + length) return;
        const message = JSON.parse(kept.subarray(head + 4, head + 4 + length));
        kept = kept.subarray(head + 4 + length);
        if (message.id !== undefined && !message.method) this.asked.get(message.id)?.(message.result);
        else if (message.id !== undefined) this.send({ id: message.id, result: null });
      }
    });
    await this.sendRequest("initialize", { processId: process.pid, capabilities: {}, rootUri: `file://${folder}` });
    this.send({ method: "initialized", params: {} });
    const textDocument = { uri: `file://${file}`, languageId: "gsw", version: 1, text };
    this.send({ method: "textDocument/didOpen", params: { textDocument } });
  }
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  sendRequest(method, params) {
    const id = this.next++;
    this.send({ id, method, params });
    return new Promise((done) => this.asked.set(id, done));
  }
  async stop() {
    await this.sendRequest("shutdown");
    this.send({ method: "exit" });
  }
}

const uri = (path) => ({ fsPath: path, path, scheme: "file", toString: () => `file://${path}` });
const on = {};
const listener = (name) => (act) => (on[name] = act);
const ended = { passed: [], failed: [] };
const commands = {};
const fired = [];
let saved = 0;
let explorer, runTests, taskProvider, previews;
class EventEmitter {
  event = () => {};
  fire(it) {
    fired.push(it);
  }
  dispose() {}
}
const collection = () => {
  const held = new Map();
  return { add: (it) => held.set(it.id, it), delete: (id) => held.delete(id), forEach: (act) => held.forEach((it) => act(it)), get size() { return held.size; } };
};
const document = { languageId: "gsw", uri: uri(file), getText: () => text };
const vscode = {
  EventEmitter,
  Uri: { parse: (it) => uri(it.replace("file://", "")), file: uri, from: (it) => ({ ...it, toString: () => `${it.scheme}:${it.path}?${it.query}` }) },
  Range: class {
    constructor(line, character) {
      Object.assign(this, { line, character });
    }
  },
  Task: class {
    constructor(definition, _, name, __, execution) {
      Object.assign(this, { definition, name, execution });
    }
  },
  TaskScope: { Workspace: 1 },
  TaskGroup: { Build: 1, Test: 2 },
  ProcessExecution: class {
    constructor(process, args) {
      Object.assign(this, { process, args });
    }
  },
  TestRunProfileKind: { Run: 1 },
  TestMessage: class {},
  TreeItem: class {},
  ThemeIcon: class {},
  TreeItemCollapsibleState: {},
  workspace: {
    getConfiguration: () => ({ get: (key, otherwise) => (key === "path" ? gswc : otherwise) }),
    getWorkspaceFolder: () => undefined,
    saveAll: async () => saved++,
    textDocuments: [document],
    findFiles: async () => [uri(file), uri(other)],
    createFileSystemWatcher: () => ({ onDidCreate: listener("created"), onDidChange: listener("changed"), onDidDelete: listener("deleted") }),
    openTextDocument: async (it) => it,
    registerTextDocumentContentProvider: (_, it) => (previews = it),
    onDidChangeConfiguration: listener("configuration"),
    onDidOpenTextDocument: listener("open"),
    onDidChangeTextDocument: listener("change"),
    onDidSaveTextDocument: listener("save"),
    onDidCloseTextDocument: listener("close"),
  },
  window: {
    terminals: [],
    showTextDocument: async () => {},
    registerTreeDataProvider() {},
    onDidChangeActiveTextEditor() {},
    onDidCloseTerminal() {},
    showErrorMessage: async (it) => assert.fail(it),
  },
  tasks: { registerTaskProvider: (_, it) => (taskProvider = it), onDidEndTask() {} },
  debug: { registerDebugAdapterDescriptorFactory() {}, registerDebugConfigurationProvider() {}, onDidTerminateDebugSession() {} },
  commands: { registerCommand: (name, act) => (commands[name] = act) },
  tests: {
    createTestController: () =>
      (explorer = {
        items: collection(),
        createTestItem: (id, label, at) => ({ id, label, uri: at, children: collection() }),
        createRunProfile: (_, __, act) => (runTests = act),
        createTestRun: () => ({
          started() {},
          appendOutput() {},
          end() {},
          passed: (it) => ended.passed.push(it.label),
          failed: (it) => ended.failed.push(it.label),
        }),
      }),
  },
};

const load = Module._load;
Module._load = (name, ...more) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient };
  return load(name, ...more);
};
const extension = createRequire(import.meta.url)("../src/extension.js");
await extension.activate({ subscriptions: [] });

// An editor takes only a task that has the definition which it asked about.
for (const definition of [{ type: "gswc", command: "check" }, { type: "gswc", command: "test", file: "a.gsw", arguments: ["--live"] }]) {
  const made = taskProvider.resolveTask({ definition });
  assert.equal(made.definition, definition);
  assert.deepEqual(made.execution.args, [definition.command, definition.file ?? "${file}", ...(definition.arguments ?? [])]);
}
const { contributes } = JSON.parse(readFileSync(join(here, "../package.json"), "utf8"));
const known = contributes.taskDefinitions[0].properties.command.enum;
const provided = taskProvider.provideTasks().map((it) => it.definition.command);
assert.deepEqual(provided, ["check", "test", "build"]);
assert.ok(provided.every((it) => known.includes(it)));

// The tests are those of the program: no line of a text, and names as they are called.
const until = async (what, is) => {
  for (let tries = 0; !is(); tries++) {
    assert.ok(tries < 200, `${what} did not come`);
    await new Promise((done) => setTimeout(done, 100));
  }
};
await until("the tests", () => explorer.items.size > 1);
const tests = () => {
  const listed = [];
  explorer.items.forEach((of) => of.children.forEach((it) => listed.push([basename(of.uri.path), it.label, it.range.line])));
  return listed;
};
const own = [
  ["main.gsw", 'say "hi"', 4],
  ["main.gsw", "a", 6],
  ["main.gsw", "ab", 8],
];
assert.deepEqual(tests(), [...own, ["other.gsw", "elsewhere", 0]]);
on.deleted(uri(other));
assert.deepEqual(tests(), own);
await runTests({}, { isCancellationRequested: false, onCancellationRequested() {} });
assert.deepEqual(ended, { passed: ['say "hi"', "a"], failed: ["ab"] });

// A request is shown for a prompt that needs an argument, and made anew when the program is saved.
saved = 0;
let address;
vscode.window.showTextDocument = async (it) => (address = it);
await commands["gsw.prompt"](`file://${file}`, "ask");
assert.equal(saved, 1);
assert.match(await previews.provideTextDocumentContent(address), /Say <q>/);
writeFileSync(file, text.replace("Say", "Sing"));
on.save(document);
assert.deepEqual(fired, [address]);
assert.match(await previews.provideTextDocumentContent(address), /Sing <q>/);

await extension.deactivate();
console.log("tasks are resolved, tests found and run, and requests shown");
