// Starts `gswc lsp`, does what its lenses name, and shows tests and runs. All that it knows of the language is in the server.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { runsView } = require("./runs");

/** @type {LanguageClient | undefined} */
let client;

const settings = () => vscode.workspace.getConfiguration("gsw");
const compiler = () => settings().get("path", "gswc");

// The document of `gsw.prompt`: what the model would be asked.
const PREVIEW = "gsw-prompt";

/** What the lenses give: the address of a file and the name of a declaration. */
const fileOf = (address) => vscode.Uri.parse(address).fsPath;

function terminal(words, folder) {
  const name = `gswc ${words[0]}`;
  const open = vscode.window.terminals.find((it) => it.name === name && it.exitStatus === undefined);
  open?.dispose();
  // Words and not a line: no shell reads names that a file chose.
  const made = vscode.window.createTerminal({ name, shellPath: compiler(), shellArgs: words, cwd: folder });
  made.show(true);
}

function folderOf(file) {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  return folder?.uri.fsPath ?? require("path").dirname(file);
}

async function onTerminal(words, address) {
  await vscode.workspace.saveAll(false);
  const file = fileOf(address);
  terminal(words(file), folderOf(file));
}

function task(definition) {
  const { command, file = "${file}", arguments: words = [] } = definition;
  const all = [command, file, ...words];
  const execution = new vscode.ProcessExecution(compiler(), all);
  // The definition itself: a task of `tasks.json` is resolved by one that has the same.
  const made = new vscode.Task(definition, vscode.TaskScope.Workspace, all.join(" "), "gswc", execution, ["$gswc"]);
  if (command === "check" || command === "build") made.group = vscode.TaskGroup.Build;
  if (command === "test") made.group = vscode.TaskGroup.Test;
  return made;
}

const tasks = {
  provideTasks: () => ["check", "test", "build"].map((command) => task({ type: "gswc", command, file: "${file}" })),
  resolveTask: (it) => task(it.definition),
};

// The request of a prompt, with examples for its parameters; made anew whenever a program is saved.
function preview(context, command) {
  const changed = new vscode.EventEmitter();
  const shown = new Map();
  const provider = {
    onDidChange: changed.event,
    async provideTextDocumentContent(address) {
      const { file, name } = JSON.parse(address.query);
      shown.set(address.toString(), address);
      const { said } = await outcome(["prompt", file, name, "--examples"], file);
      return said;
    },
  };
  context.subscriptions.push(
    changed,
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW, provider),
    vscode.workspace.onDidSaveTextDocument((it) => {
      if (it.languageId === "gsw") for (const address of shown.values()) changed.fire(address);
    }),
    vscode.workspace.onDidCloseTextDocument((it) => shown.delete(it.uri.toString())),
    command("gsw.prompt", async (at, name) => {
      // `gswc` reads what is on disk.
      await vscode.workspace.saveAll(false);
      const query = JSON.stringify({ file: fileOf(at), name });
      const address = vscode.Uri.from({ scheme: PREVIEW, path: `${name}.md`, query });
      // Of a request that is open the text may be an older one.
      if (shown.has(address.toString())) changed.fire(address);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(address), { preview: true });
    }),
  );
}

// One who types is not interrupted by a question after each key.
const PAUSE = 300;

/** The tests of a file as the server names them: what its lenses run. */
async function testsOf(uri) {
  const lenses = await client?.sendRequest("textDocument/codeLens", { textDocument: { uri: uri.toString() } });
  return (lenses ?? []).filter((it) => it.command?.command === "gsw.test");
}

// What the server leaves out as well.
const FILES = "**/*.gsw";
const OTHERS = "**/{node_modules,target,.*}/**";

// The tests of the files of the workspace, open or not; each runs in a process of its own.
function testing(context) {
  const controller = vscode.tests.createTestController("gsw", "Groundswell");
  const waiting = new Map();
  const look = async (uri) => {
    const file = controller.createTestItem(uri.toString(), uri.path.split("/").pop(), uri);
    for (const { command, range } of await testsOf(uri).catch(() => [])) {
      const name = command.arguments[1];
      const item = controller.createTestItem(`${uri}#${name}`, name, uri);
      item.range = new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
      file.children.add(item);
    }
    if (file.children.size > 0) controller.items.add(file);
    else controller.items.delete(file.id);
  };
  const later = (uri) => {
    const id = uri.toString();
    clearTimeout(waiting.get(id));
    waiting.set(id, setTimeout(() => look(uri), PAUSE));
  };
  const edited = (document) => {
    if (document.languageId === "gsw" && document.uri.scheme === "file") later(document.uri);
  };
  const gone = (uri) => {
    clearTimeout(waiting.get(uri.toString()));
    controller.items.delete(uri.toString());
  };
  const lookAtAll = async () => {
    for (const uri of await vscode.workspace.findFiles(FILES, OTHERS)) await look(uri);
  };
  controller.refreshHandler = lookAtAll;
  lookAtAll();
  vscode.workspace.textDocuments.forEach(edited);
  const watcher = vscode.workspace.createFileSystemWatcher(FILES);
  watcher.onDidCreate(later);
  watcher.onDidChange(later);
  watcher.onDidDelete(gone);
  controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, async (request, token) => {
    await vscode.workspace.saveAll(false);
    const run = controller.createTestRun(request);
    const chosen = [];
    const add = (item) => (item.children.size > 0 ? item.children.forEach(add) : chosen.push(item));
    if (request.include) request.include.forEach(add);
    else controller.items.forEach(add);
    for (const item of chosen) {
      if (token.isCancellationRequested) break;
      if (request.exclude?.includes(item)) continue;
      run.started(item);
      const { code, said } = await outcome(["test", item.uri.fsPath, "--only", item.label], item.uri.fsPath, token);
      run.appendOutput(said.replace(/\r?\n/g, "\r\n"), undefined, item);
      if (code === 0) run.passed(item);
      else run.failed(item, new vscode.TestMessage(said));
    }
    run.end();
  }, true);
  context.subscriptions.push(
    controller,
    watcher,
    vscode.workspace.onDidOpenTextDocument(edited),
    vscode.workspace.onDidChangeTextDocument((it) => edited(it.document)),
    { dispose: () => waiting.forEach((it) => clearTimeout(it)) },
  );
}

function outcome(words, file, token) {
  const { execFile } = require("child_process");
  return new Promise((done) => {
    const process = execFile(compiler(), words, { cwd: folderOf(file) }, (error, out, err) => {
      done({ code: error ? (error.code ?? 1) : 0, said: out + err });
    });
    token?.onCancellationRequested(() => process.kill());
  });
}

// F5 without a `launch.json` debugs the open file.
const debugging = {
  createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(compiler(), ["dap"]),
  resolveDebugConfiguration(folder, it) {
    const open = vscode.window.activeTextEditor?.document;
    if (!it.type && open?.languageId === "gsw") return { type: "gsw", request: "launch", name: "Debug", program: open.uri.fsPath };
    return { cwd: folder?.uri.fsPath, ...it };
  },
};

// The runs of the program that was looked at last.
function runs(context) {
  let file;
  const look = (editor) => {
    const document = editor?.document;
    if (document?.languageId !== "gsw" || document.uri.scheme !== "file" || document.uri.fsPath === file) return;
    file = document.uri.fsPath;
    view.refresh();
  };
  const ask = (words, of) =>
    new Promise((done, failed) => {
      const { execFile } = require("child_process");
      execFile(compiler(), words, { cwd: folderOf(of), maxBuffer: 1 << 28 }, (error, said, why) => (error ? failed(new Error(why || error.message)) : done(said)));
    });
  const view = runsView({ vscode, ask, terminal: (words, of) => terminal(words, folderOf(of)), file: () => file });
  look(vscode.window.activeTextEditor);
  context.subscriptions.push(
    vscode.window.registerTreeDataProvider("gsw.runs", view.provider),
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.window.onDidCloseTerminal(view.refresh),
    vscode.tasks.onDidEndTask(view.refresh),
    vscode.debug.onDidTerminateDebugSession(view.refresh),
    ...Object.entries(view.commands).map(([name, act]) => vscode.commands.registerCommand(name, act)),
  );
}

async function start() {
  const server = { command: compiler(), args: ["lsp"] };
  client = new LanguageClient("gsw", "Groundswell", server, {
    // Not what other schemes show, as the old side of a comparison: it has no files beside it.
    documentSelector: [
      { scheme: "file", language: "gsw" },
      { scheme: "untitled", language: "gsw" },
      { scheme: "file", pattern: "**/gsw.toml" },
    ],
    initializationOptions: { inlayHints: settings().get("inlayHints") },
    synchronize: { configurationSection: "gsw" },
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const choice = await vscode.window.showErrorMessage(
      `\`${compiler()} lsp\` cannot be started: ${error.message ?? error}. Is gswc installed?`,
      "Set its path",
    );
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "gsw.path");
  }
}

async function restart() {
  await client?.stop();
  await start();
}

exports.activate = async (context) => {
  const command = (name, act) => vscode.commands.registerCommand(name, act);
  context.subscriptions.push(
    command("gsw.restart", restart),
    command("gsw.run", (at, name) => onTerminal((file) => ["run", file, name], at)),
    command("gsw.test", (at, name) => onTerminal((file) => ["test", file, "--only", name], at)),
    vscode.tasks.registerTaskProvider("gswc", tasks),
    vscode.debug.registerDebugAdapterDescriptorFactory("gsw", debugging),
    vscode.debug.registerDebugConfigurationProvider("gsw", debugging),
    vscode.workspace.onDidChangeConfiguration((it) => it.affectsConfiguration("gsw.path") && restart()),
  );
  preview(context, command);
  runs(context);
  await start();
  // The server hears of a document before it is asked about its tests.
  testing(context);
};

exports.deactivate = () => client?.stop();
