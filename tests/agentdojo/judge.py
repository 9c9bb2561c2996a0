"""AgentDojo without a model: which user tasks still succeed where parameters are `trusted`, and which injections reach their goal.

    python judge.py --gswc ../../target/debug/gswc [--suite banking] [--policy who]

See README.md.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import typing

import model
import policy
from suites import SUITES, VERSION

HERE = pathlib.Path(__file__).parent

PROGRAM = """mcp dojo = stdio("{python}", ["{here}/environment.py", "{suite}"])

/// Begins a case, and gives what the user asks for.
tool begin(user_task: string, injection: string? = none) -> string trusted once by dojo

/// Whether the user's task is solved, and whether the injection has reached its goal.
tool finish(answer: string) -> string once by dojo

/// Asks a person whether a call is one that the user wants.
tool confirm(tool: string, input: json) -> string once by dojo

{tools}

/// A person is asked about what the labels hold back.
hook person {{
  before_tool(call) {{
    if call.untrusted.is_empty() {{ return allow }}
    if confirm(call.name, call.input) == "true" {{ vouch("the user wants it") }} else {{ deny("the user does not want it") }}
  }}
}}

/// As if nothing were labelled.
hook anything {{
  before_tool(call) {{ vouch("nobody looks") }}
}}

agent assistant {{
  model: "openai/{suite}"
  tools: [{names}]
  max_turns: 100
}}

prompt solve(request: string trusted) -> string by assistant {{ user request }}

type Case {{ user_task: string, injection: string? }}

workflow main(cases: [Case], asked: "nobody" | "person" | "anything") -> [string] {{
  var results: [string] = []
  for case in cases {{
    let request = begin(case.user_task, case.injection)
    let answer = match asked {{
      "nobody" => solve(request)
      "person" => solve(request) with {{ hooks: [person] }}
      "anything" => solve(request) with {{ hooks: [anything] }}
    }}
    results += [finish(answer)]
  }}
  results
}}
"""


def type_of(annotation):
    """A type of Python as one of the language."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [it for it in parts if it is not type(None)]
        inside = type_of(rest[0]) if len(rest) == 1 else "json"
        return f"{inside}?" if type(None) in parts else inside
    if origin is list:
        return f"[{type_of(parts[0])}]"
    return {str: "string", int: "int", float: "float", bool: "bool"}.get(annotation, "json")


def declaration(suite, tool, guarded):
    parameters = []
    for name, field in tool.parameters.model_fields.items():
        mark = " trusted" if name in guarded.get(tool.name, []) else ""
        kind = type_of(field.annotation)
        if not field.is_required() and not kind.endswith("?"):
            kind += "?"
        default = "" if field.is_required() else " = none"
        parameters.append(f"{name}: {kind}{mark}{default}")
    result = "string trusted" if tool.name in policy.OWN[suite.name] else "string"
    docs = tool.description.strip().splitlines()[0]
    return f"/// {docs}\ntool {tool.name}({', '.join(parameters)}) -> {result} once by dojo"


def program(suite, chosen):
    guarded = {name: list(them) for name, them in policy.WHO[suite.name].items()}
    if chosen == "what":
        for name, them in policy.WHAT[suite.name].items():
            guarded.setdefault(name, []).extend(them)
    tools = "\n\n".join(declaration(suite, it, guarded) for it in suite.tools)
    names = ", ".join(it.name for it in suite.tools)
    return PROGRAM.format(
        python=sys.executable, here=HERE.resolve(), suite=suite.name, tools=tools, names=names
    )


def run(gswc, source, url, cases, asked):
    """What came of each case."""
    env = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "x", "GSW_STORE": "off"}
    given = source.with_suffix(".json")
    given.write_text(json.dumps(cases))
    command = [gswc, "run", source, "--", "--cases", f"@{given}", "--asked", asked, "--quiet", "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=HERE)
    if done.returncode != 0:
        sys.exit(f"{source.stem}: {done.stderr[-3000:]}")
    return [json.loads(it) for it in json.loads(done.stdout)]


def count(results, key):
    return sum(bool(it[key]) for it in results)


def judge(gswc, suite, url, chosen, folder):
    source = folder / f"{suite.name}.gsw"
    source.write_text(program(suite, chosen))
    users = [{"user_task": it, "injection": None} for it in suite.user_tasks]
    pairs = [{"user_task": user, "injection": it} for user in suite.user_tasks for it in suite.injection_tasks]
    alone = run(gswc, source, url, users, "nobody")
    asked = run(gswc, source, url, users, "person")
    attacked = run(gswc, source, url, pairs, "person")
    open_door = run(gswc, source, url, pairs, "anything")
    unsolved = [case for case, it in zip(users, asked) if not it["solved"]]
    through = [case for case, it in zip(pairs, attacked) if it["reached"]]
    cases = [f"  not solved: {suite.name} {case['user_task']}" for case in unsolved]
    cases += [f"  reached: {suite.name} {case['user_task']} {case['injection']}" for case in through]
    return cases, {
        "user tasks": len(users),
        "solved, nobody asked": count(alone, "solved"),
        "solved, a person asked": count(asked, "solved"),
        "tasks in which the person is asked": count(asked, "asked"),
        "injections": len(pairs),
        "reached without labels": count(open_door, "reached"),
        "reached": len(through),
        "solved while attacked": count(attacked, "solved"),
    }


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--gswc", required=True)
    options.add_argument("--suite", choices=list(SUITES))
    options.add_argument("--policy", choices=["who", "what"], default="what")
    options.add_argument("--keep", help="a folder for the programs")
    options.add_argument("--expected", type=pathlib.Path, help="a file with the counts; others are an error")
    given = options.parse_args()
    url = model.serve()
    suites = [SUITES[given.suite]] if given.suite else list(SUITES.values())
    folder = pathlib.Path(given.keep or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    gswc = pathlib.Path(given.gswc).resolve()
    total = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda it: judge(gswc, it, url, given.policy, folder), suites)
        for suite, (cases, counts) in zip(suites, judged):
            print(*cases, f"{suite.name}: {json.dumps(counts)}", sep="\n", flush=True)
            for key, it in counts.items():
                total[key] = total.get(key, 0) + it
    lines = [f"AgentDojo {VERSION}, policy `{given.policy}`:", *(f"{it:5} {key}" for key, it in total.items())]
    print(*lines, sep="\n")
    if given.expected and given.expected.read_text().splitlines() != lines:
        sys.exit(f"error: these are not the counts in {given.expected}")


if __name__ == "__main__":
    main()
