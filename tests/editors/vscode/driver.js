// Drives the real server through the real extension, inside of VS Code: what a person would ask for, by the editor's own commands.
// Writes `N passed, N failed` and what failed to the file that GSW_DRIVER_OUT names.

const fs = require("node:fs");
const vscode = require("vscode");

const run = (name, ...words) => vscode.commands.executeCommand(name, ...words);

async function eventually(claim, find) {
  const end = Date.now() + 90000;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${claim}: not within a minute and a half`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function check(claim, holds, seen) {
  if (!holds) throw new Error(`${claim}: ${JSON.stringify(seen)}`);
}

async function drive(claims) {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, "main.gsw"));
  await vscode.window.showTextDocument(document);
  const errors = () => vscode.languages.getDiagnostics(document.uri).filter((it) => it.severity === 0);
  const at = (text, after = 0) => document.positionAt(document.getText().indexOf(text) + after);

  await claims("the file is a program", async () => check("its language", document.languageId === "gsw", document.languageId));
  await claims("a mistake is reported", async () => {
    const [report] = await eventually("a report", () => errors().length > 0 && errors());
    check("its code", (report.code?.value ?? report.code) === "unknown-name", report);
  });
  await claims("the fix of a report is an action, and mends it", async () => {
    const range = new vscode.Range(at("titel"), at("titel"));
    const actions = await run("vscode.executeCodeActionProvider", document.uri, range, "quickfix");
    check("an action", actions.length > 0 && actions[0].edit, actions);
    await vscode.workspace.applyEdit(actions[0].edit);
    check("the name is right", !document.getText().includes("titel"), document.getText());
    await eventually("no report", () => errors().length === 0);
  });
  await claims("a rename changes every use", async () => {
    const edit = await run("vscode.executeDocumentRenameProvider", document.uri, at("shout"), "louder");
    await vscode.workspace.applyEdit(edit);
    check("both", document.getText().split("louder").length === 3, document.getText());
  });
  await claims("formatting brings the one style", async () => {
    const edits = await run("vscode.executeFormatDocumentProvider", document.uri, { tabSize: 2, insertSpaces: true });
    const all = new vscode.WorkspaceEdit();
    all.set(document.uri, edits);
    await vscode.workspace.applyEdit(all);
    check("two blanks before the call", document.getText().includes("\n  louder(title)\n}"), document.getText());
  });
  await claims("completion offers the methods of a string", async () => {
    const list = await run("vscode.executeCompletionItemProvider", document.uri, at("text.upper", 5));
    const labels = list.items.map((it) => it.label.label ?? it.label);
    check("upper", labels.includes("upper"), labels);
  });
  await claims("hover says the type", async () => {
    const hovers = await run("vscode.executeHoverProvider", document.uri, at("louder"));
    const texts = hovers.flatMap((it) => it.contents.map((content) => content.value ?? content));
    check("a type", texts.some((it) => it.includes("-> string")), texts);
  });
  await claims("runs have a view", async () => {
    const commands = await vscode.commands.getCommands(true);
    check("its commands", ["gsw.runs.focus", "gsw.runs.answer"].every((it) => commands.includes(it)), commands.length);
  });
  await claims("the workflow has its lens", async () => {
    const lenses = await run("vscode.executeCodeLensProvider", document.uri, 10);
    check("run", lenses.some((it) => it.command?.command === "gsw.run"), lenses);
  });
  await claims("a name leads to what it comes to", async () => {
    const places = await run("vscode.executeImplementationProvider", document.uri, at("louder"));
    check("a place", places.length === 1, places);
  });
}

exports.activate = async () => {
  const out = process.env.GSW_DRIVER_OUT;
  if (!out) return;
  const lines = [];
  let failed = 0;
  const claims = async (claim, prove) => {
    try {
      await prove();
      lines.push(`ok ${claim}`);
    } catch (error) {
      failed += 1;
      lines.push(`FAILED ${claim}: ${error.message}`);
    }
  };
  await claims("it can be driven", () => drive(claims));
  const count = lines.length;
  lines.push(`VS Code ${vscode.version}`, `vscode: ${count - failed} passed, ${failed} failed`);
  fs.writeFileSync(`${out}.part`, `${lines.join("\n")}\n`);
  fs.renameSync(`${out}.part`, out);
};
