// The view of runs: those that are kept of the program in the editor, each as a tree, with the questions that wait for an answer.

/** What `gswc` has said of a run, as `runs show --json` gives it: its nodes by who started them. */
function treeOf(events) {
  const nodes = new Map();
  const root = [];
  for (const event of events) {
    if (event.event === "child_attached") {
      const node = { name: event.name, kind: event.kind, status: event.status, input: event.input, children: [] };
      nodes.set(event.node, node);
      (nodes.get(event.parent)?.children ?? root).push(node);
      continue;
    }
    const node = nodes.get(event.node);
    if (!node || event.status === undefined) continue;
    node.status = event.status;
    for (const part of ["duration", "output", "error"]) if (event[part] !== undefined) node[part] = event[part];
  }
  return root;
}

const ICONS = {
  completed: "pass",
  failed: "error",
  cancelled: "circle-slash",
  running: "sync",
  waiting: "question",
  parked: "debug-pause",
  interrupted: "debug-disconnect",
  diverged: "warning",
};

const short = (value) => {
  const text = JSON.stringify(value) ?? "";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** What may be chosen where a question has few answers, by its JSON Schema. */
function choices(schema) {
  if (schema?.type === "boolean") return ["true", "false"];
  if (Array.isArray(schema?.enum)) return schema.enum.map((it) => JSON.stringify(it));
  return undefined;
}

/** The answer as JSON: text of a question for a text needs no quotation marks. */
function asJson(text, schema) {
  try {
    const value = JSON.parse(text);
    if (schema?.type !== "string" || typeof value === "string") return JSON.stringify(value);
  } catch {
    if (schema?.type !== "string") return undefined;
  }
  return JSON.stringify(text);
}

/**
 * The view and its commands. `host` has `vscode`, `ask(words, file)`, which gives what `gswc` writes, `terminal(words, file)`, and
 * `file()`, the program whose runs are shown.
 */
function runsView(host) {
  const { vscode, ask, terminal } = host;
  const changed = new vscode.EventEmitter();
  const refresh = () => changed.fire(undefined);
  const words = (file, ...more) => ["run", file, "runs", ...more];
  const json = async (file, ...more) => JSON.parse(await ask([...words(file, ...more), "--", "--json"], file));

  const item = (label, children, description, icon, tooltip) => {
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const made = new vscode.TreeItem(label, children ? Collapsed : None);
    Object.assign(made, { description, tooltip, iconPath: icon && new vscode.ThemeIcon(icon) });
    return made;
  };

  const shown = {
    run: ({ run }) => {
      const said = [run.status, run.waits_for && `waits for ${run.waits_for}`, run.cost_usd && `$${run.cost_usd.toFixed(4)}`];
      const time = new Date(run.started).toLocaleString();
      const made = item(`${run.workflow} ${run.id.slice(0, 8)}`, true, said.filter(Boolean).join(", "), ICONS[run.status], `${run.id}, ${time}`);
      made.contextValue = `gsw-run-${run.status}`;
      return made;
    },
    question: (of) => {
      const made = item(of.question.text, false, of.question.human, "question", "Answer this question");
      made.contextValue = "gsw-question";
      made.command = { command: "gsw.runs.answer", title: "Answer", arguments: [of] };
      return made;
    },
    node: ({ node }) => {
      const time = node.duration === undefined ? undefined : `${node.duration.toFixed(2)} s`;
      const what = node.error !== undefined ? short(node.error) : node.output !== undefined ? short(node.output) : undefined;
      const description = [node.kind, time, what].filter(Boolean).join(", ");
      return item(node.name, node.children.length > 0, description, ICONS[node.status], node.input && short(node.input));
    },
    message: ({ text }) => item(text, false, undefined, "info"),
  };

  const provider = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (of) => shown[of.type](of),
    async getChildren(of) {
      try {
        if (of === undefined) {
          const file = host.file();
          if (!file) return [];
          const runs = await json(file);
          return runs.map((run) => ({ type: "run", file, run }));
        }
        if (of.type === "node") return of.node.children.map((node) => ({ type: "node", node }));
        if (of.type !== "run") return [];
        const { open, events } = await json(of.file, "show", of.run.id);
        const asked = open.filter((it) => it.question && it.state === "asks");
        return [
          ...asked.map((it) => ({ type: "question", file: of.file, run: of.run, question: it.question })),
          ...treeOf(events).map((node) => ({ type: "node", node })),
        ];
      } catch (error) {
        return [{ type: "message", text: String(error.message ?? error).split("\n")[0] }];
      }
    },
  };
  async function answer({ file, run, question }) {
    const { text, schema, human } = question;
    const few = choices(schema);
    const said = few
      ? await vscode.window.showQuickPick(few, { title: text })
      : await vscode.window.showInputBox({
          title: text,
          prompt: schema?.type === "string" ? undefined : "As JSON",
          validateInput: (it) => (asJson(it, schema) === undefined ? "this is not JSON" : undefined),
        });
    const given = said === undefined ? undefined : asJson(said, schema);
    if (given === undefined) return;
    try {
      await ask(words(file, "answer", run.id, human, given), file);
    } catch (error) {
      vscode.window.showErrorMessage(String(error.message ?? error));
      return;
    }
    // Nobody carries a run that is parked.
    if (run.status === "parked" || run.status === "interrupted") resume({ file, run });
    refresh();
  }

  function resume({ file, run }) {
    terminal(words(file, "resume", run.id), file);
  }

  async function cancel({ file, run }) {
    const sure = await vscode.window.showWarningMessage(`Cancel the run ${run.id.slice(0, 8)} of ${run.workflow}?`, { modal: true }, "Cancel the run");
    if (!sure) return;
    await ask(words(file, "cancel", run.id), file).catch((error) => vscode.window.showErrorMessage(String(error.message ?? error)));
    refresh();
  }

  function debug({ file, run }) {
    return vscode.debug.startDebugging(undefined, { type: "gsw", request: "launch", name: run.id, program: file, run: run.id });
  }

  return { provider, refresh, commands: { "gsw.runs.refresh": refresh, "gsw.runs.answer": answer, "gsw.runs.resume": resume, "gsw.runs.cancel": cancel, "gsw.runs.debug": debug } };
}

module.exports = { runsView, treeOf, asJson };
