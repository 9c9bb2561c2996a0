#!/usr/bin/env python3
"""What Cargo builds more than once, because its features differ between `cargo run`, `cargo test` and build scripts.

`compiler/features` names the features that are wanted together; what this prints is missing there. Exit code 1 if something is.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The graph of what is built is printed by nightly Cargo alone, or on one's own word.
UNSTABLE = {**os.environ, "RUSTC_BOOTSTRAP": "1"}


def units(*words):
    command = ["cargo", *words, "--unit-graph", "-Z", "unstable-options"]
    printed = subprocess.run(command, cwd=ROOT, env=UNSTABLE, check=True, stdout=subprocess.PIPE).stdout
    return [it for it in json.loads(printed)["units"] if it["mode"] == "build" and it["target"]["kind"] != ["bin"]]


def main():
    built = collections.defaultdict(set)
    for words in (["build"], ["test", "--workspace", "--no-run"]):
        for unit in units(*words):
            name = unit["pkg_id"].rsplit("/", 1)[-1], unit["target"]["name"]
            built[name].add(frozenset(unit["features"]))
    # Build scripts need fewer of them, and it holds nothing.
    differ = {name: sets for name, sets in built.items() if len(sets) > 1 and name[1] != "gsw_features"}
    for (package, target), sets in sorted(differ.items()):
        common = frozenset.intersection(*sets)
        print(f"{package} ({target}):", " | ".join(sorted(", ".join(sorted(it - common)) or "-" for it in sets)))
    print(f"{len(built)} crates and build scripts, {len(differ)} with several sets of features")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
