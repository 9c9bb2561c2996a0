// The page around tree and details: heading, filters, keys.

function showRun(run) {
  state.run = run;
  state.chosen = null;
  state.status = null;
  state.kind = null;
  $("name").textContent = data.program || data.file;
  document.title = `${data.program || data.file} · ${run.status}`;
  $("outcome").className = `badge ${run.status}`;
  $("outcome").textContent = `${SYMBOLS[run.status]} ${run.status}`;
  showFigures(run);
  showChips();
  layOut();
  unzoom();
  if (run.nodes[0].children.length === 0) $("canvas").replaceChildren(make("div", { class: "empty" }, "Nothing ran."));
  const failed = run.nodes.find((it) => it.place > 0 && it.events.some((event) => event[1] === "error"));
  const first = failed || run.nodes[run.nodes[0].children[0]];
  if (first) choose(first.place);
  else $("detail").replaceChildren();
}

function showFigures(run) {
  const { totals } = run;
  const figures = [
    ["Duration", took(run.span)],
    ["Nodes", count(totals.nodes)],
    ["Requests", totals.requests > 0 ? count(totals.requests) : ""],
    ["Tokens in", totals.usage.input_tokens > 0 ? count(totals.usage.input_tokens) : ""],
    ["Tokens out", totals.usage.output_tokens > 0 ? count(totals.usage.output_tokens) : ""],
    ["Cost", money(totals.cost_usd)],
    ["Log lines", totals.logs > 0 ? count(totals.logs) : ""],
    ["Began", run.begin.slice(0, 19).replace("T", " ")],
  ];
  $("figures").replaceChildren(...figures.filter((it) => it[1] !== "").map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function showChips() {
  const chips = (id, field, word) => {
    const counts = new Map();
    for (const node of state.run.nodes.slice(1)) {
      if (field === "status" && !isNode(node)) continue;
      counts.set(node[field], (counts.get(node[field]) || 0) + 1);
    }
    const buttons = [...counts].filter(() => counts.size > 1).map(([value, number]) => {
      const isOn = state[field] === value;
      return make("button", { class: field === "status" ? value : `k-${value}`, "aria-pressed": isOn, "data-value": value, onclick: () => { state[field] = isOn ? null : value; refilter(); } },
        make("span", { class: field === "status" ? "mark" : "tag" }, word(value)), make("b", {}, count(number)));
    });
    $(id).replaceChildren(...buttons);
  };
  chips("statuses", "status", (it) => SYMBOLS[it]);
  chips("kinds", "kind", (it) => it);
}

function refilter() {
  showChips();
  layOut();
  $("found").textContent = state.matches === null ? "" : `${count(state.matches.size)} found`;
  $("scroll").scrollTop = 0;
  if (state.matches !== null && state.matches.size > 0 && !state.matches.has(state.chosen)) {
    const row = state.run.nodes[state.rows.find((it) => state.run.nodes[it].chain.some((place) => state.matches.has(place)))];
    choose(row.chain.find((place) => state.matches.has(place)));
  } else if (state.chosen !== null) reveal(state.chosen);
  draw();
}

/** Goes to the next match, or the next row without a search, around the end. */
function next(step) {
  const at = state.rows.indexOf(rowOfChosen());
  const isWanted = (place) => state.matches === null || state.matches.has(place);
  const { chain } = state.run.nodes[rowOfChosen()];
  const rest = step > 0 ? chain.slice(chain.indexOf(state.chosen) + 1) : chain.slice(0, chain.indexOf(state.chosen)).reverse();
  const inside = state.matches === null ? undefined : rest.find(isWanted);
  if (inside !== undefined) { choose(inside); return; }
  for (let passed = 1; passed <= state.rows.length; passed += 1) {
    const row = state.run.nodes[state.rows[(at + step * passed + state.rows.length * 2) % state.rows.length]];
    const found = state.matches === null ? lastShown(row.place) : (step > 0 ? row.chain : row.chain.slice().reverse()).find(isWanted);
    if (found !== undefined) { choose(found); return; }
  }
}

const rowOfChosen = () => state.run.nodes[state.chosen].head;

function nextFailed() {
  const nodes = state.run.nodes;
  const from = state.chosen === null ? 0 : state.chosen;
  for (let passed = 1; passed <= nodes.length; passed += 1) {
    const node = nodes[(from + passed) % nodes.length];
    if (isNode(node) && node.status === "failed" && (state.matches === null || state.matches.has(node.place))) { choose(node.place); return; }
  }
}

const KEYS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  PageDown: () => move(Math.floor($("scroll").clientHeight / ROW) - 1),
  PageUp: () => move(1 - Math.floor($("scroll").clientHeight / ROW)),
  Home: () => { if (state.rows.length > 0) choose(lastShown(state.rows[0])); },
  End: () => { if (state.rows.length > 0) choose(lastShown(state.rows[state.rows.length - 1])); },
  ArrowRight: () => {
    const parts = named(headOf(state.run.nodes[state.chosen]));
    const after = parts[parts.findIndex((it) => it.place === state.chosen) + 1];
    const node = lastOf(state.run.nodes[state.chosen]);
    if (after !== undefined) choose(after.place);
    else if (node.children.length === 0) return;
    else if (node.open || isFiltering()) move(1);
    else toggle(node.place);
  },
  ArrowLeft: () => {
    const node = state.run.nodes[state.chosen];
    const last = lastOf(node);
    if (state.chosen === lastShown(node.head) && last.open && last.children.length > 0 && !isFiltering()) toggle(last.place);
    else if (node.parent !== null && node.parent !== 0) choose(node.parent);
  },
  Enter: () => toggle(state.chosen),
  n: () => next(1),
  p: () => next(-1),
  e: nextFailed,
  z: () => {
    const node = state.run.nodes[state.chosen];
    const end = node.end === null ? state.run.span : node.end;
    zoom(node.start || 0, end + (end - (node.start || 0)) * 0.02);
  },
  0: unzoom,
  t: switchTheme,
  "/": () => { $("query").focus(); $("query").select(); },
  "?": () => $("keys").showModal(),
};

function move(by) {
  const at = state.rows.indexOf(rowOfChosen());
  const index = Math.min(state.rows.length - 1, Math.max(0, at + by));
  if (state.rows.length > 0) choose(lastShown(state.rows[index]));
}

function clearFilters() {
  state.query = "";
  state.status = null;
  state.kind = null;
  $("query").value = "";
  refilter();
  $("scroll").focus();
}

document.addEventListener("keydown", (event) => {
  if ($("keys").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { clearFilters(); return; }
  if (event.target === $("query")) {
    if (event.key === "Enter" || event.key === "ArrowDown") { $("scroll").focus(); event.preventDefault(); }
    return;
  }
  const action = KEYS[event.key];
  const isButton = event.key === "Enter" && event.target instanceof HTMLButtonElement;
  if (action === undefined || isButton || event.target instanceof HTMLSelectElement) return;
  if (state.chosen === null && event.key.length > 1) return;
  event.preventDefault();
  action();
});

let typing = 0;
$("query").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { state.query = $("query").value; refilter(); }, 80);
});
$("scroll").addEventListener("scroll", draw);
$("expand").addEventListener("click", () => { for (const node of state.run.nodes) node.open = true; layOut(); draw(); });
$("collapse").addEventListener("click", () => { for (const node of state.run.nodes) node.open = node.place === 0; layOut(); draw(); });
$("unzoom").addEventListener("click", unzoom);
$("help").addEventListener("click", KEYS["?"]);
$("theme").addEventListener("click", switchTheme);
new ResizeObserver(() => { drawAxis(); draw(); }).observe($("scroll"));

const isDark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = (dark) => { document.documentElement.dataset.theme = dark ? "dark" : "light"; };
function switchTheme() { setTheme(document.documentElement.dataset.theme !== "dark"); }
isDark.addEventListener("change", (event) => setTheme(event.matches));
setTheme(isDark.matches);

$("divider").addEventListener("pointerdown", (down) => {
  const move = (event) => document.documentElement.style.setProperty("--detail", `${Math.max(300, innerWidth - event.clientX)}px`);
  const up = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", up); };
  down.preventDefault();
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
});

// A stretch of time that is drawn over fills the width.
$("ticks").addEventListener("dblclick", unzoom);
$("ticks").addEventListener("pointerdown", (down) => {
  const area = $("ticks").getBoundingClientRect();
  const at = (event) => Math.min(1, Math.max(0, (event.clientX - area.left) / area.width));
  const from = at(down);
  const band = make("div", { class: "band" });
  $("ticks").append(band);
  const move = (event) => { band.style.left = `${Math.min(from, at(event)) * 100}%`; band.style.width = `${Math.abs(at(event) - from) * 100}%`; };
  const up = (event) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    band.remove();
    const [first, last] = [Math.min(from, at(event)), Math.max(from, at(event))];
    const width = state.to - state.from;
    if (last - first > 0.01) zoom(state.from + first * width, state.from + last * width);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
});

if (data.missing.length > 0) {
  $("missing").hidden = false;
  $("missing").append("Something is missing from this file:", make("ul", {}, ...data.missing.map((it) => make("li", {}, it))));
}
$("runs").hidden = data.runs.length < 2;
data.runs.forEach((run, index) => $("runs").append(make("option", { value: index }, run.run)));
$("runs").addEventListener("change", () => showRun(data.runs[Number($("runs").value)]));
if (data.runs.length > 0) showRun(data.runs[0]);
else $("canvas").append(make("div", { class: "empty" }, "No run is in this file."));
$("scroll").focus();
