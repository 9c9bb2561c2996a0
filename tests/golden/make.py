#!/usr/bin/env python3
"""Writes the golden journals of a release: tests/golden/make.py VERSION [GSWC]

Each program of tests/golden/programs is run as below, and its journal exported beside a copy of the program. Every later
build must replay all of them (the harness test `golden`), so a release's folder is never changed again.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Of each program: what is answered, in order, as (name, JSON). What is not answered stays open.
PROGRAMS = {
    "mail": [],
    "shop": [("approve", "true"), ("approve", "true")],
    "tasks": [],
    "waiting": [("payment", '{"amount": 5}')],
}


def main(version, gswc):
    folder = HERE / version
    folder.mkdir()
    for name, answers in PROGRAMS.items():
        source = HERE / "programs" / f"{name}.gsw"
        work = Path(tempfile.mkdtemp(prefix="gsw-golden-"))
        try:
            journal(gswc, source, answers, work, folder / f"{name}.jsonl")
        finally:
            shutil.rmtree(work)
        shutil.copy(source, folder / f"{name}.gsw")


def journal(gswc, source, answers, work, target):
    environment = {**os.environ, "GSW_MODEL": "sim/default", "GSW_CACHE": "off", "GSW_STORE": "runs.db"}

    def call(*words, codes=(0, 5)):
        done = subprocess.run(
            words, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode not in codes:
            sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
        return done.stdout

    program = work / source.stem
    call(gswc, "build", source, "-o", program)
    call(program)
    run = json.loads(call(program, "runs", "--json"))[0]["id"]
    for name, answer in answers:
        call(program, "runs", "answer", run, name, answer)
        call(program, "runs", "resume", run)
    call(program, "runs", "export", run, target.resolve())


if __name__ == "__main__":
    repository = HERE.parent.parent
    main(sys.argv[1], Path(sys.argv[2] if len(sys.argv) > 2 else repository / "target/debug/gswc").resolve())
