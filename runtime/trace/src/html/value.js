// Values and figures as people read them.

const LONGEST = 20000;

function took(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1) return ms === 0 ? "0 ms" : `${Math.max(1, Math.floor(ms * 1000))} µs`;
  if (ms < 1000) return `${Math.floor(ms)} ms`;
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${(Math.floor(ms / 10) / 100).toFixed(2)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}
const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const short = (number) => (number < 10000 ? count(number) : number < 1e6 ? `${(number / 1e3).toFixed(1)}k` : `${(number / 1e6).toFixed(1)}M`);
function money(usd) {
  if (usd === null || usd === undefined) return "";
  if (usd === 0) return "$0";
  return usd < 0.0001 ? "<$0.0001" : usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}
const bytes = (length) => (length < 1e6 ? `${(length / 1e3).toFixed(0)} kB` : `${(length / 1e6).toFixed(1)} MB`);
const durationOf = (node) => (node.start === null || node.end === null ? null : Math.max(0, node.end - node.start));

/** A value as text: a string as it is, anything else as JSON. */
const textOf = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** JSON in colours; the text stands in text nodes, so it can hold anything. */
function colored(text) {
  const piece = document.createDocumentFragment();
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
  let done = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    piece.append(text.slice(done, found.index));
    const kind = found[2] ? "k" : found[1] ? "s" : found[3] ? "n" : "w";
    const word = found[1] || found[3] || found[4];
    piece.append(make("span", { class: kind }, word), found[2] || "");
    done = token.lastIndex;
  }
  piece.append(text.slice(done));
  return piece;
}

/** A block with a value; of a long one the beginning until more is wanted. */
function block(value) {
  const text = textOf(value);
  const isJson = typeof value !== "string";
  const pre = make("pre");
  if (text.length <= LONGEST) {
    pre.append(isJson ? colored(text) : text);
    return pre;
  }
  pre.append(text.slice(0, LONGEST) + "…");
  const more = make("button", { class: "more", onclick: () => { pre.textContent = text; more.remove(); } }, `Show all ${bytes(text.length)}`);
  const both = make("div");
  both.append(pre, more);
  return both;
}

/** A heading, a button that copies, and the value. */
function section(name, value) {
  const copy = make("button", { title: "Copy" }, "Copy");
  copy.addEventListener("click", () => {
    const done = () => { copy.textContent = "Copied"; setTimeout(() => { copy.textContent = "Copy"; }, 1200); };
    if (navigator.clipboard) navigator.clipboard.writeText(textOf(value)).then(done, () => {});
  });
  return [make("h3", {}, name, copy), block(value)];
}
