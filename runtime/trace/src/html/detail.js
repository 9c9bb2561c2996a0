// Everything that is known of the chosen node.

function showDetail(node) {
  const panel = $("detail");
  const events = eventsShown(node);
  const parts = [make("h2", {}, node.name), pathOf(node), factsOf(node), ...errorsOf(events)];
  if (node.error !== null && !events.some((it) => it[1] === "error")) {
    parts.push(make("h3", {}, "Error"), make("div", { class: "error" }, node.error));
  }
  if (node.input !== null) parts.push(...section("Input", node.input));
  if (node.output !== null) parts.push(...section("Output", node.output));
  parts.push(...conversationOf(node), ...stateOf(events), ...logsOf(events, node), ...childrenOf(node), ...eventsOf(events, node));
  panel.replaceChildren(...parts.filter((it) => it !== null));
  panel.scrollTop = 0;
}

function pathOf(node) {
  const line = make("div", { class: "path" });
  const nodes = state.run.nodes;
  const above = [];
  for (let up = node.parent; up !== null && up !== 0; up = nodes[up].parent) above.push(up);
  const shown = above.length > 12 ? above.slice(0, 12) : above;
  if (shown.length < above.length) line.append(`… ${above.length - shown.length} more › `);
  for (const up of shown.reverse()) line.append(make("button", { onclick: () => choose(up) }, nodes[up].name), " › ");
  line.append(node.id === null ? node.kind : `${node.kind} #${node.id}`);
  return line;
}

function factsOf(node) {
  const facts = make("dl", { class: "facts" });
  const fact = (name, value) => { if (value !== "" && value !== null) facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, value))); };
  fact("Status", make("span", { class: `badge ${node.status}` }, `${SYMBOLS[node.status]} ${node.status}`));
  fact("Duration", node.end === null ? "not ended" : took(durationOf(node)));
  fact("Start", node.start === null ? "not recorded" : `+${took(node.start)}`);
  if (node.retries > 0) fact("Attempts", String(node.retries + 1));
  if (node.requests > 0) fact("Requests", count(node.requests));
  if (node.usage.input_tokens > 0) fact("Tokens in", count(node.usage.input_tokens));
  if (node.usage.output_tokens > 0) fact("Tokens out", count(node.usage.output_tokens));
  if (node.usage.cache_read_tokens > 0) fact("From cache", count(node.usage.cache_read_tokens));
  if (node.usage.input_tokens + node.usage.output_tokens === 0 && node.tokens > 0) fact("Tokens below", count(node.tokens));
  fact("Cost", money(node.cost));
  fact("Model", node.model || "");
  const { answer, retry } = node.exchange || { answer: null, retry: null };
  if (answer !== null) {
    fact("HTTP status", answer.status === undefined ? "" : String(answer.status));
    fact("First token", answer.first_token === undefined ? "" : `after ${took(answer.first_token * 1000)}`);
    fact("Stop reason", answer.stop_reason || "");
    fact("Request id", answer.request_id || "");
  }
  if (retry !== null) fact("Sent again", `in ${took(retry.delay * 1000)}`);
  return facts;
}

function errorsOf(events) {
  const parts = [];
  for (const [, kind, error] of events) {
    if (kind !== "error") continue;
    const message = String(error.message || "");
    const text = message.startsWith(String(error.error)) ? message : `${error.error}: ${message}`;
    const box = make("div", { class: "error" }, make("b", {}, text));
    for (const place of (Array.isArray(error.trace) ? error.trace : []).slice(0, 20)) {
      box.append(make("small", {}, `at ${place.file}:${place.line}:${place.column}`));
      if (place.source) box.append(make("pre", {}, place.source));
    }
    if (error.hint) box.append(make("small", {}, `hint: ${error.hint}`));
    parts.push(make("h3", {}, "Error"), box);
  }
  return parts;
}

function stateOf(events) {
  const latest = {};
  for (const [, kind, fields] of events) {
    if (kind === "state_changed") latest[fields.name] = changed(latest[fields.name], fields.path || [], fields);
    if (kind === "state_snapshot" && fields.state) Object.assign(latest, fields.state);
  }
  return Object.keys(latest).length > 0 ? section("State at the end", latest) : [];
}

// The value after a `state_changed` event, whose `path` says what part of it is new. Parts are changed in place: events are
// applied once, in order.
function changed(value, path, fields) {
  if (path.length > 0) {
    const holder = value && typeof value === "object" ? value : {};
    holder[path[0]] = changed(holder[path[0]], path.slice(1), fields);
    return holder;
  }
  if (fields.op !== "append") return structuredClone(fields.value);
  if (!Array.isArray(value)) return (value || "") + fields.value;
  for (const element of fields.value) value.push(element);
  return value;
}

function logsOf(events, node) {
  const lines = events.filter((it) => it[1] === "log");
  if (lines.length === 0) return [];
  const list = make("div");
  const add = (some) => { for (const it of some) list.append(logLine(it, node)); };
  add(lines.slice(0, 200));
  return [make("h3", {}, `Log (${count(lines.length)})`), list, moreOf(lines, 200, add)];
}

function logLine([at, , fields], node) {
  const what = make("div", { class: "what" }, make("span", { class: `level ${fields.level}` }, fields.level), fields.message);
  if (fields.data && Object.keys(fields.data).length > 0) what.append(" ", make("span", { class: "extra" }, JSON.stringify(fields.data)));
  return make("div", { class: "event" }, make("time", {}, `+${took(at - (node.start || 0))}`), what);
}

function moreOf(all, from, add) {
  if (all.length <= from) return null;
  const button = make("button", { class: "more", onclick: () => { add(all.slice(from)); button.remove(); } }, `Show ${count(all.length - from)} more`);
  return button;
}

function childrenOf(node) {
  const children = childrenShown(node);
  if (children.length === 0) return [];
  const list = make("div");
  const add = (some) => {
    for (const place of some) {
      const child = state.run.nodes[place];
      const mark = make("span", { class: `mark ${child.status}` }, SYMBOLS[child.status]);
      list.append(make("button", { class: `child k-${child.kind}`, onclick: () => choose(place) }, mark, make("span", { class: "text" }, child.name),
        make("span", { class: "tag" }, child.kind), make("span", { class: "extra" }, took(durationOf(child)))));
    }
  };
  add(children.slice(0, 50));
  return [make("h3", {}, `Children (${count(children.length)})`), list, moreOf(children, 50, add)];
}

const SHOWN_ELSEWHERE = new Set(["log"]);
function eventsOf(all, node) {
  const events = all.filter((it) => !SHOWN_ELSEWHERE.has(it[1]));
  if (events.length === 0) return [];
  const list = make("div");
  const add = (some) => { for (const it of some) list.append(eventLine(it, node)); };
  add(events.slice(0, 200));
  return [make("h3", {}, `Events (${count(events.length)})`), list, moreOf(events, 200, add)];
}

function eventLine([at, kind, fields], node) {
  const label = make("span", { class: "kind" }, kind);
  let what = make("div", { class: "what" }, label);
  if (Object.keys(fields).length > 0) {
    const whole = make("details", {}, make("summary", {}, label, brief(fields)));
    // A value is laid out when somebody looks at it.
    whole.addEventListener("toggle", () => { if (whole.open && whole.children.length === 1) whole.append(block(fields)); });
    what = make("div", { class: "what" }, whole);
  }
  return make("div", { class: "event" }, make("time", {}, `+${took(at - (node.start || 0))}`), what);
}

function brief(fields) {
  const words = Object.entries(fields).filter(([, value]) => value !== null && typeof value !== "object").map(([name, value]) => `${name} ${value}`);
  const text = words.join(", ");
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
