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

/** How many nodes a row holds at most: longer chains go on in a row of their own. */
const LONGEST_CHAIN = 6;

for (const run of data.runs) {
  addRequests(run);
  for (const node of run.nodes) { node.children = []; node.depth = 0; node.open = false; }
  run.nodes.forEach((node, place) => {
    node.place = place;
    if (node.parent === null) return;
    run.nodes[node.parent].children.push(place);
    if (node.start === null) node.start = run.nodes[node.parent].start;
  });
  const start = (place) => run.nodes[place].start || 0;
  for (const node of run.nodes) if (node.kind === "prompt") node.children.sort((one, other) => start(one) - start(other));
  // Parents stand before their children, and requests after all of them.
  for (const node of run.nodes) joinRow(run, node);
  openSome(run);
}

/** A child without siblings shares the row of its parent: `item[0] › review a.rs › find_bugs`. Requests have rows of their own. */
function joinRow(run, node) {
  node.chain = [node.place];
  node.head = node.place;
  if (node.parent === null || node.parent === 0) return;
  const parent = run.nodes[node.parent];
  const head = run.nodes[parent.head];
  if (parent.children.length === 1 && node.kind !== "request" && head.chain.length < LONGEST_CHAIN) {
    node.head = head.place;
    head.chain.push(node.place);
  }
  node.depth = head.depth + (node.head === node.place ? 1 : 0);
}

const headOf = (node) => state.run.nodes[node.head];
const lastOf = (node) => { const { chain } = headOf(node); return state.run.nodes[chain[chain.length - 1]]; };
/** A request is shown like a node, and is none: it is counted apart. */
const isNode = (it) => it.place > 0 && it.kind !== "request";

/** The requests of a prompt, each with its answer or failure and the wait before the next. */
function requestsOf(node) {
  const requests = [];
  for (const event of node.events) {
    const [at, kind, fields] = event;
    const last = requests[requests.length - 1];
    if (kind === "model_request") requests.push({ at, request: fields, answer: null, end: null, retry: null, issues: null });
    else if (last === undefined) continue;
    else if (kind === "model_answer") { last.answer = fields; last.end = at; }
    else if (kind === "model_retry") last.retry = fields;
    else if (kind === "invalid_response") last.issues = fields;
  }
  return requests;
}

/** Makes each request of a prompt a row under it. */
function addRequests(run) {
  run.nodes.slice().forEach((prompt, parent) => {
    if (prompt.kind !== "prompt") return;
    for (const exchange of requestsOf(prompt)) {
      const { request, answer } = exchange;
      const end = exchange.end === null ? prompt.end : exchange.end;
      // Files of the first version have no answers.
      const unknown = end === null ? "running" : prompt.status;
      const status = answer === null ? unknown : answer.error ? "failed" : "completed";
      const usage = answer === null ? { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 } : answer.usage;
      run.nodes.push({
        id: null, parent, kind: "request", name: `request ${request.attempt}`, status, start: exchange.at, end,
        input: null, output: null, error: answer === null ? null : answer.error || null, model: request.model, retries: 0, usage,
        requests: 0, tokens: usage.input_tokens + usage.output_tokens, cost: null, events: [], exchange,
      });
    }
  });
}

/** The children and events of a node; an attempt that was the only one says nothing that its parent does not say. */
function onlyAttempt(node) {
  const only = node.children.length === 1 ? state.run.nodes[node.children[0]] : null;
  return only !== null && only.kind === "attempt" ? only : null;
}
function childrenShown(node) {
  const only = onlyAttempt(node);
  return only === null ? node.children : only.children;
}
function eventsShown(node) {
  const only = onlyAttempt(node);
  return only === null ? node.events : node.events.concat(only.events).sort((one, other) => one[0] - other[0]);
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
    if (node.status !== "failed" || opened > 100 || node.parent === null) continue;
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
    if (node.exchange !== undefined) for (const part of [node.exchange.request, node.exchange.answer]) parts.push(JSON.stringify(part));
    node.searched = parts.join("\n").toLowerCase();
  }
  return node.searched;
}

function isMatch(node, query) {
  // What a request holds is found with its prompt.
  if (node.kind === "request" && state.kind !== "request") return false;
  return (state.status === null || node.status === state.status) && (state.kind === null || node.kind === state.kind)
    && (query === "" || searched(node).includes(query));
}

/** Finds out again which rows there are, each by the first node in it. With a search these are what it finds and what that lies in. */
function layOut() {
  const nodes = state.run.nodes;
  let shown = null;
  state.matches = null;
  if (isFiltering()) {
    const query = state.query.toLowerCase();
    shown = new Set();
    state.matches = new Set();
    for (const node of nodes) {
      if (node.place === 0 || !isMatch(node, query)) continue;
      state.matches.add(node.place);
      for (let up = node.place; up !== null && !shown.has(up); up = nodes[up].parent) shown.add(up);
    }
  }
  const rows = [];
  const waiting = nodes[0].children.slice().reverse();
  while (waiting.length > 0) {
    const head = nodes[waiting.pop()];
    if (shown !== null && !shown.has(head.place)) continue;
    rows.push(head.place);
    const last = lastOf(head);
    if (shown !== null || last.open) {
      for (let index = last.children.length - 1; index >= 0; index -= 1) waiting.push(last.children[index]);
    }
  }
  state.rows = rows;
}
