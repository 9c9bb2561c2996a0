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
    if not own.exists() and subprocess.run([sys.executable, "-m", "venv", home], capture_output=True).returncode != 0:
        return None
    install = [own, "-m", "pip", "install", "-q", "pydantic-ai-slim[openai]"]
    return own if subprocess.run(install, capture_output=True).returncode == 0 else None


def node():
    """A folder that has the AI SDK; None where it cannot be had."""
    if not (shutil.which("node") and shutil.which("npm")):
        return None
    home = runs.ROOT / "target" / "bench-ai-sdk"
    home.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", home, "ai", "@ai-sdk/openai", "zod"]
    return home if subprocess.run(install, capture_output=True).returncode == 0 else None


def once(provider, script_file, command, count, env):
    """Seconds, MB at the peak and seconds of processor time; None if not every agent comes to its end."""
    server = subprocess.Popen([provider, "--script", script_file], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        env = {**os.environ, **env, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "GSW_CACHE": "off"}
        words = [str(it).replace("{URL}", url) for it in command]
        if subprocess.run(words, env=env, capture_output=True, text=True).stdout.strip() != str(count):
            return None
        return runs.used(words, 1, env)
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
    for _ in range(TIMES):
        for name, (command, env) in commands.items():
            came[name].append(once(provider, script_file, command, count, env))
    middle = {name: [statistics.median(it) for it in zip(*figures)] for name, figures in came.items() if None not in figures}
    if "" not in middle:
        raise SystemExit("not every agent came to its end")
    for at, what, unit in ((0, "wall", "s"), (2, "processor time", "s"), (1, "peak of memory", "MB")):
        for name in list(middle)[1:] or [""]:
            peer = middle[name][at] if name else None
            row(f"{count:,} agents of {TURNS} tool turns: {what}", middle[""][at], unit, "a tenth", name, peer)

