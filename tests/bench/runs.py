"""Measures runs: steps, tasks, waiting, prompts, each beside Node, Python, BAML or a bare loop. Called by `run.py`."""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "target" / "release"
PEERS = Path(__file__).resolve().parent / "peers"

STEPS = 'workflow main(n: int) -> int {\n  for i in 0..n { step "s" { } }\n  n\n}\n'
NAMED = 'workflow main(n: int) -> int {\n  for i in 0..n { step "s ${i}" { } }\n  n\n}\n'
TASKS = "workflow main(n: int) -> int {\n  let tasks = (0..n).map(i => spawn { i })\n  (await tasks).len()\n}\n"
CHAIN = "fn chain(n: int) -> int { if n == 0 { 0 } else { 1 + await spawn chain(n - 1) } }\nworkflow main(n: int) -> int { chain(n) }\n"
WAITING = "workflow main(n: int) -> int {\n  let done = parallel for _ in 0..n { sleep(3s); 1 }\n  done.len()\n}\n"
STATE = "workflow main(n: int) -> int {\n  state xs: [int] = []\n  for i in 0..n { xs += [i] }\n  xs.len()\n}\n"
PROMPTS = """agent speaker { model: "openai/gpt-5" retry: 3 }
prompt say(n: int) -> string by speaker { user "Say ${n}." }
workflow main(n: int) -> int {
  let said = parallel for i in 0..n { say(i) }
  said.len()
}
"""

SERVERS = """mcp adds = stdio("BARE", ["serve"])
workflow main(n: int) -> int {
  var sum = 0
  for i in 0..n {
    let said = adds.call("add", { "a": i, "b": 1 })
    sum += said["result"] as int
  }
  sum
}
"""


# The same with an answer that has a schema of some size.
TYPED = PROMPTS.replace("-> string by speaker", "-> Found by speaker") + """
type Address { street: string, city: string, zip: string }
type Person { name: string, age: int where it >= 0, addresses: [Address], note: string? }
type Found { people: [Person], confidence: float where it >= 0.0 and it <= 1.0 }
"""


def build(work, name, source):
    (work / f"{name}.gsw").write_text(source)
    subprocess.run([RELEASE / "gswc", "build", work / f"{name}.gsw", "-o", work / name], check=True)
    return work / name


def timed(command, times=3, env=None):
    """Median seconds and the highest peak of resident memory in MB."""
    seconds, megabytes, _ = used(command, times, env)
    return seconds, megabytes


def used(command, times=3, env=None):
    """As `timed`, and the median seconds of processor time."""
    taken, peaks, processor = [], [], []
    for _ in range(times):
        start = time.perf_counter()
        child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        _, status, usage = os.wait4(child.pid, 0)
        taken.append(time.perf_counter() - start)
        peaks.append(usage.ru_maxrss / 1024)
        processor.append(usage.ru_utime + usage.ru_stime)
        if status != 0:
            raise SystemExit(f"{command}: status {status}")
    return statistics.median(taken), max(peaks), statistics.median(processor)


def baml():
    """A Python that has BAML's bridge, installed at first use; None where that cannot be done."""
    home = ROOT / "target" / "bench-baml"
    python = home / "bin" / "python"
    if not python.exists():
        venv = subprocess.run([sys.executable, "-m", "venv", home], capture_output=True)
        if venv.returncode != 0:
            return None
    install = [python, "-m", "pip", "install", "-q", "baml-bridge==0.23.0"]
    return python if subprocess.run(install, capture_output=True).returncode == 0 else None


def peer(command):
    """Seconds and MB that a peer prints, or None where it is not there or does not come through."""
    if not shutil.which(str(command[0])):
        return None, None
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        return None, None
    seconds, megabytes = done.stdout.split()[:2]
    return float(seconds), float(megabytes)


def steps(work, row):
    program = build(work, "steps", STEPS)
    base, _ = timed([program, "--quiet", "--n", 0])
    for count in (1_000, 10_000, 100_000, 1_000_000):
        seconds, _ = timed([program, "--quiet", "--n", count])
        node, _ = peer(["node", PEERS / "run.mjs", "steps", count])
        row(f"an empty step, {count:,} of them: each", (seconds - base) / count * 1e6, "µs", "< 1 µs", "node by hand", node and node / count * 1e6)
    python, _ = peer([sys.executable, PEERS / "run.py", "steps", 100_000])
    seconds, _ = timed([program, "--quiet", "--n", 100_000])
    row("an empty step, 100,000 of them: each", (seconds - base) / 1e5 * 1e6, "µs", "< 1 µs", "python by hand", python and python / 1e5 * 1e6)
    named = build(work, "named", NAMED)
    seconds, _ = timed([named, "--quiet", "--n", 1_000_000])
    row("the same, each of another name: each", (seconds - base) / 1e6 * 1e6, "µs")
    for count in (10_000, 100_000, 1_000_000):
        seconds, _ = timed([program, "--events", work / "events.jsonl", "--n", count])
        row(f"a step with all observers on, {count:,} of them: each", (seconds - base) / count * 1e6, "µs", "< 3 µs")
    lines = sum(1 for _ in open(work / "events.jsonl", "rb"))
    print(f"lines of events for the last of these: {lines:,}", file=sys.stderr)
    (work / "events.jsonl").unlink()


def tasks(work, row):
    program = build(work, "tasks", TASKS)
    million = 1_000_000
    seconds, megabytes = timed([program, "--quiet", "--n", million])
    node, node_memory = peer(["node", "--max-old-space-size=8000", PEERS / "run.mjs", "tasks", million])
    python, python_memory = peer([sys.executable, PEERS / "run.py", "tasks", million])
    row("1,000,000 tasks spawned and joined", seconds, "s", "< 2 s", "node by hand", node)
    row("1,000,000 tasks spawned and joined", seconds, "s", "< 2 s", "python by hand", python)
    row("their peak", megabytes, "MB", "< 1000 MB", "node by hand", node_memory)
    row("their peak", megabytes, "MB", "< 1000 MB", "python by hand", python_memory)
    python = baml()
    theirs, _ = peer([python, PEERS / "baml.py", "spawn", 100_000]) if python else (None, None)
    row("a task spawned and awaited, of 1,000,000: each", seconds, "µs", "≤ 1 µs", "BAML, of 100,000", theirs and theirs / 1e5 * 1e6)
    chain = build(work, "chain", CHAIN)
    seconds, megabytes = timed([chain, "--quiet", "--n", 10_000])
    node, _ = peer(["node", PEERS / "run.mjs", "chain", 10_000])
    row("a chain of tasks, 10,000 deep", seconds * 1e3, "ms", "works", "node by hand", node and node * 1e3)


def waiting(work, row):
    program = build(work, "waiting_million", WAITING)
    _, megabytes = timed([program, "--quiet", "--n", 1_000_000], 1)
    _, node = peer(["node", "--max-old-space-size=8000", PEERS / "run.mjs", "waiting", 1_000_000])
    _, python = peer([sys.executable, PEERS / "run.py", "waiting", 1_000_000])
    row("1,000,000 tasks waiting: peak", megabytes, "MB", "< 1000 MB", "node by hand", node)
    row("1,000,000 tasks waiting: peak", megabytes, "MB", "< 1000 MB", "python by hand", python)


def state(work, row):
    """Each size has its row: the time of one assignment must not depend on how long the list is."""
    program = build(work, "state", STATE)
    base, _ = timed([program, "--quiet", "--n", 0])
    for count in (10_000, 20_000, 40_000):
        seconds, _ = timed([program, "--quiet", "--n", count], 11)
        row(f"`xs += [i]` on a state, {count:,} times: each", (seconds - base) / count * 1e6, "µs", "the same")
    for count in (10_000, 20_000, 40_000):
        seconds, _ = timed([program, "--events", work / "state.jsonl", "--n", count])
        row(f"the same with a file of events, {count:,} times: each", (seconds - base) / count * 1e6, "µs", "the same")


def prompts(work, row, count=10_000):
    """The fake provider answers ours and the bare loop in turn, so that both meet the same machine."""
    provider, bare = RELEASE / "fake-provider", RELEASE / "examples" / "bare_loop"
    if not (provider.is_file() and bare.is_file()):
        print("prompts are left out: cargo build --release -p fake-provider; cargo build --release -p gsw-agents --example bare_loop", file=sys.stderr)
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    program = build(work, "prompts", PROMPTS)
    script = work / "script.json"
    script.write_text(json.dumps({"replies": [{"times": 0, "body": {"answer": {"text": "said"}}}]}))
    python = baml()
    ours, processor, shared, theirs, bridged = [], [], [], [], []
    body = work / "body.json"
    for _ in range(3):
        for who in ("ours", "shared", "theirs", "baml"):
            server = subprocess.Popen([provider, "--script", script], stdout=subprocess.PIPE, text=True)
            try:
                url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
                # What processes tell each other of limits is beside their answers.
                env = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "GSW_CACHE": str(work / "answers")}
                if who == "shared":
                    shared.append(by_two(program, count, env))
                elif who == "ours":
                    seconds, _, busy = used([program, "--quiet", "--n", count], 1, env)
                    ours.append(seconds)
                    processor.append(busy)
                    body.write_text(asked(url))
                elif who == "baml":
                    bridged.append(peer([python, PEERS / "baml.py", "prompts", count, url]) if python else (None, None))
                else:
                    done = subprocess.run([bare, f"{url}/chat/completions", str(count), body], capture_output=True, text=True, check=True)
                    theirs.append(float(done.stdout.split()[0]))
            finally:
                server.kill()
                server.wait()
    per_second = count / statistics.median(ours), count / statistics.median(theirs)
    row(f"{count:,} prompts at once: prompts a second", per_second[0], "/s", "> 90 % of bare", "bare reqwest", per_second[1])
    came = [it for it in bridged if it[0] is not None]
    wall, busy = (statistics.median(column) for column in zip(*came)) if came else (None, None)
    row(f"{count:,} prompts at once: prompts a second", per_second[0], "/s", "", "BAML", wall and count / wall)
    row("the same by two processes that share its limits", count / statistics.median(shared), "/s", "> 90 % of bare", "bare reqwest", per_second[1])
    row("a prompt: processor time", statistics.median(processor) / count * 1e6, "µs", "≤ 100 µs", "BAML", busy and busy / count * 1e6)
    row(f"a prompt in flight, of {count:,}: memory", in_flight(work, program, count, "said"), "kB", "≤ 10 kB")
    row("the same over HTTP/2", in_flight(work, program, count, "said", work / "authority.pem"), "kB", "≤ 10 kB")
    typed, found = build(work, "typed", TYPED), json.dumps({"people": [], "confidence": 0.5})
    row(f"one that wants records, of {count:,}, over HTTP/2", in_flight(work, typed, count, found, work / "authority.pem"), "kB", "≤ 10 kB")


def by_two(program, count, env):
    """Seconds until two processes have each had half of the answers."""
    start = time.perf_counter()
    command = [program, "--quiet", "--n", str(count // 2)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env) for _ in range(2)]
    if any([it.wait() for it in both]):
        raise SystemExit("one of two processes failed")
    return time.perf_counter() - start


def in_flight(work, program, count, said, authority=None):
    """What one more prompt that waits for its answer takes, in kB: the peak with all of them less that with one. With a file
    for the certificate's authority over TLS and HTTP/2, as real providers speak."""
    script = work / "late.json"
    # Late enough that the last request is sent before the first is answered.
    script.write_text(json.dumps({"replies": [{"times": 0, "delay_ms": 8000, "body": {"answer": {"text": said}}}]}))
    peaks = []
    for number in (1, count):
        secure = ["--tls", authority] if authority else []
        server = subprocess.Popen([RELEASE / "fake-provider", "--script", script, *secure], stdout=subprocess.PIPE, text=True)
        try:
            url = f"http{'s' if authority else ''}://127.0.0.1:{server.stdout.readline().strip()}/v1"
            env = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "GSW_CACHE": str(work / "answers")}
            if authority:
                env["SSL_CERT_FILE"] = str(authority)
            peaks.append(timed([program, "--quiet", "--n", number], 1, env)[1])
            most = max(it["in_flight"] for it in requests(url, authority))
            if most < number:
                print(f"only {most:,} of {number:,} prompts were in flight at once", file=sys.stderr)
        finally:
            server.kill()
            server.wait()
    return (peaks[1] - peaks[0]) * 1024 / (count - 1)


def asked(url):
    """The body of one of the requests that the program sent."""
    return requests(url)[0]["body"]


def requests(url, authority=None):
    """What the fake provider was asked."""
    import ssl
    import urllib.request

    trust = ssl.create_default_context(cafile=authority) if authority else None
    with urllib.request.urlopen(url.removesuffix("/v1") + "/__requests", context=trust) as answer:
        return json.load(answer)


def servers(work, row, count=20_000):
    """Both sides call the same server, in turn, and speak the same version; the older one has smaller requests."""
    bare = RELEASE / "examples" / "bare_mcp"
    if not bare.is_file():
        print("MCP is left out: cargo build --release -p gsw-agents --example bare_mcp", file=sys.stderr)
        return
    program = build(work, "servers", SERVERS.replace("BARE", str(bare)))
    ours, theirs, older = [], [], []
    for _ in range(5):
        few, _ = timed([program, "--quiet", "--store", "off", "--n", 1], 1)
        all_of_them, _ = timed([program, "--quiet", "--store", "off", "--n", count + 1], 1)
        ours.append((all_of_them - few) / count)
        for took, age in ((theirs, []), (older, ["older"])):
            done = subprocess.run([bare, str(count), *age], capture_output=True, text=True, check=True)
            took.append(float(done.stdout.split()[0]) / count)
    micros = statistics.median(ours) * 1e6
    row("a call of an MCP server over stdio", micros, "µs", "≤ 1.2 × bare", "bare rmcp", statistics.median(theirs) * 1e6)
    row("the same beside the protocol of 2025-11-25", micros, "µs", "", "bare rmcp", statistics.median(older) * 1e6)


def measure(work, row):
    for part in (steps, tasks, waiting, state, prompts, servers):
        part(work, row)
