"""Runs the steps of the action for GitHub as its runner does: in order, each a script of its own with its environment, in a repository
that was checked out. The package comes from `target/dist` instead of PyPI."""

import os
import re
import shutil
import subprocess
import sys

from trial import DIST, HELLO, ROOT, run

FILE = ROOT / "packaging/action/action.yml"
TEST = 'fn greeting(name: string) -> string { "Hello, ${name}!" }\ntest "greeting" { assert greeting("you") == "Hello, you!" }\n'
# Each makes one command of the action fail.
BROKEN = {
    "a program that is not formatted": 'workflow main()->string{"a"}\n',
    "a program with a mistake": 'workflow main() -> string { 1 }\n',
    "a test that fails": 'test "wrong" { assert 1 == 2 }\n',
}
# How the runner calls the shell of a step.
SHELLS = {"bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail")}


def check(folder):
    try:
        import yaml
    except ImportError:
        print("- action: not tried, there is no PyYAML to read it")
        return None
    action = yaml.safe_load(FILE.read_text())
    assert action["runs"]["using"] == "composite", FILE
    environment = installing(folder)
    inputs = {name: it.get("default", "") for name, it in action["inputs"].items()}
    steps = action["runs"]["steps"]
    assert ends(folder, "good", {"a.gsw": HELLO, "deep/er/b.gsw": TEST}, steps, inputs, environment) is None
    for what, text in BROKEN.items():
        failed = ends(folder, what, {"a.gsw": HELLO, "deep/er/b.gsw": text}, steps, inputs, environment)
        assert failed == len(steps) - 1, f"the action has nothing against {what}"
    assert ends(folder, "none", {"README.md": ""}, steps, inputs, environment) == len(steps) - 1
    other = {**inputs, "files": "a*.gsw"}
    files = {"a.gsw": HELLO, "b.gsw": BROKEN["a program with a mistake"]}
    assert ends(folder, "chosen", files, steps, other, environment) is None
    print(f"- action: its {len(steps)} steps pass a good repository and refuse {len(BROKEN)} bad ones")
    return None


def installing(folder):
    """An environment in which `pipx` takes packages from `target/dist` and puts programs on the path; a stand-in where there is none."""
    programs = folder / "programs"
    programs.mkdir()
    if not shutil.which("pipx"):
        stand_in = f'#!/bin/sh\nset -e\n[ "$1" = install ]\n{sys.executable} -m venv {folder}/venv\n{folder}/venv/bin/pip install --quiet "$2"\n'
        stand_in += f"ln -sf {folder}/venv/bin/gswc {folder}/venv/bin/gsw-launcher* {programs}\n"
        (programs / "pipx").write_text(stand_in)
        (programs / "pipx").chmod(0o755)
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(DIST),
        "PIPX_HOME": str(folder / "pipx"),
        "PIPX_BIN_DIR": str(programs),
    }


def ends(folder, name, files, steps, inputs, environment):
    """The number of the step that fails in a repository with these files; `None` when all pass."""
    repository = folder / re.sub(r"\W", "-", name)
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    if (repository / "a.gsw").exists():
        run("git", "init", "--quiet", repository)
    for number, step in enumerate(steps):
        assert set(step) <= {"shell", "run", "env", "name"}, f"packaging/action.py does not know all of {sorted(step)}"
        script = folder / "step.sh"
        script.write_text(expanded(step["run"], inputs))
        said = {name: expanded(value, inputs) for name, value in step.get("env", {}).items()}
        command = [*SHELLS[step["shell"]], str(script)]
        if subprocess.run(command, cwd=repository, env={**environment, **said}, capture_output=True).returncode != 0:
            return number
    return None


def expanded(text, inputs):
    """A text with the values of its `${{ … }}`."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda it: value(it[1].strip(), inputs), text)


def value(expression, inputs):
    """`inputs.NAME`, or `inputs.NAME && format('…{0}…', inputs.OTHER)`: what the action has."""
    name = r"inputs\.(\w+)"
    if found := re.fullmatch(name, expression):
        return inputs[found[1]]
    if found := re.fullmatch(rf"{name} && format\('([^']*)', {name}\)", expression):
        return inputs[found[1]] and found[2].replace("{0}", inputs[found[3]])
    raise SystemExit(f"error: packaging/action.py does not know the expression {expression}")


