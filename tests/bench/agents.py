"""Measures 1,000 agents of ten tool turns each, all at once: time, processor and memory beside Pydantic AI and the AI SDK.

Called by `run.py`. The fake provider answers each of them anew, in turn, so that all meet the
same machine. Peers are installed at first use, and left out where that cannot be done.
"""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time

import runs

PROGRAM = """/// Goes one step on.
tool step(n: int) -> string pure { "turn-${n + 1}" }
agent worker { model: "openai/gpt-5" tools: [step] max_turns: 20 }
prompt work(n: int) -> string by worker { user "Agent ${n}: go on until you are told to stop." }
workflow main(n: int) -> int {
  let said = parallel for i in 0..n { work(i) }
  said.count(it => it == "done")
}
"""
TURNS = 10
TIMES = 3
# Seconds that a peer may take for all its agents, and for its installation: what takes longer is left out…
LIMIT = 400
# …and what takes longer than this is measured once.
SLOW = 60


def script():
    """What the model does follows from how far the conversation has come, so that agents need no order."""
    def call(n):
        function = {"name": "step", "arguments": json.dumps({"n": n})}
        return {"tool_calls": [{"id": f"call_{n}", "type": "function", "function": function}], "finish_reason": "tool_calls"}

    replies = [{"when": f"turn-{TURNS}", "times": 0, "body": {"openai": {"content": "done"}}}]
    replies += [{"when": f"turn-{n}", "times": 0, "body": {"openai": call(n)}} for n in range(TURNS - 1, 0, -1)]
    return {"replies": [*replies, {"times": 0, "body": {"openai": call(0)}}]}


def python():
    """A Python that has Pydantic AI; None where it cannot be had."""
    home = runs.ROOT / "target" / "bench-pydantic-ai"
    own = home / "bin" / "python"
    if not own.exists() and not succeeds([sys.executable, "-m", "venv", home]):
        return None
    has_it = succeeds([own, "-c", "import pydantic_ai.models.openai"])
    return own if has_it or succeeds([own, "-m", "pip", "install", "-q", "pydantic-ai-slim[openai]"]) else None


def node():
    """A folder that has the AI SDK; None where it cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    home = runs.ROOT / "target" / "bench-ai-sdk"
    home.mkdir(parents=True, exist_ok=True)
    wanted = ["ai", "@ai-sdk/openai", "zod"]
    if all((home / "node_modules" / it).is_dir() for it in wanted):
        return home
    install = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", home]
    return home if succeeds([*install, *wanted]) else None


def succeeds(command):
    try:
        return subprocess.run(command, capture_output=True, timeout=LIMIT).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def once(provider, script_file, command, count, env):
    """Seconds, MB at the peak and seconds of processor time; where not every agent comes to its end in time, why."""
    server = subprocess.Popen([provider, "--script", script_file], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        env = {**os.environ, **env, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "GSW_CACHE": "off"}
        words = [str(it).replace("{URL}", url) for it in command]
        start = time.perf_counter()
        child = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        too_long = threading.Timer(LIMIT, child.kill)
        too_long.start()
        said = child.stdout.read().strip()
        _, _, usage = os.wait4(child.pid, 0)
        too_long.cancel()
        seconds = time.perf_counter() - start
        if seconds >= LIMIT:
            return f"takes more than {LIMIT} s"
        if said != str(count):
            return f"brings {said or 'none'} of {count:,} agents to their end"
        return seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime
    finally:
        server.kill()
        server.wait()


def measure(work, row, count=1_000):
    provider = runs.RELEASE / "fake-provider"
    if not provider.is_file():
        print("agents are left out: cargo build --release -p fake-provider", file=sys.stderr)
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    script_file = work / "agents.json"
    script_file.write_text(json.dumps(script()))
    program = runs.build(work, "agents", PROGRAM)
    own, sdk = python(), node()
    commands = {"": ([program, "--quiet", "--n", count], {})}
    if own:
        commands["Pydantic AI"] = ([own, runs.PEERS / "agents.py", count, "{URL}"], {})
    if sdk:
        commands["AI SDK"] = (["node", runs.PEERS / "agents.mjs", count, "{URL}"], {"PEERS": str(sdk)})
    came = {name: [] for name in commands}
    for turn in range(TIMES):
        for name, (command, env) in commands.items():
            if name not in came or (came[name] and came[name][0][0] > SLOW):
                continue
            figures = once(provider, script_file, command, count, env)
            if isinstance(figures, str):
                print(f"{name or 'ours'} {figures}, and is left out", file=sys.stderr)
                del came[name]
                continue
            came[name].append(figures)
            print(f"{turn + 1} of {TIMES}, {name or 'ours'}: {figures[0]:.1f} s, {figures[1]:.0f} MB", file=sys.stderr)
    middle = {name: [statistics.median(it) for it in zip(*figures)] for name, figures in came.items()}
    if "" not in middle:
        return
    for at, what, unit in ((0, "wall", "s"), (2, "processor time", "s"), (1, "peak of memory", "MB")):
        for name in list(middle)[1:] or [""]:
            peer = middle[name][at] if name else None
            row(f"{count:,} agents of {TURNS} tool turns: {what}", middle[""][at], unit, "a tenth", name, peer)

