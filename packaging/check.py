"""Installs each file of target/dist into a root of its own, and builds and runs a program there. What cannot be installed here
(no npm, not root) is named and left out; `CI` in the environment makes the first of them an error. The archive for another machine
is tried with its emulator, `qemu-MACHINE` (Debian's `qemu-user-static`), and the C library of that machine as Debian's packages for cross
compiling install it (`libc6-dev-arm64-cross`, `libgcc-s1-arm64-cross`), or below the folder that `--root` names; where they are missing, that is said."""

import argparse
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile

import action
import container
from trial import DIST, OWN, assert_greets, left_out, libraries, only, run, works

DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def in_empty_root(what, root, gswc):
    """In a root that has the package, the C library and /proc, where programs find their own file: no shell, no /tmp."""
    chroot = shutil.which("chroot")
    if os.geteuid() != 0 or not chroot:
        return left_out(what, "only root may change the root of a process")
    for library in libraries(root / gswc.relative_to("/")):
        (root / library.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library.relative_to("/"))
    (root / "work").mkdir()
    (root / "proc").mkdir()
    run("mount", "-t", "proc", "proc", root / "proc")
    try:
        works(what, gswc, root / "work", (chroot, root), pathlib.Path("/work"))
        run(chroot, root, gswc, "build", "/work/hello.gsw", "--static", "-o", "/work/alone", env={})
    finally:
        run("umount", root / "proc")
    alone(what, root / "work/alone", chroot)


def alone(what, program, chroot):
    """A program of `gswc build --static` in a root that has nothing else, as an image `FROM scratch` is."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "proc").mkdir()
        shutil.copy(program, root / "hello")
        run("mount", "-t", "proc", "proc", root / "proc")
        try:
            said = run(chroot, root, "/hello", "--name", what, env={})
        finally:
            run("umount", root / "proc")
    assert_greets(what, said)
    print(f"- {what}: what `--static` builds runs without a C library")


def unpacked(machine, folder):
    file = only(f"*-{machine}-linux.tar.gz")
    # The time in its head is that of no build, so that it can be made again.
    assert file.read_bytes()[4:8] == bytes(4), file
    run("tar", "-xzf", file, "-C", folder)
    (found,) = folder.iterdir()
    for part in ("share/man/man1/gswc.1", "share/doc/groundswell/THIRD-PARTY.txt"):
        assert (found / part).stat().st_size > 0, part
    return found


def archive(folder):
    found = unpacked(OWN, folder)
    in_empty_root("archive", folder, pathlib.Path("/") / found.name / "bin/gswc")


def emulated(machine, root):
    """The archive of another machine, where what runs its programs is here."""
    what = f"archive for {machine}"
    emulator = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
    if not emulator:
        print(f"- {what}: not tried, there is no qemu-{machine}")
        return
    if not (root / "lib").is_dir():
        print(f"- {what}: not tried, there is no C library of that machine in {root}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        gswc = unpacked(machine, folder) / "bin/gswc"
        works(what, gswc, folder, (emulator, "-L", root), folder)
        if (gswc.parent / "gsw-launcher-static").exists():
            # No `-L`: it must do without a C library.
            run(emulator, "-L", root, gswc, "build", folder / "hello.gsw", "--static", "-o", folder / "alone", env={})
            assert_greets(what, run(emulator, folder / "alone", "--name", what, env={}))
            print(f"- {what}: what `--static` builds runs without a C library")


def debian_package(folder):
    if not shutil.which("dpkg-deb"):
        return left_out("deb", "there is no dpkg-deb")
    run("dpkg-deb", "-x", only(f"*_{DEBIAN[OWN]}.deb"), folder)
    for part in ("doc/groundswell/copyright", "zsh/vendor-completions/_gswc", "man/man1/gswc.1"):
        assert (folder / "usr/share" / part).stat().st_size > 0, part
    in_empty_root("deb", folder, pathlib.Path("/usr/bin/gswc"))


def wheel(folder):
    run(sys.executable, "-m", "venv", folder / "venv")
    run(folder / "venv/bin/pip", "install", "--no-index", "--quiet", only(f"*_{OWN}.whl"))
    works("wheel", folder / "venv/bin/gswc", folder)


def node_package(folder):
    if not shutil.which("npm"):
        return left_out("npm", "there is no npm")
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, only("groundswell-[0-9]*.tgz" if OWN == "x86_64" else "groundswell-linux-*.tgz"), cwd=folder)
    works("npm", folder / "node_modules/.bin/gswc", folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, help="a folder with the C library of the other machine, as it is mounted there")
    arguments = parser.parse_args()
    sums = [line.split() for line in (DIST / "SHA256SUMS").read_text().splitlines()]
    for digest, name in sums:
        assert hashlib.sha256((DIST / name).read_bytes()).hexdigest() == digest, name
    for check in (archive, debian_package, wheel, node_package, container.check, action.check):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    for machine in DEBIAN:
        if machine == OWN:
            continue
        if any(name.endswith(f"-{machine}-linux.tar.gz") for _, name in sums):
            emulated(machine, arguments.root or pathlib.Path(f"/usr/{machine}-linux-gnu"))
        else:
            print(f"- archive for {machine}: not tried, packaging/release.py has made none here")


main()
