// What is shown: the runs of the file, and which rows of one are visible.

const data = JSON.parse(document.getElementById("data").textContent);
const SYMBOLS = { idle: "○", running: "◐", completed: "✓", failed: "✗", cancelled: "⊘" };
const $ = (id) => document.getElementById(id);

/** Makes an element; children are elements or text, never markup. */
function make(tag, attributes, ...children) {
  const it = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") it.className = value;
    else if (name.startsWith("on")) it.addEventListener(name.slice(2), value);
    else it.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== undefined) it.append(child);
  return it;
}

for (const run of data.runs) {
  for (const node of run.nodes) { node.children = []; node.depth = 0; node.open = false; }
  run.nodes.forEach((node, place) => {
    node.place = place;
    if (node.parent === null) return;
    run.nodes[node.parent].children.push(place);
    if (node.start === null) node.start = run.nodes[node.parent].start;
  });
  for (const node of run.nodes) skipOnlyAttempt(run, node);
  // Parents stand before their children.
  for (const node of run.nodes) if (node.parent > 0) node.depth = run.nodes[node.parent].depth + 1;
  openSome(run);
}

/** An attempt that was the only one says nothing that its parent does not say. */
function skipOnlyAttempt(run, node) {
  const only = node.children.length === 1 ? run.nodes[node.children[0]] : null;
  if (only === null || only.kind !== "attempt") return;
  only.isSkipped = true;
  node.children = only.children;
  node.events = node.events.concat(only.events).sort((one, other) => one[0] - other[0]);
  for (const place of only.children) run.nodes[place].parent = node.place;
  only.children = [];
}

/** Opens level by level while the rows fit on a screen or two, and then the way to what failed. */
function openSome(run) {
  let rows = 0;
  let level = [run.nodes[0]];
  while (level.length > 0 && rows < 120) {
    const next = [];
    for (const node of level) {
      if (rows + node.children.length > 160) continue;
      node.open = true;
      rows += node.children.length;
      for (const place of node.children) next.push(run.nodes[place]);
    }
    level = next;
  }
  let opened = 0;
  for (const node of run.nodes) {
    if (node.status !== "failed" || opened > 100) continue;
    for (let up = node.parent; up !== null && !run.nodes[up].open; up = run.nodes[up].parent) {
      run.nodes[up].open = true;
      opened += 1;
    }
  }
}

const state = { run: null, rows: [], matches: null, chosen: null, query: "", status: null, kind: null, from: 0, to: 1 };

const isFiltering = () => state.query !== "" || state.status !== null || state.kind !== null;

/** The text of a node in which a search looks, made when it is first wanted. */
function searched(node) {
  if (node.searched === undefined) {
    const parts = [node.name, node.kind, node.error || "", node.model || ""];
    for (const value of [node.input, node.output]) if (value !== null) parts.push(JSON.stringify(value));
    for (const [, , fields] of node.events) parts.push(JSON.stringify(fields));
    node.searched = parts.join("\n").toLowerCase();
  }
  return node.searched;
}

function isMatch(node, query) {
  return (state.status === null || node.status === state.status) && (state.kind === null || node.kind === state.kind)
    && (query === "" || searched(node).includes(query));
}

/** Finds out again which rows there are. With a search these are what it finds and what that lies in. */
function layOut() {
  const nodes = state.run.nodes;
  let shown = null;
  state.matches = null;
  if (isFiltering()) {
    const query = state.query.toLowerCase();
    shown = new Set();
    state.matches = new Set();
    for (const node of nodes) {
      if (node.place === 0 || node.isSkipped || !isMatch(node, query)) continue;
      state.matches.add(node.place);
      for (let up = node.place; up !== null && !shown.has(up); up = nodes[up].parent) shown.add(up);
    }
  }
  const rows = [];
  const waiting = nodes[0].children.slice().reverse();
  while (waiting.length > 0) {
    const node = nodes[waiting.pop()];
    if (shown !== null && !shown.has(node.place)) continue;
    rows.push(node.place);
    if (shown !== null || node.open) {
      for (let index = node.children.length - 1; index >= 0; index -= 1) waiting.push(node.children[index]);
    }
  }
  state.rows = rows;
}
