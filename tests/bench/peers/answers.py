"""Reads the answers of runtime/agents/tests/answers with ours, `json_repair` and BAML v1 and prints how each did.

    pip install --target DIR baml-bridge json_repair jsonschema
    cargo build --release -p gsw-agents --example answers
    PYTHONPATH=DIR python3 tests/bench/peers/answers.py [target/release/examples/answers]

A case is `right` (the value that the page says, or refused where it says so), `refused` although it can be read, `told` (another value,
and a repair says so) or `silent` (another value without a word). `json_repair` and BAML say nothing of their repairs, so each other value is silent.
The values of `json_repair` are checked by JSON Schema, those of BAML by its own type.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ROOT / "runtime/agents/tests/answers"


def cases():
    for page in sorted(PAGES.glob("*.txt")):
        schemas, wholes = {}, {}
        for part in re.split(r"^=== ", page.read_text(), flags=re.M)[1:]:
            heading, _, text = part.partition("\n")
            if heading.startswith("schema "):
                schemas[heading[7:]] = json.loads(text)
            elif heading.startswith("whole "):
                wholes[heading[6:]] = json.loads(text)
            else:
                name, _, what = heading.partition(": ")
                schema, _, mode = name.partition(" ")
                answer, _, said = ("\n" + text).partition("\n--- ")
                answer = re.sub(r"<U\+(\w+)>", lambda it: chr(int(it[1], 16)), answer[1:])
                said = said.split("\n")[0]
                value = None if said == "refused" else wholes[schema] if said == "whole" else json.loads(said)
                yield {"what": heading, "name": schema, "schema": schemas[schema], "mode": mode or "lenient",
                       "answer": answer, "refused": said == "refused", "value": value}


def ours(program, cases):
    lines = "".join(json.dumps({key: it[key] for key in ("schema", "answer", "mode")}) + "\n" for it in cases)
    read = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    for line in read.splitlines():
        said = json.loads(line)
        yield ("value", said["value"], bool(said["repairs"])) if "value" in said else ("refused", None, False)


def by_json_repair(cases):
    import json_repair
    import jsonschema
    for it in cases:
        try:
            value = json_repair.loads(it["answer"])
            jsonschema.validate(value, it["schema"])
            yield "value", value, False
        except jsonschema.ValidationError:
            yield "refused", None, False


# BAML's types of our schemas; what it cannot say is left out.
BAML = {
    "bug": ("Bug", 'class Bug { title string, line int, severity "Low" | "Medium" | "High", tags string[] }'),
    "bugs": ("Item[]", "class Item { line int, title string }"),
    "query": ("Query", "class Query { query string }"),
    "options": ("Options", "class Options { name string?, page_size int?, verbose bool? }"),
    "names": ("Names", "class Names { names string[] }"),
    "author": ("Book", "class Author { name string }\nclass Book { title string, author Author }"),
    "int": ("int", ""), "float": ("float", ""), "bool": ("bool", ""), "ints": ("int[]", ""), "words": ("string[]", ""),
    "maybe": ("int?", ""), "counts": ("map<string, int>", ""), "label": ('"spam" | "ham" | "not_sure"', ""),
}


def by_baml(cases):
    from baml_bridge import BamlRuntime, call_function_sync
    source = "\n".join(types for _, types in BAML.values())
    for name, (kind, _) in BAML.items():
        source += f"\nfunction read_{name}(text: string) -> {kind} {{ baml.sap.parse<{kind}>(text) }}\n"
    with tempfile.TemporaryDirectory() as folder:
        runtime = BamlRuntime.initialize_runtime(root_path=folder, files={"main.baml": source})
        for it in cases:
            if it["name"] not in BAML:
                yield "left out", None, False
                continue
            try:
                yield "value", plain(call_function_sync(runtime, "read_" + it["name"], {"text": it["answer"]})), False
            except Exception:
                yield "refused", None, False


def plain(value):
    if isinstance(value, list):
        return [plain(it) for it in value]
    if isinstance(value, dict):
        return {key: plain(it) for key, it in value.items() if it is not None}
    if hasattr(value, "__dict__") and not isinstance(value, (str, int, float, bool)):
        return plain({key: it for key, it in vars(value).items() if not key.startswith("_")})
    return value


def judged(case, outcome):
    kind, value, is_told = outcome
    if kind == "left out":
        return kind
    if kind == "refused":
        return "right" if case["refused"] else "refused"
    if not case["refused"] and value == case["value"]:
        return "right"
    return "told" if is_told else "silent"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/examples/answers")
    # The others have no such settings.
    all_cases = [it for it in cases() if it["mode"] == "lenient"]
    print(f"{len(all_cases)} answers")
    for name, outcomes in (("ours", lambda: ours(program, all_cases)), ("json_repair", lambda: by_json_repair(all_cases)), ("BAML v1", lambda: by_baml(all_cases))):
        try:
            verdicts = [judged(*it) for it in zip(all_cases, outcomes(), strict=True)]
        except Exception as error:
            print(f"{name:12} could not be run: {error}")
            continue
        counts = collections.Counter(verdicts)
        print(f"{name:12} " + "  ".join(f"{it} {counts[it]}" for it in ("right", "refused", "told", "silent", "left out")))
        if os.environ.get("SHOW"):
            for case, verdict in zip(all_cases, verdicts):
                if verdict not in ("right", "left out"):
                    print(f"   {verdict}: {case['what']}")


main()
