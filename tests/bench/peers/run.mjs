// The same work in Node, by hand and with the least that keeps a tree and notifies observers: `node run.mjs WHAT COUNT`.
const [what, count] = [process.argv[2], Number(process.argv[3])];

class Node {
  constructor(parent, kind, name) {
    this.id = Node.next++;
    this.parent = parent;
    this.kind = kind;
    this.name = name;
    this.status = "running";
    this.start = Date.now();
    this.children = [];
    if (parent) parent.children.push(this);
    tell({ event: "child_attached", node: this.id, parent: parent?.id, kind, name });
    tell({ event: `${kind}_start`, node: this.id, name });
  }
  end(status) {
    this.status = status;
    this.duration = Date.now() - this.start;
    tell({ event: `${this.kind}_end`, node: this.id, status, duration: this.duration });
  }
}
Node.next = 0;

const history = [];
const observers = [];
let sequence = 0;
function tell(event) {
  event.sequence = sequence++;
  history.push(event);
  if (history.length > 1000) history.shift();
  for (const observer of observers) observer(event);
}

async function step(parent, name, body) {
  const node = new Node(parent, "step", name);
  try {
    const value = await body(node);
    node.end("completed");
    return value;
  } catch (error) {
    node.end("failed");
    throw error;
  }
}

async function task(parent, body) {
  const node = new Node(parent, "task", "task");
  const value = await body(node);
  node.end("completed");
  return value;
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const chain = (parent, n) => (n === 0 ? 0 : task(parent, async (own) => 1 + (await chain(own, n - 1))));

const root = new Node(null, "workflow", "main");
const began = process.hrtime.bigint();
if (what === "steps") for (let i = 0; i < count; i++) await step(root, "s", async () => {});
if (what === "tasks") {
  const all = await Promise.all(Array.from({ length: count }, (_, i) => task(root, async () => i)));
  if (all.length !== count) throw new Error("lost");
}
if (what === "chain") if ((await task(root, (own) => chain(own, count - 1))) < 0) throw new Error("lost");
if (what === "waiting") await Promise.all(Array.from({ length: count }, () => task(root, () => sleep(3000))));
root.end("completed");
console.log(Number(process.hrtime.bigint() - began) / 1e9, process.resourceUsage().maxRSS / 1024);
