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
# Asks for much and needs no file.
NONE = """workflow main(n: int) -> int {
  var sum = 0
  for _ in 0..n { if random() < 0.5 { sum += 1 } }
  n
}
"""


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
    none = runs.build(work, "durable_none", NONE)
    kept = median(work, store, [none, "--quiet", "--n", 200_000], 9)
    off = median(work, "off", [none, "--quiet", "--n", 200_000], 9)
    row("200,000 operations that need no file, with a store", kept, "s", "", "without", off)
