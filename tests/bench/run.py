#!/usr/bin/env python3
"""Measures the compiler and built programs beside their nearest peers and prints one table.

Usage: cargo build --release -p gswc -p fake-provider -p gsw-agents --bins --examples && python3 tests/bench/run.py [compiler|runs|durable|agents]
Peers that cannot be had (no npm, no rustc) are left out and said so. Figures are medians of wall-clock time on this machine.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agents
import durable
import runs

ROOT = Path(__file__).resolve().parents[2]
GSWC = ROOT / "target" / "release" / "gswc"
ROWS = []


PLACES = {
    what: f"""type Index {{ lists: {{string: [int]}} }}
fn fill(n: int) -> Index {{
  let keys = (0..1_000).map(i => "k${{i}}")
  var index = Index {{ lists: {{}} }}
  for key in keys {{ index.lists[key] = {first} }}
  for i in 0..n {{ index.{assignment} }}
  index
}}
workflow main(n: int) -> int {{ fill(n).lists.values().sum_by(xs => xs.len()) }}
"""
    for what, first, assignment in [
        ("lists[k] += [i]", "[]", "lists[keys[i % 1_000]] += [i]"),
        ("lists[k][j] = i", "(0..1_000).map(_ => 0)", "lists[keys[i % 1_000]][i / 1_000] = i"),
    ]
}


def wall(command, times=11, cwd=None, env=None, code=0):
    """Median seconds of a command that must end with `code`."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        taken.append(time.perf_counter() - start)
        if done.returncode != code:
            raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr.decode()}")
    return statistics.median(taken)


def processor(command):
    """Median seconds of processor time."""
    return runs.used(command, 11)[2]


def peak(command):
    """Peak resident memory of a command in MB.

    A process inherits the peak of the one that started it, so a shell's fork, which is small, starts the command.
    """
    script = '"$@" >/dev/null 2>&1 & child=$!; peak=0; while read -r used < <(awk \'/VmHWM/ {print $2}\' /proc/$child/status 2>/dev/null); do peak=$used; done; wait $child && echo $peak'
    done = subprocess.run(["bash", "-c", script, "bash", *map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}")
    return int(done.stdout) / 1024


def row(what, ours, unit, target="", peer_name="", peer=None):
    ratio = f"{peer / ours:.1f}x" if peer else ""
    shown = f"{figure(peer)} {unit}" if peer else ""
    ROWS.append((what, f"{figure(ours)} {unit}", target, peer_name if peer else "", shown, ratio))


def figure(number):
    return f"{number:.2f}" if abs(number) < 10 else f"{number:,.1f}"


def module(index, lines):
    """A module of about so many lines of ordinary code."""
    body = [f"/// Module {index}.", f"type Item{index} {{", "  name: string", "  count: int where it >= 0", "}", ""]
    n = 0
    while len(body) < lines:
        body += [
            f"/// Function {n} of module {index}.",
            f"fn work_{index}_{n}(items: [Item{index}], limit: int = {n}) -> [string] {{",
            "  let kept = items.filter(it => it.count > limit).sort_by_desc(it => it.count)",
            "  var total = 0",
            "  for (i, item) in kept.enumerate() {",
            '    total += if i % 2 == 0 { item.count } else { item.name.len() }',
            "  }",
            '  kept.map(item => "${item.name}: ${item.count} of ${total}")',
            "}",
            "",
        ]
        n += 1
    return "\n".join(body) + "\n"


def project(folder, files, lines):
    for index in range(files):
        (folder / f"m{index}.gsw").write_text(module(index, lines))
    imports = "".join(f"import ./m{i}\n" for i in range(files))
    calls = " + ".join(f"m{i}.work_{i}_0([]).len()" for i in range(files))
    (folder / "main.gsw").write_text(f"{imports}\nworkflow main() -> int {{ {calls} }}\n")


HELLO = 'workflow main() -> string { "hello" }\n'

LOOP = """fn spin(n: int) -> int {
  var total = 0
  for i in 0..n { total = (total * 31 + i) % 1000003 }
  total
}
workflow main(n: int = 200_000_000) -> int { spin(n) }
"""

LOOP_RUST = """fn spin(n: i64) -> i64 {
    let mut total = 0i64;
    for i in 0..n { total = (total * 31 + i) % 1000003; }
    total
}
fn main() { let n = std::env::args().nth(1).unwrap().parse().unwrap(); println!("{}", spin(std::hint::black_box(n))); }
"""

SELF = """import std/fs
workflow main() -> int {
  let lines = fs.read("/proc/self/status").lines().filter(line => line.starts_with("VmHWM:"))
  lines[0].words()[1].parse_int() ?? fail Failed("the kernel says nothing")
}
"""

WAITING = """workflow main(n: int = 100_000) -> int {
  let done = parallel for _ in 0..n { sleep(500ms); 1 }
  done.sum()
}
"""


# A constant that every turn of a loop asks.
CONSTANT = """fn entries() -> [(string, int)] { (0..1000).map(i => ("k${i}", i)) }
const TABLE: {string: int} = entries().to_map()
fn total(n: int) -> int {
  var total = 0
  for i in 0..n { total += TABLE["k1"] + i }
  total
}
workflow main(n: int) -> int { total(n) }
"""

# What grows by one in every turn of a loop, each in the way that reads best.
GROWING = {
    "s += x": 'var s = ""\n  for _ in 0..n { s += "x" }\n  s.len()',
    "xs += [x]": "var xs: [int] = []\n  for i in 0..n { xs += [i] }\n  xs.len()",
    "m = m.insert(k, v)": "var m: {int: int} = {}\n  for i in 0..n { m = m.insert(i, i) }\n  m.len()",
    "m[k].items[i] = i in a record in a map": "var m = { \"k\": Box { items: 0..1000 } }\n  for i in 0..n { m[\"k\"].items[i % 1000] = i }\n  m.len()",
    "m[k].items += [i] in a record in a map": "var m = { \"k\": Box { items: [] } }\n  for i in 0..n { m[\"k\"].items += [i] }\n  m.len()",
    "m = m.update(k, [], xs => xs + [x])": "var m: {string: [int]} = {}\n  for i in 0..n { m = m.update(\"k\", [], xs => xs + [i]) }\n  m.len()",
}


def calling(shape, count):
    """So many functions that call each other: each the next, all in a circle, or one of them all others."""
    body = {
        "in a chain": lambda i: f"f{i + 1}(n + 1)",
        "in a circle": lambda i: f"if n > {i} {{ fail Failed(\"end\") }} else {{ f{(i + 1) % count}(n + 1) }}",
        "called by one": lambda i: f"n + {i}",
    }[shape]
    functions = [f"fn f{i}(n: int) -> int {{ {body(i)} }}" for i in range(count)]
    calls = range(count) if shape == "called by one" else [0]
    functions.append(f"fn f{count}(n: int) -> int {{ if n > 9 {{ fail Failed(\"end\") }} else {{ n }} }}")
    main = "\n".join(["workflow main() -> int {", "  var total = 0", *(f"  total += f{i}(1)" for i in calls), "  total", "}"])
    return "\n".join([*functions, main]) + "\n"


def main():
    if not GSWC.is_file():
        raise SystemExit("build first: cargo build --release")
    work = Path(tempfile.mkdtemp(prefix="gsw-bench-"))
    try:
        wanted = sys.argv[1:] or ["compiler", "runs", "durable", "agents"]
        if "compiler" in wanted:
            measure(work)
        if "runs" in wanted:
            runs.measure(work, row)
        if "durable" in wanted:
            durable.measure(work, row)
        if "agents" in wanted:
            agents.measure(work, row)
    finally:
        shutil.rmtree(work)
    show()


def show():
    widths = [max(len(r[i]) for r in ROWS + [HEAD]) for i in range(6)]
    for line in [HEAD, tuple("-" * w for w in widths), *ROWS]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


HEAD = ("what", "ours", "target", "peer", "theirs", "theirs/ours")


def measure(work):
    large = work / "large"
    large.mkdir()
    project(large, 100, 100)
    baml = baml_check(work)
    row("check 10,000 lines in 100 files, cold", wall([GSWC, "check", large / "main.gsw"]) * 1e3, "ms", "< 150 ms", "baml-cli check, 10,000 lines", baml)

    lines = work / "lines.gsw"
    modules = [(large / path).read_text() for path in sorted(os.listdir(large)) if path.endswith(".gsw")]
    text = "\n".join(modules * 10)
    lines.write_text(text)
    row(f"fmt of {text.count(chr(10)):,} lines", formatting(lines) * 1e3, "ms", "< 500 ms")

    small = work / "small"
    small.mkdir()
    project(small, 10, 100)
    row("build 1,000 lines", wall([GSWC, "build", small / "main.gsw", "-o", work / "small.out"]) * 1e3, "ms", "< 60 ms")

    for shape in ("in a chain", "in a circle", "called by one"):
        for count in (1_600, 6_400):
            (work / "calling.gsw").write_text(calling(shape, count))
            row(f"check {count:,} functions {shape}", wall([GSWC, "check", work / "calling.gsw"], 5) * 1e3, "ms", "4x the functions: < 6x")

    for count in (5_000, 20_000):
        lines = "".join(f'  let y{line} foo(1, [2], {{ "a": 1 }})\n' for line in range(count))
        (work / "mistakes.gsw").write_text(f"fn f() {{\n{lines}}}\n")
        row(f"check {count:,} lines with a mistake each", wall([GSWC, "check", work / "mistakes.gsw"], 5, code=1) * 1e3, "ms", "4x the lines: < 6x")

    growing(work)
    places(work)
    (work / "hello.gsw").write_text(HELLO)
    hello = work / "hello"
    subprocess.run([GSWC, "build", work / "hello.gsw", "-o", hello], check=True)
    node = wall(["node", "-e", "console.log('hello')"]) * 1e3 if shutil.which("node") else None
    python = wall([sys.executable, "-c", "print('hello')"]) * 1e3
    row("hello: start to end", wall([hello], 31) * 1e3, "ms", "< 5 ms", "node -e", node)
    row("hello: start to end", wall([hello], 31) * 1e3, "ms", "< 5 ms", "python -c", python)
    (work / "self.gsw").write_text(SELF)
    subprocess.run([GSWC, "build", work / "self.gsw", "-o", work / "self"], check=True)
    own = subprocess.run([work / "self"], capture_output=True, check=True, text=True).stdout
    python_peak = peak([sys.executable, "-c", "import time; time.sleep(0.3)"])
    row("a program that reads its own status: resident", int(own) / 1024, "MB", "< 15 MB", "python -c", python_peak)

    (work / "waiting.gsw").write_text(WAITING)
    subprocess.run([GSWC, "build", work / "waiting.gsw", "-o", work / "waiting"], check=True)
    row("100,000 tasks waiting: resident", peak([work / "waiting"]), "MB", "< 150 MB")

    (work / "loop.gsw").write_text(LOOP)
    (work / "loop.rs").write_text(LOOP_RUST)
    subprocess.run([GSWC, "build", work / "loop.gsw", "-o", work / "loop"], check=True)
    rust = None
    if shutil.which("rustc"):
        subprocess.run(["rustc", "-O", work / "loop.rs", "-o", work / "loop_rust"], check=True)
        rust = wall([work / "loop_rust", "200000000"], 3) * 1e3
    row("checked integer loop, 200 million turns", wall([work / "loop"], 3) * 1e3, "ms", "< 3x Rust", "rustc -O", rust)


def growing(work):
    """Loops whose turns must cost the same however many there were."""
    programs = {f"{what}, 100,000 turns": f"type Box {{ items: [int] }}\nfn grow(n: int) -> int {{\n  {body}\n}}\nworkflow main(n: int) -> int {{ grow(n) }}\n" for what, body in GROWING.items()}
    programs["a constant map of 1,000 entries, asked 100,000 times"] = CONSTANT
    for what, source in programs.items():
        (work / "growing.gsw").write_text(source)
        subprocess.run([GSWC, "build", work / "growing.gsw", "-o", work / "growing"], check=True)
        row(what, wall([work / "growing", "--quiet", "--n", "100000"], 5) * 1e3, "ms", "< 50 ms")


def places(work):
    """A map of lists in a record, filled and overwritten part by part; the processor's time without that of the start."""
    for what, source in PLACES.items():
        (work / "places.gsw").write_text(source)
        subprocess.run([GSWC, "build", work / "places.gsw", "-o", work / "places"], check=True)
        ours = processor([work / "places", "--quiet", "--n", "1000000"]) - processor([work / "places", "--quiet", "--n", "0"])
        node = None
        if shutil.which("node"):
            peer = ["node", ROOT / "tests" / "bench" / "peers" / "places.mjs", what]
            node = processor([*peer, "1000000"]) - processor([*peer, "0"])
        row(f"`{what}` of a record, 1,000,000 times", ours * 1e3, "ms", "≤ 3x Node", "node", node and node * 1e3)


def formatting(path):
    """Median seconds of formatting a file, which may differ from its formatted form."""
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run([GSWC, "fmt", "-"], stdin=path.open(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        taken.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise SystemExit(f"fmt: exit {done.returncode}\n{done.stderr.decode()[:500]}")
    return statistics.median(taken)


def baml_check(work):
    """`baml-cli check` on about as many lines, or None when it cannot be installed."""
    if not shutil.which("npm"):
        return None
    folder = work / "baml"
    source = folder / "baml_src"
    source.mkdir(parents=True)
    if subprocess.run(["npm", "init", "-y"], cwd=folder, capture_output=True).returncode != 0:
        return None
    if subprocess.run(["npm", "install", "--no-audit", "--no-fund", "@boundaryml/baml"], cwd=folder, capture_output=True).returncode != 0:
        print("baml-cli cannot be installed here; left out", file=sys.stderr)
        return None
    client = 'client<llm> C {\n  provider anthropic\n  options {\n    model "claude-sonnet-5"\n    api_key "x"\n  }\n}\n'
    (source / "client.baml").write_text(client)
    for index in range(100):
        text = ""
        for n in range(10):
            text += f'class Item{index}_{n} {{\n  name string\n  count int\n}}\n\nfunction F{index}_{n}(text: string) -> Item{index}_{n} {{\n  client C\n  prompt #"\n    Extract {{{{ text }}}} {{{{ ctx.output_format }}}}\n  "#\n}}\n'
        (source / f"m{index}.baml").write_text(text)
    cli = folder / "node_modules" / ".bin" / "baml-cli"
    for command in ([cli, "check", "--from", source], [cli, "generate", "--from", source]):
        if subprocess.run(command, cwd=folder, capture_output=True).returncode == 0:
            return wall(command, 5, cwd=folder) * 1e3
    print("baml-cli refused the project; left out", file=sys.stderr)
    return None


if __name__ == "__main__":
    main()
