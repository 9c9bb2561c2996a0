"""What the checks of this folder share: running commands, and trying a `gswc` that was installed somewhere."""

import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIST = ROOT / "target/dist"
OWN = platform.machine()
HELLO = 'workflow main(name: string = "world") -> string { "Hello, ${name}!" }\n'


def run(*command, **options):
    words = [str(it) for it in command]
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(words)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def only(pattern):
    found = sorted(DIST.glob(pattern))
    if len(found) != 1:
        sys.exit(f"error: {DIST} has {len(found)} files {pattern}; packaging/release.py makes one")
    return found[0]


def left_out(what, why):
    print(f"- {what}: not tried, {why}")
    if os.environ.get("CI"):
        sys.exit(1)


def assert_greets(what, said):
    assert said == f'"Hello, {what}!"\n', said


def works(what, gswc, folder, around=(), place=None):
    """Runs a program with this gswc and builds it, with nothing in the environment, and runs what it has built. `around` goes before
    each command, and `place` is what the folder is called there."""
    (folder / "hello.gsw").write_text(HELLO)
    inside = {"cwd": folder} if not around else {}
    place = place or folder
    assert_greets(what, run(*around, gswc, "run", place / "hello.gsw", "--", "--name", what, env={}, **inside))
    run(*around, gswc, "build", place / "hello.gsw", "-o", place / "hello", env={}, **inside)
    assert_greets(what, run(*around, place / "hello", "--name", what, env={}, **inside))
    assert re.fullmatch(r"gswc \S+\n", run(*around, gswc, "--version", env={}))
    print(f"- {what}: runs and builds a program")


def libraries(program):
    """The files that the loader needs for a program, itself among them."""
    return [pathlib.Path(it) for it in re.findall(r"(/\S+) \(0x", run("ldd", program))]
