// The requests of a prompt as one conversation: what was said, answered, refused and sent again.

function conversationOf(node) {
  if (node.exchange !== undefined) {
    // The row of a single request.
    return [make("h3", {}, "Request"), ...exchangeOf(node.exchange, null, null)];
  }
  const exchanges = node.kind === "prompt" ? requestsOf(node) : [];
  if (exchanges.length === 0) return [];
  const rows = node.children.filter((place) => state.run.nodes[place].kind === "request");
  const parts = [make("h3", {}, exchanges.length === 1 ? "Conversation" : `Conversation (${count(exchanges.length)} requests)`)];
  exchanges.forEach((exchange, index) => {
    const isLast = index === exchanges.length - 1;
    parts.push(...exchangeOf(exchange, rows[index], isLast ? node.output : null));
  });
  return parts;
}

/** One request, its answer, and why another follows. `output` is what came of it, for files that do not hold the answer. */
function exchangeOf({ request, answer, issues, retry, at, end }, row, output) {
  const head = make("div", { class: "asked" });
  const name = `Request ${request.attempt}`;
  head.append(row === null || row === undefined ? make("b", {}, name) : make("button", { onclick: () => choose(row) }, name), request.model);
  if (end !== null) head.append(took(end - at));
  if (answer !== null && answer.first_token !== undefined) head.append(`first token after ${took(answer.first_token * 1000)}`);
  if (answer !== null && answer.usage.input_tokens + answer.usage.output_tokens > 0) {
    head.append(`${count(answer.usage.input_tokens)} + ${count(answer.usage.output_tokens)} tokens`);
  }
  if (answer !== null && answer.stop_reason) head.append(answer.stop_reason);
  for (const child of [...head.childNodes]) if (child.nodeType === 3) child.replaceWith(make("span", {}, child.textContent));
  const parts = [head, ...offerOf(request)];
  const sent = request.request || {};
  if (sent.system) parts.push(turn("system", [sent.system]));
  for (const message of sent.messages || []) parts.push(messageOf(message));
  if (answer !== null && answer.answer) parts.push(turn("assistant", piecesOf(answer.answer)));
  else if ((answer === null || !answer.error) && output !== null) parts.push(turn("assistant", [output]));
  else if (issues !== null) parts.push(turn("assistant", [issues.response]));
  else if (answer === null) parts.push(make("div", { class: "again" }, "No answer was recorded."));
  if (answer !== null && answer.error) parts.push(make("div", { class: "error" }, answer.status ? `${answer.status}: ${answer.error}` : answer.error));
  for (const issue of issues === null ? [] : issues.issues || []) parts.push(make("div", { class: "error" }, `${issue.path}: ${issue.message}`));
  if (retry !== null) parts.push(make("div", { class: "again" }, `↻ sent again after ${took(retry.delay * 1000)}`));
  return parts;
}

/** What went to the model beside the messages, behind a click. */
function offerOf(request) {
  const parts = [];
  const add = (name, value) => {
    if (value === undefined || value === null) return;
    const whole = make("details", { class: "offer" }, make("summary", {}, name));
    whole.addEventListener("toggle", () => { if (whole.open && whole.children.length === 1) whole.append(block(value)); });
    parts.push(whole);
  };
  const tools = Array.isArray(request.tools) ? request.tools : [];
  add("Settings", request.settings);
  add(tools.length === 0 ? "Tools" : `Tools: ${tools.map((it) => it.name).join(", ")}`, request.tools);
  add("Schema of the answer", request.schema);
  return parts;
}

function messageOf(message) {
  const content = Array.isArray(message.content) ? message.content : [message.content];
  const isTool = content.length > 0 && content.every((it) => it && it.type === "tool_result");
  return turn(isTool ? "tool" : message.role, piecesOf(content));
}

/** The pieces of a message as people read them: text as it is, calls and results of tools with their names. */
function piecesOf(content) {
  if (!Array.isArray(content)) return [content];
  return content.map((it) => {
    if (it && it.type === "text") return it.text;
    if (it && it.type === "tool_use") return ["calls ", make("b", {}, it.name), block(it.input)];
    if (it && it.type === "tool_result") return [it.is_error ? "error" : "result", block(parsedOr(it.content))];
    return it;
  });
}

/** The value that a text is the JSON of, or the text. */
function parsedOr(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : text;
  } catch { return text; }
}

function turn(role, pieces) {
  const it = make("div", { class: `turn ${role}` }, make("small", {}, role));
  for (const piece of pieces) {
    if (Array.isArray(piece) && piece.some((part) => part instanceof Node)) it.append(...piece);
    else it.append(block(typeof piece === "string" ? parsedOr(piece) : piece));
  }
  return it;
}
