"""The licences of everything that is linked into gswc and into the programs that it builds, as one text.

    python3 packaging/licences.py [TARGET] > THIRD-PARTY.txt

A crate without a licence text has its expression alone; one whose licence is not in the list is an error."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# How crates name the files that must go with copies of them.
NAMES = ("license", "licence", "copying", "notice", "unlicense", "copyright")
# What may be linked into a program that its users give to others under whatever terms they like.
ALLOWED = {
    "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CDLA-Permissive-2.0", "ISC",
    "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}


def linked(metadata):
    """The packages that `gswc` links, by their ids: no tools of builds, no tests."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(it["id"] for it in metadata["packages"] if it["name"] == "gswc")
    found, left = set(), [root]
    while left:
        package = left.pop()
        if package in found:
            continue
        found.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                left.append(dependency["pkg"])
    return found


def is_allowed(expression):
    """Of alternatives one must be allowed, of parts all. `/` is how alternatives were written once."""
    expression = expression.replace("(", "").replace(")", "").replace("/", " OR ")
    parts = [part.split(" OR ") for part in expression.split(" AND ")]
    return all(any(it.strip() in ALLOWED for it in alternatives) for alternatives in parts)


def texts(folder):
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name.lower().startswith(NAMES)
    )


# What no crate is and is linked all the same.
OTHERS = """The standard library of Rust: MIT OR Apache-2.0, https://github.com/rust-lang/rust
The GNU C Library, in `gsw-launcher-static` and what `gswc build --static` makes: LGPL-2.1-or-later, https://sourceware.org/glibc"""


def own_target():
    about = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in about.splitlines() if line.startswith("host:"))


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else own_target()
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    metadata = json.loads(done.stdout)
    wanted = linked(metadata)
    packages = [it for it in metadata["packages"] if it["id"] in wanted and it["source"]]
    packages.sort(key=lambda it: (it["name"], it["version"]))
    print(OTHERS)
    # Many crates have the same text: it stands once.
    users = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        files = texts(pathlib.Path(package["manifest_path"]).parent)
        if not package["license"] or not is_allowed(package["license"]):
            sys.exit(f"error: {name} may not be linked: its licence is {package['license']}")
        print(f"{name}: {package['license']}, {package['repository'] or 'crates.io'}")
        for file in files:
            text = file.read_text(encoding="utf-8", errors="replace").strip()
            users.setdefault(text, []).append(name)
    for text, names in users.items():
        print("\n" + "-" * 79 + "\n" + ", ".join(names) + "\n\n" + text)


main()
