#!/usr/bin/env python3
"""Two compilers in turn on the same work: `beside.py OLD_GSWC NEW_GSWC`. Prints the median of each, new / old, and the same of the
least of each, which other work on the machine changes less.

In turn, because a machine that slows down meanwhile slows both.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import run


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    compilers = [Path(it).resolve() for it in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        large, small = work / "large", work / "small"
        for place, files in ((large, 100), (small, 10)):
            place.mkdir()
            run.project(place, files, 100)
        text = "\n".join((large / f"m{index}.gsw").read_text() for index in range(100))
        (work / "lines.gsw").write_text(text)
        compare("check 10,000 lines in 100 files", compilers, lambda it: [it, "check", large / "main.gsw"], 21)
        compare("build 1,000 lines", compilers, lambda it: [it, "build", small / "main.gsw", "-o", work / "small.out"], 41)
        compare("fmt of 10,000 lines", compilers, lambda it: [it, "fmt", "--check", work / "lines.gsw"], 21)
        for shape in ("in a chain", "in a circle", "called by one"):
            source = work / f"{shape}.gsw"
            source.write_text(run.calling(shape, 1_600))
            compare(f"check 1,600 functions {shape}", compilers, lambda it, source=source: [it, "check", source], 41)
        programs = {"hello: start to end": (run.HELLO, [], 61), "checked integer loop": (run.LOOP, [], 5)}
        for what, body in run.GROWING.items():
            grow = f"type Box {{ items: [int] }}\nfn grow(n: int) -> int {{\n  {body}\n}}\nworkflow main(n: int) -> int {{ grow(n) }}\n"
            programs[f"{what}, 1,000,000 turns"] = (grow, ["--quiet", "--n", "1000000"], 11)
        for what, source in run.PLACES.items():
            programs[f"`{what}`, 1,000,000 times"] = (source, ["--quiet", "--n", "1000000"], 7)
        for what, (source, words, times) in programs.items():
            (work / "program.gsw").write_text(source)
            built = []
            for index, compiler in enumerate(compilers):
                built.append(work / f"program{index}")
                done = subprocess.run([compiler, "build", work / "program.gsw", "-o", built[-1]], capture_output=True)
                if done.returncode != 0:
                    # The older one lacks a part of the language.
                    break
            else:
                compare(what, built, lambda it, words=words: [it, *words], times)


def compare(what, programs, command, times):
    taken = [[], []]
    for _ in range(times):
        for program, own in zip(programs, taken):
            start = time.perf_counter()
            subprocess.run(command(program), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            own.append(time.perf_counter() - start)
    old, new = (statistics.median(own) * 1e3 for own in taken)
    least = min(taken[1]) / min(taken[0])
    print(f"{what:55} {old:9.2f} ms {new:9.2f} ms {new / old:6.2f}  least {least:5.2f}", flush=True)


if __name__ == "__main__":
    main()
