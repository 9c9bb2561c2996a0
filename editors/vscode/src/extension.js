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

function task(command, file, words = []) {
  const definition = { type: "gswc", command, file, arguments: words };
  const all = [command, ...(file === undefined ? [] : [file]), ...words];
  const execution = new vscode.ProcessExecution(compiler(), all);
  const made = new vscode.Task(definition, vscode.TaskScope.Workspace, all.join(" "), "gswc", execution, ["$gswc"]);
  if (command === "check" || command === "build") made.group = vscode.TaskGroup.Build;
  if (command === "test") made.group = vscode.TaskGroup.Test;
  return made;
}

const tasks = {
  provideTasks: () => ["check", "test", "build"].map((it) => task(it, "${file}")),
  resolveTask: (it) => task(it.definition.command, it.definition.file ?? "${file}", it.definition.arguments),
};

const preview = {
  provideTextDocumentContent(address) {
    const { file, name } = JSON.parse(address.query);
    return new Promise((done) => {
      const { execFile } = require("child_process");
      execFile(compiler(), ["prompt", file, name], { cwd: folderOf(file) }, (_, said, why) => done(said + why));
    });
  },
};

// The tests of a file are what its lenses name; each runs in a process of its own.
function testing(context) {
  const controller = vscode.tests.createTestController("gsw", "Groundswell");
  const known = /^\s*test\s+"((?:[^"\\]|\\.)*)"/gm;
  const look = (document) => {
    if (document.languageId !== "gsw") return;
    const text = document.getText();
    const file = controller.createTestItem(document.uri.toString(), document.uri.path.split("/").pop(), document.uri);
    for (const found of text.matchAll(known)) {
      const at = document.positionAt(found.index);
      const item = controller.createTestItem(`${document.uri}#${found[1]}`, found[1], document.uri);
      item.range = new vscode.Range(at, document.positionAt(found.index + found[0].length));
      file.children.add(item);
    }
    if (file.children.size > 0) controller.items.add(file);
    else controller.items.delete(file.id);
  };
  vscode.workspace.textDocuments.forEach(look);
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
      const { code, said } = await outcome(["test", item.uri.fsPath, "--filter", item.label], item.uri.fsPath, token);
      run.appendOutput(said.replace(/\r?\n/g, "\r\n"), undefined, item);
      if (code === 0) run.passed(item);
      else run.failed(item, new vscode.TestMessage(said));
    }
    run.end();
  }, true);
  context.subscriptions.push(
    controller,
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument((it) => look(it.document)),
  );
}

function outcome(words, file, token) {
  const { execFile } = require("child_process");
  return new Promise((done) => {
    const process = execFile(compiler(), words, { cwd: folderOf(file) }, (error, out, err) => {
      done({ code: error ? error.code ?? 1 : 0, said: out + err });
    });
    token.onCancellationRequested(() => process.kill());
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
    command("gsw.test", (at, name) => onTerminal((file) => ["test", file, "--filter", name], at)),
    command("gsw.prompt", async (at, name) => {
      const query = JSON.stringify({ file: fileOf(at), name });
      const address = vscode.Uri.from({ scheme: PREVIEW, path: `${name}.md`, query });
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(address), { preview: true });
    }),
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW, preview),
    vscode.tasks.registerTaskProvider("gswc", tasks),
    vscode.debug.registerDebugAdapterDescriptorFactory("gsw", debugging),
    vscode.debug.registerDebugConfigurationProvider("gsw", debugging),
    vscode.workspace.onDidChangeConfiguration((it) => it.affectsConfiguration("gsw.path") && restart()),
  );
  testing(context);
  runs(context);
  await start();
};

exports.deactivate = () => client?.stop();
