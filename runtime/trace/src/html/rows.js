// The rows: only those that can be seen exist as elements, so that a tree may have any number.

const ROW = 26;
const pool = [];

function newRow() {
  const twist = make("span", { class: "twist" });
  const mark = make("span", { class: "mark" });
  const text = make("span", { class: "text" });
  const tag = make("span", { class: "tag" });
  const extra = make("span", { class: "extra" });
  const name = make("div", { class: "c-name" }, twist, mark, text, tag, extra);
  const tookCell = make("div", { class: "c-took" });
  const spentCell = make("div", { class: "c-spent" });
  const bar = make("div", { class: "bar" });
  const inner = make("div", { class: "bar inner" });
  const row = make("div", { class: "row", role: "treeitem" }, name, tookCell, spentCell, make("div", { class: "c-bar" }, bar, inner));
  const it = { row, twist, mark, text, tag, extra, name, tookCell, spentCell, bar, inner, place: null };
  row.addEventListener("click", (event) => {
    const part = event.target.closest("[data-place]");
    if (event.target === twist) toggle(it.place);
    else choose(part === null ? lastShown(it.place) : Number(part.dataset.place));
  });
  row.addEventListener("dblclick", () => toggle(it.place));
  $("canvas").append(row);
  return it;
}

function highlight(element, text) {
  const query = state.query.toLowerCase();
  const at = query === "" ? -1 : text.toLowerCase().indexOf(query);
  if (at < 0) { element.textContent = text; return; }
  element.replaceChildren(text.slice(0, at), make("mark", {}, text.slice(at, at + query.length)), text.slice(at + query.length));
}

/** The nodes of a row that are named in it: an only attempt is not, unless it is what somebody looks for. */
function named(head) {
  const nodes = head.chain.map((place) => state.run.nodes[place]);
  const isWanted = (it) => it.place === state.chosen || state.kind === "attempt";
  return nodes.filter((it) => it === head || it.kind !== "attempt" || isWanted(it));
}

const lastShown = (place) => { const all = named(state.run.nodes[place]); return all[all.length - 1].place; };

function fill(it, index) {
  const node = state.run.nodes[state.rows[index]];
  const parts = named(node);
  const last = parts[parts.length - 1];
  const end = lastOf(node);
  const isOpen = end.open || isFiltering();
  const isChosen = node.chain.includes(state.chosen);
  const isFaded = state.matches !== null && !node.chain.some((place) => state.matches.has(place));
  it.place = node.place;
  it.row.id = `row-${node.place}`;
  it.row.className = `row ${node.status} k-${last.kind}${isChosen ? " chosen" : ""}${isFaded ? " faded" : ""}`;
  it.row.style.top = `${index * ROW}px`;
  it.row.setAttribute("aria-level", node.depth + 1);
  it.row.setAttribute("aria-selected", isChosen);
  if (end.children.length > 0) it.row.setAttribute("aria-expanded", isOpen);
  else it.row.removeAttribute("aria-expanded");
  it.name.style.setProperty("--depth", Math.min(node.depth, 24));
  it.twist.textContent = end.children.length === 0 ? "" : isOpen ? "▾" : "▸";
  it.mark.textContent = SYMBOLS[node.status];
  it.mark.title = node.status;
  if (parts.length === 1) highlight(it.text, node.name);
  else it.text.replaceChildren(...parts.flatMap((part, at) => (at === 0 ? [segment(part)] : [" › ", segment(part)])));
  it.text.title = parts.map((part) => part.name).join(" › ");
  it.tag.textContent = last.kind;
  it.extra.textContent = extras(node, end, isOpen);
  it.tookCell.textContent = took(durationOf(node));
  it.spentCell.textContent = [node.tokens > 0 ? short(node.tokens) : "", money(node.cost)].filter((text) => text !== "").join(" · ");
  place(it.bar, node);
  it.bar.classList.toggle("outer", last !== node);
  it.inner.hidden = true;
  if (last !== node) { place(it.inner, last); it.inner.classList.add("inner"); }
}

/** One of several nodes in a row. */
function segment(node) {
  const it = make("span", { class: `part ${node.status}${node.place === state.chosen ? " chosen" : ""}`, "data-place": node.place });
  highlight(it, node.name);
  return it;
}

function extras(node, end, isOpen) {
  const said = [];
  if (node.depth > 24) said.push(`level ${node.depth + 1}`);
  const retries = Math.max(...node.chain.map((place) => state.run.nodes[place].retries));
  if (retries > 0) said.push(`${retries + 1} attempts`);
  const failed = end.children.filter((place) => state.run.nodes[place].kind === "request" && state.run.nodes[place].status === "failed").length;
  if (failed > 0) said.push(`${failed} failed ${failed === 1 ? "request" : "requests"}`);
  if (!isOpen && end.children.length > 0) said.push(`+${count(end.children.length)}`);
  if (node.kind === "request") said.push(node.error || node.model || "");
  return said.join(" · ");
}

function place(bar, node) {
  const width = state.to - state.from;
  const start = node.start === null ? 0 : node.start;
  const end = node.end === null ? state.run.span : node.end;
  const left = ((start - state.from) / width) * 100;
  const right = ((end - state.from) / width) * 100;
  bar.hidden = right < 0 || left > 100;
  bar.className = `bar ${node.status}`;
  bar.style.left = `${Math.max(left, -1)}%`;
  bar.style.width = `${Math.min(right, 101) - Math.max(left, -1)}%`;
  bar.title = `${took(start)} to ${node.end === null ? "…" : took(end)}`;
}

let isDue = false;
/** Draws what can be seen, at most once a frame. */
function draw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    const scroll = $("scroll");
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 4);
    const last = Math.min(state.rows.length, Math.ceil((scroll.scrollTop + scroll.clientHeight) / ROW) + 4);
    $("canvas").style.height = `${state.rows.length * ROW}px`;
    while (pool.length < last - first) pool.push(newRow());
    pool.forEach((it, index) => {
      it.row.hidden = first + index >= last;
      if (!it.row.hidden) fill(it, first + index);
      else it.row.style.top = "0";
    });
    scroll.setAttribute("aria-activedescendant", state.chosen === null ? "" : `row-${state.run.nodes[state.chosen].head}`);
  });
}

function toggle(place) {
  const node = lastOf(state.run.nodes[place]);
  if (node.children.length === 0 || isFiltering()) return;
  node.open = !node.open;
  layOut();
  draw();
}

/** Brings a row into view. */
function reveal(place) {
  const { head } = state.run.nodes[place];
  let index = state.rows.indexOf(head);
  if (index < 0) {
    for (let up = state.run.nodes[place].parent; up !== null; up = state.run.nodes[up].parent) state.run.nodes[up].open = true;
    layOut();
    index = state.rows.indexOf(head);
  }
  // A filter leaves it out.
  if (index < 0) return;
  const scroll = $("scroll");
  $("canvas").style.height = `${state.rows.length * ROW}px`;
  const top = index * ROW;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  else if (top + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + ROW - scroll.clientHeight;
}

function choose(place) {
  state.chosen = place;
  reveal(place);
  draw();
  showDetail(state.run.nodes[place]);
}

/** The times above the bars. */
function drawAxis() {
  const ticks = $("ticks");
  const width = state.to - state.from;
  const wanted = Math.max(2, Math.floor(ticks.clientWidth / 90));
  const rough = width / wanted;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => it >= rough) || power;
  ticks.replaceChildren();
  for (let at = Math.ceil(state.from / step) * step; at < state.to - (width * 60) / Math.max(ticks.clientWidth, 61); at += step) {
    ticks.append(make("div", { class: "tick", style: `left:${((at - state.from) / width) * 100}%` }, took(Math.round(at * 1e6) / 1e6)));
  }
}

function zoom(from, to) {
  const least = Math.max(state.run.span * 1e-7, 1e-6);
  state.from = from;
  state.to = Math.max(to, from + least);
  $("unzoom").hidden = from === 0 && state.to >= state.run.span;
  drawAxis();
  draw();
}
const unzoom = () => zoom(0, state.run.span * 1.01 || 1);
