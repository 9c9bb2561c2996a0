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
  const row = make("div", { class: "row", role: "treeitem" }, name, tookCell, spentCell, make("div", { class: "c-bar" }, bar));
  const it = { row, twist, mark, text, tag, extra, name, tookCell, spentCell, bar, place: null };
  row.addEventListener("click", (event) => {
    if (event.target === twist) toggle(it.place);
    else choose(it.place);
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

function fill(it, index) {
  const node = state.run.nodes[state.rows[index]];
  const isOpen = node.open || isFiltering();
  const isFaded = state.matches !== null && !state.matches.has(node.place);
  it.place = node.place;
  it.row.id = `row-${node.place}`;
  it.row.className = `row ${node.status} k-${node.kind}${node.place === state.chosen ? " chosen" : ""}${isFaded ? " faded" : ""}`;
  it.row.style.top = `${index * ROW}px`;
  it.row.setAttribute("aria-level", node.depth + 1);
  it.row.setAttribute("aria-selected", node.place === state.chosen);
  if (node.children.length > 0) it.row.setAttribute("aria-expanded", isOpen);
  else it.row.removeAttribute("aria-expanded");
  it.name.style.setProperty("--depth", Math.min(node.depth, 24));
  it.twist.textContent = node.children.length === 0 ? "" : isOpen ? "▾" : "▸";
  it.mark.textContent = SYMBOLS[node.status];
  it.mark.title = node.status;
  highlight(it.text, node.name);
  it.text.title = node.name;
  it.tag.textContent = node.kind;
  it.extra.textContent = extras(node, isOpen);
  it.tookCell.textContent = took(durationOf(node));
  it.spentCell.textContent = [node.tokens > 0 ? short(node.tokens) : "", money(node.cost)].filter((text) => text !== "").join(" · ");
  place(it.bar, node);
}

function extras(node, isOpen) {
  const said = [];
  if (node.depth > 24) said.push(`level ${node.depth + 1}`);
  if (node.retries > 0) said.push(`${node.retries + 1} attempts`);
  if (!isOpen && node.children.length === 1) said.push(`› ${state.run.nodes[node.children[0]].name}`);
  else if (!isOpen && node.children.length > 0) said.push(`+${count(node.children.length)}`);
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
    scroll.setAttribute("aria-activedescendant", state.chosen === null ? "" : `row-${state.chosen}`);
  });
}

function toggle(place) {
  const node = state.run.nodes[place];
  if (node.children.length === 0 || isFiltering()) return;
  node.open = !node.open;
  layOut();
  draw();
}

/** Brings a row into view. */
function reveal(place) {
  let index = state.rows.indexOf(place);
  if (index < 0) {
    for (let up = state.run.nodes[place].parent; up !== null; up = state.run.nodes[up].parent) state.run.nodes[up].open = true;
    layOut();
    index = state.rows.indexOf(place);
  }
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
