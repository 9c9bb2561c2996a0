"""Measures runs that are written down: a durable step, many runs at once, bytes, replay, and what programs pay that need none. Called by `run.py`."""
import json
import os
import sqlite3
import subprocess

import runs

# The first write makes the run one that is written down; from then on each random number is a record.
STEPS = """import std/fs
permissions { fs.write: ["."] }
workflow main(n: int) -> int {
  fs.write("begun.txt", "begun")
  var sum = 0
  for _ in 0..n { if random() < 0.5 { sum += 1 } }
  n
}
"""
# An intent and an outcome each, and the disk in between.
ONCE = """import std/fs
permissions { fs.write: ["."] }
workflow main(n: int) -> int {
  for _ in 0..n { fs.append("once.txt", "x") }
  n
}
"""
MANY = """import std/fs
permissions { fs.write: ["."] }
workflow worker(n: int) {
  fs.write("begun.txt", "begun")
  var sum = 0
  for _ in 0..n { if random() < 0.5 { sum += 1 } }
}
workflow main(n: int, many: int) -> int {
  for _ in 0..many { spawn detached worker(n) }
  n
}
"""
# Runs that wait for somebody without a process.
PARKED = """human approve(n: int) -> bool timeout 30d { user "Ship ${n}?" }
workflow asked(n: int) -> bool { approve(n) }
workflow main(many: int) {
  for n in 0..many { spawn detached asked(n) }
}
"""
# Programs that need no file, each with its size: what they ask for is kept in memory, as it would have to be written before what comes.
NONE = {
    "30,000,000 turns of a loop": (30_000_000, """fn spin(n: int) -> int {
  var total = 0
  for i in 0..n { total = (total * 31 + i) % 1000003 }
  total
}
workflow main(n: int) -> int { spin(n) }
"""),
    "100,000 steps": (100_000, """workflow main(n: int) -> int {
  var sum = 0
  for i in 0..n { sum += step "one" { i } }
  sum
}
"""),
    "20,000 reads of a file": (20_000, """import std/fs
permissions { fs.read: ["."] }
workflow main(n: int) -> int {
  var sum = 0
  for _ in 0..n { sum += fs.read("read.txt").len() }
  sum
}
"""),
    "2,000 prompts to the simulator": (2_000, """agent clerk { model: "sim/default", cache: false }
prompt ask(n: int) -> string by clerk { user "say ${n}" }
workflow main(n: int) -> int {
  var sum = 0
  for i in 0..n { sum += ask(i).len() }
  sum
}
"""),
    "200,000 random numbers": (200_000, """workflow main(n: int) -> int {
  var sum = 0
  for _ in 0..n { if random() < 0.5 { sum += 1 } }
  n
}
"""),
}


def seconds(work, store, command):
    environment = dict(os.environ, GSW_STORE=str(store))
    for file in work.glob("kept.db*"):
        file.unlink()
    folder = os.getcwd()
    os.chdir(work)
    try:
        return runs.timed(command, 1, environment)[0]
    finally:
        os.chdir(folder)


def median(work, store, command, times=5):
    return sorted(seconds(work, store, command) for _ in range(times))[times // 2]


def measure(work, row):
    store = work / "kept.db"
    program = runs.build(work, "durable_steps", STEPS)
    base = median(work, store, [program, "--quiet", "--n", 0])
    for count in (1_000, 10_000, 100_000):
        taken = median(work, store, [program, "--quiet", "--n", count])
        row(f"a durable step, {count:,} of one run: each", (taken - base) / count * 1e3, "ms", "≤ 0.15 ms")
    once = runs.build(work, "durable_once", ONCE)
    taken = median(work, store, [once, "--quiet", "--n", 1_000])
    row("an effect that is `once`, with its intent on the disk first: each", (taken - base) / 1_000 * 1e3, "ms")
    many = runs.build(work, "durable_many", MANY)
    count = 2_000
    taken = median(work, store, [many, "--quiet", "--n", count, "--many", 64], 3)
    row("durable steps of 64 runs at once, in a second", 64 * count / (taken - base), "", "≥ 50,000")
    seconds(work, store, [program, "--quiet", "--n", 10_000])
    with sqlite3.connect(store) as database:
        bytes_, records = database.execute("SELECT sum(length(body) + length(digest)), count(*) FROM records").fetchone()
        pages = database.execute("SELECT (SELECT * FROM pragma_page_count) * (SELECT * FROM pragma_page_size)").fetchone()[0]
    row("bytes of journal a record, of 10,000", bytes_ / records, "bytes", "≤ 300 bytes")
    row("bytes of the file a record, of 10,000", pages / records, "bytes")
    environment = dict(os.environ, GSW_STORE=str(store))
    listed = subprocess.run([program, "runs", "--json"], env=environment, capture_output=True, text=True, check=True)
    id = json.loads(listed.stdout)[0]["id"]
    show, _ = runs.timed([program, "runs", "show", id], 5, environment)
    row("10,000 operations brought back", show, "s", "< 0.3 s")
    parked = runs.build(work, "durable_parked", PARKED)
    many = 1_000
    for file in work.glob("kept.db*"):
        file.unlink()
    waiting = [parked, "--quiet", "--idle", "0s", "--many", many]
    subprocess.run(list(map(str, waiting)), env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    with sqlite3.connect(store) as database:
        count = database.execute("SELECT count(*) FROM questions").fetchone()[0]
        pages = database.execute("SELECT (SELECT * FROM pragma_page_count) * (SELECT * FROM pragma_page_size)").fetchone()[0]
    row(f"bytes of the file a parked run, of {count:,}", pages / count, "bytes", "≤ 2,000 bytes")
    (work / "read.txt").write_text("some text\n")
    for what, (count, source) in NONE.items():
        none = runs.build(work, "durable_none", source)
        command = [none, "--quiet", "--n", count]
        # In turn, because a machine that slows down meanwhile slows both.
        both = [(seconds(work, store, command), seconds(work, "off", command)) for _ in range(15)]
        kept, off = (sorted(it)[len(both) // 2] for it in zip(*both))
        row(f"{what}, which need no file, with a store", kept, "s", "≤ 1.01x", "without", off)
