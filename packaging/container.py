"""Builds the image of `Containerfile` and runs a program in it. Without a daemon of Docker or Podman the file is read and its
instructions are carried out here, each stage in a root of its own; an instruction that nobody has taught this script is an error."""

import json
import os
import pathlib
import shutil
import subprocess

from trial import DIST, HELLO, assert_greets, libraries, run

# What a stage finds of `debian:stable-slim`: these programs of this machine, and the files that their loader needs.
BASE = ("sh", "mkdir", "tar", "gzip", "uname")
# And what its C library comes with: Debian's `libc6` needs `libgcc-s1`.
LIBRARIES = ("libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1")
BASE_IMAGE = "debian:stable-slim"
# As Docker has it when nothing is said.
SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def check(folder):
    (folder / "work").mkdir()
    (folder / "work/hello.gsw").write_text(HELLO)
    builder = next((it for it in ("docker", "podman") if has_daemon(it)), None)
    if builder:
        run(builder, "build", "-f", "Containerfile", "-t", "gswc-check", ".", cwd=DIST)
        inside = (builder, "run", "--rm", "-v", f"{folder / 'work'}:/work", "gswc-check")
        return greets(f"container, built by {builder}", *inside)
    if os.geteuid() != 0 or not shutil.which("chroot"):
        print("- container: not tried, there is no daemon to build it, and only root may change the root of a process")
        return None
    image = carried_out(DIST / "Containerfile", folder)
    shutil.copytree(folder / "work", image.root / image.folder.lstrip("/"), dirs_exist_ok=True)
    (image.root / "proc").mkdir()
    if subprocess.run(["mount", "-t", "proc", "proc", image.root / "proc"], capture_output=True).returncode != 0:
        print("- container: made without a daemon and not tried, nothing can be mounted here")
        return None
    try:
        return greets("container, without a daemon", *image.started())
    finally:
        run("umount", image.root / "proc")


def has_daemon(builder):
    return shutil.which(builder) and subprocess.run([builder, "info"], capture_output=True).returncode == 0


def greets(what, *inside):
    run(*inside, "check", "hello.gsw")
    said = run(*inside, "run", "hello.gsw", "--", "--name", what)
    assert_greets(what, said)
    print(f"- {what}: checks and runs a program")


class Stage:
    """A root that is being filled, with what the instructions have said of it."""

    def __init__(self, root):
        self.root = root
        self.environment = {"PATH": SEARCHED}
        self.folder = "/"
        self.entry = []
        for program in (pathlib.Path(shutil.which(it)) for it in BASE):
            needed = libraries(program)
            beside = next(it.parent for it in needed if it.name == "libc.so.6")
            for file in (program, *needed, *(beside / it for it in LIBRARIES)):
                self.add(file)
        (root / "tmp").mkdir()
        (root / "opt").mkdir()

    def add(self, file):
        # Where it is looked for, whatever links there are on the way.
        (self.root / file.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, self.root / file.relative_to("/"))

    def run(self, *command):
        # A shell that the folder is given to: `chroot` has no way to say it.
        inside = ("sh", "-c", 'cd "$0" && exec "$@"', self.folder, *command)
        return run("chroot", self.root, *inside, env=self.environment)

    def started(self):
        """The words before a command in the image."""
        says = (f"{name}={value}" for name, value in self.environment.items())
        return ("env", "-i", *says, shutil.which("chroot"), self.root, "sh", "-c", f'cd {self.folder} && exec "$0" "$@"', *self.entry)


def instructions(file):
    """Each instruction with what follows it, lines that are continued put together."""
    lines = (it for it in file.read_text().splitlines() if not it.startswith("#"))
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


def carried_out(file, folder):
    """The last stage of a file, with all that its instructions do."""
    stages, stage = {}, None
    for word, rest in instructions(file):
        match word:
            case "FROM":
                image, _, name = rest.partition(" AS ")
                assert image == BASE_IMAGE, f"{file}: nothing is known of {image}"
                root = folder / f"stage-{len(stages)}"
                root.mkdir()
                stage = stages[name] = Stage(root)
            case "COPY":
                copy(stage, stages, rest)
            case "RUN":
                stage.run("sh", "-c", rest)
            case "ENV":
                name, _, value = rest.partition("=")
                stage.environment[name] = value.replace("$PATH", stage.environment["PATH"])
            case "WORKDIR":
                (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
                stage.folder = rest
            case "ENTRYPOINT":
                stage.entry = json.loads(rest)
            case _:
                raise SystemExit(f"error: {file}: packaging/container.py does not know how to carry out {word}")
    return stage


def copy(stage, stages, rest):
    *options, source, to = rest.split()
    place = stage.root / to.lstrip("/")
    origin = next((it.removeprefix("--from=") for it in options), None)
    if origin is not None:
        shutil.copytree(stages[origin].root / source.lstrip("/"), place, symlinks=True)
        return
    found = sorted(DIST.glob(source))
    assert found, f"no file of {DIST} fits {source}"
    place.mkdir(parents=True, exist_ok=True)
    for file in found:
        shutil.copy(file, place / file.name)
