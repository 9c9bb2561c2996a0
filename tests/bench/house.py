#!/usr/bin/env python3
"""Counts what the Rust of this repository looks like and prints the tables of `docs/decisions.md`, "The house".

Usage: python3 tests/bench/house.py [ROOT]

Product code alone: folders `tests`, `examples` and `benches` and modules under `#[cfg(test)]` are left out. Text is read, nothing is built,
so the counts are those of patterns: a function goes from its `fn` to its closing brace, a doc is a run of `///` lines, a code line is
neither blank nor a comment.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
AREAS = ["std", "compiler", "runtime", "lsp", "host"]
FN = re.compile(r"\bfn\s+(?:r#)?(\w+)")
IMPL = re.compile(r"^impl\b(.*?)\{", re.M | re.S)


def crates():
    """The folders of our crates, each beside the area it belongs to."""
    for area in AREAS:
        for manifest in sorted((ROOT / area).rglob("Cargo.toml")):
            if (manifest.parent / "src").is_dir() and "[package]" in manifest.read_text():
                yield area, manifest.parent


def sources(crate):
    for path in sorted((crate / "src").rglob("*.rs")):
        inside = path.relative_to(crate / "src").parts
        if "tests" not in inside and path.stem != "tests":
            yield path


def blank(text):
    """The text with comments and the insides of literals made spaces, so that braces can be counted; lines stay."""
    out, at, size = [], 0, len(text)
    while at < size:
        raw = re.compile(r'b?r(#*)"').match(text, at)
        if text.startswith("//", at):
            end = text.find("\n", at)
            end = size if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2) + 2
        elif raw and not (at and (text[at - 1].isalnum() or text[at - 1] == "_")):
            close = '"' + raw.group(1)
            end = text.find(close, raw.end()) + len(close)
        elif text[at] == '"':
            end = at + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            end += 1
        elif literal := re.compile(r"'(\\(x..|u\{[^}]*\}|.)|[^\\'\n])'").match(text, at):
            end = literal.end()
        else:
            out.append(text[at])
            at += 1
            continue
        out.append("".join("\n" if c == "\n" else " " for c in text[at:end]))
        at = end
    return "".join(out)


def closing(code, at):
    """The place after the brace that closes the one at `at`."""
    depth = 0
    for end in range(at, len(code)):
        if code[end] == "{":
            depth += 1
        elif code[end] == "}":
            depth -= 1
            if depth == 0:
                return end + 1
    return len(code)


def without_tests(text):
    """The source without its `#[cfg(test)]` modules."""
    code = blank(text)
    kept, start = [], 0
    for found in re.finditer(r"^#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\(\w+\))? )?mod \w+ ?(\{|;)", code, re.M):
        if found.start() >= start:
            kept.append(text[start:found.start()])
            start = closing(code, found.end() - 1) if found.group(1) == "{" else found.end()
    kept.append(text[start:])
    return "".join(kept)


def signature_end(code, at):
    """The place of the body's brace or of the semicolon of the function whose name ends at `at`; None without either."""
    depth = 0
    for end in range(at, len(code)):
        if code[end] in "([":
            depth += 1
        elif code[end] in ")]":
            depth -= 1
        elif depth == 0 and code[end] in "{;":
            return end
    return None


class Figures:
    """The counts of a set of files."""

    def __init__(self):
        self.files, self.functions, self.docs = [], [], []
        self.opens = self.lines = self.code = self.bools = 0
        self.comments = defaultdict(int)
        self.patterns = defaultdict(int)

    def take(self, text):
        lines = text.split("\n")
        self.files.append(len(lines) - (lines[-1] == ""))
        self.opens += text.startswith("//!")
        doc = []
        for line in lines:
            bare = line.strip()
            kind = next((it for it in ("//!", "///", "//") if bare.startswith(it)), None)
            if kind == "///":
                doc.append(bare[3:])
            elif doc:
                self.docs.append(len(" ".join(doc).split()))
                doc = []
            self.lines += 1
            if kind:
                self.comments[kind] += 1
            elif bare:
                self.code += 1
        code = blank(text)
        for found in FN.finditer(code):
            end = signature_end(code, found.end())
            if end is None or code[end] == ";":
                continue
            body = closing(code, end)
            self.functions.append(code.count("\n", found.start(), body) + 1)
            self.bools += bool(re.search(r":\s*bool\b", code[found.end():end].split("->")[0]))
        for name, pattern in PATTERNS.items():
            self.patterns[name] += len(re.findall(pattern, code))

    def thousand(self, name):
        return f"{1000 * self.patterns[name] / max(1, self.code):.1f}"


PATTERNS = {
    "_ =>": r"(?<![\w|] )(?<!\w)_ (?:if [^\n]*)?=>",
    "unwrap": r"\.unwrap\(\)",
    "panic": r"\b(?:panic|todo|unimplemented)!",
    "unsafe": r"\bunsafe\b",
}


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def spread(values, shares):
    return "/".join(str(quantile(values, it)) for it in shares) + f"/{max(values, default=0)}"


def share(part, whole, digits=0):
    return f"{100 * part / max(1, whole):.{digits}f}"


def row(name, figures):
    total = figures.lines
    comments = " / ".join(share(figures.comments[it], total, 1) for it in ("//!", "///", "//"))
    words = figures.docs
    docs = ", ".join(
        [str(quantile(words, 0.5))] + [share(sum(it <= most for it in words), len(words)) + "%" for most in (2, 4)]
    )
    cells = [
        name,
        len(figures.files),
        f"{figures.lines:,}",
        spread(figures.files, (0.5, 0.9, 0.95)),
        spread(figures.functions, (0.5, 0.9, 0.95)),
        share(figures.opens, len(figures.files)) + "%",
        comments,
        docs,
        f"{1000 * figures.bools / max(1, len(figures.functions)):.0f}",
        figures.thousand("_ =>"),
        ", ".join(figures.thousand(it) for it in ("unwrap", "panic", "unsafe")),
    ]
    print("| " + " | ".join(map(str, cells)) + " |")


def methods(crate):
    """The methods of each type of a crate, counted over all its `impl` blocks but those of traits, and the files they lie in."""
    counts, places = defaultdict(int), defaultdict(set)
    for path in sources(crate):
        code = blank(without_tests(path.read_text()))
        for found in IMPL.finditer(code):
            head = re.sub(r"^\s*<[^{]*?>(?=\s)", "", found.group(1)).split(" where ")[0].strip()
            if re.search(r"\bfor\b", head):
                continue
            name = re.match(r"[\w:]+", head)
            if name:
                body = code[found.end() - 1 : closing(code, found.end() - 1)]
                # The field of an `impl` is one deep; functions within methods are not its own.
                own = len(re.findall(r"^ {4}(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe |extern \"C\" )*fn ", body, re.M))
                counts[name.group(0).split("::")[-1]] += own
                places[name.group(0).split("::")[-1]].add(path)
    name = max(counts, key=counts.get, default=None)
    return (name, counts[name], len(places[name])) if name else ("", 0, 0)


def paths(code):
    """The paths of a source that begin at its crate or relative to its module, groups written out."""
    for found in re.finditer(r"(?<![\w:])(?:crate|super|self)::", code):
        yield from expand(code, found.start(), [])[0]


def expand(code, at, prefix):
    path, found = list(prefix), []
    while True:
        name = re.compile(r"\w*").match(code, at)
        path.append(name.group(0))
        at = name.end()
        if not code.startswith("::", at):
            return [path], at
        at += 2
        if code.startswith("{", at):
            at += 1
            while at < len(code) and code[at] != "}":
                if re.match(r"[A-Za-z_]", code[at]):
                    more, at = expand(code, at, path)
                    found += more
                    while at < len(code) and code[at] not in ",}":
                        at += 1
                else:
                    at += 1
            return found, at + 1


def cycle(crate):
    """The most files of a crate that all need each other; a module and what lies in it count as one, as in `tests/harness/cycles.rs`."""
    modules = {}
    for path in sources(crate):
        name = path.relative_to(crate / "src").with_suffix("").parts
        if name not in (("lib",), ("main",)):
            modules[name] = blank(without_tests(path.read_text()))
    needs = {}
    for module, code in modules.items():
        needs[module] = set()
        for path in paths(code):
            whole = [] if path[0] == "crate" else list(module)
            for name in path:
                if name == "super" and whole:
                    whole.pop()
                elif name not in ("crate", "self", "super"):
                    whole.append(name)
            while whole and tuple(whole) not in modules:
                whole.pop()
            target = tuple(whole)
            kin = target[: len(module)] == module or module[: len(target)] == target
            if target and not kin:
                needs[module].add(target)

    def reach(start):
        seen, open_ = set(), [start]
        while open_:
            for target in needs[open_.pop()]:
                if target not in seen:
                    seen.add(target)
                    open_.append(target)
        return seen

    reached = {it: reach(it) for it in needs}
    return max((sum(it in reached[to] for to in reached[it]) for it in needs), default=0)


def main():
    whole, areas, by_crate = Figures(), defaultdict(Figures), {}
    for area, crate in crates():
        own = by_crate.setdefault(crate, Figures())
        for path in sources(crate):
            text = without_tests(path.read_text())
            for figures in (whole, areas[area], own):
                figures.take(text)
    print("| | files | lines | file median/p90/p95/max | fn median/p90/p95/max | `//!` opens | `//!` / `///` / `//` % "
          "| doc words median, ≤2, ≤4 | bool-param fns /1,000 | `_ =>` /kLoC | unwrap, panic, unsafe /kLoC |")
    print("|" + "---|" * 11)
    row("**whole**", whole)
    for area in AREAS:
        row(area, areas[area])
    for crate, figures in by_crate.items():
        row(f"– {crate.relative_to(ROOT)}", figures)
    print("\n| crate | largest object: methods (files) | largest cycle of files |")
    print("|---|---|---|")
    for crate in by_crate:
        name, count, files = methods(crate)
        print(f"| {crate.relative_to(ROOT)} | `{name}` {count} ({files}) | {cycle(crate)} |")


main()
