"""Makes what a release holds, in target/dist: README.md of this folder says what.

    python3 packaging/release.py             # needs `zig` and `cargo-zigbuild`, see README.md
    python3 packaging/release.py --native    # with the C compilers and linkers of this machine
    python3 packaging/release.py --native --profile dev    # to try it with what the tests have built"""

import argparse
import base64
import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIST = ROOT / "target/dist"
# The oldest that Rust itself supports, of 2012.
GLIBC = "2.17"
SUMMARY = "Groundswell, a workflow language for language-model agents: the compiler gswc"
HOME = "https://github.com/groundswell-lang/groundswell"
PROGRAMS = ("gswc", "gsw-launcher")
# The launcher of `gswc build --static`, which has the C library inside.
STATIC = "gsw-launcher-static"
# Where the packages of Debian and others put their Rust compiler.
SYSTEM_RUSTC = "/usr/bin/rustc"
# How each kind of package calls a machine.
MACHINES = {
    "x86_64": {"npm": "x64", "debian": "amd64", "package": "groundswell"},
    "aarch64": {"npm": "arm64", "debian": "arm64", "package": "groundswell-linux-arm64"},
}
SHELLS = {
    "bash": "share/bash-completion/completions/gswc",
    "zsh": "share/zsh/site-functions/_gswc",
    "fish": "share/fish/vendor_completions.d/gswc.fish",
}


def run(*command, **options):
    return subprocess.run([str(it) for it in command], check=True, cwd=ROOT, **options)


def version():
    manifest = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', manifest, re.M)[1]


def target(machine):
    return f"{machine}-unknown-linux-gnu"


def has_library(rustc, machine):
    """Whether a Rust compiler has the standard library of a machine."""
    if not shutil.which(rustc):
        return False
    command = [rustc, "--print", "target-libdir", "--target", target(machine)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0 and any(pathlib.Path(done.stdout.strip()).glob("libstd-*.rlib"))


def rust_compiler(machine):
    """The Rust compiler that has the standard library of a machine: the one in use, else that of the system's packages."""
    in_use = os.environ.get("RUSTC", "rustc")
    return next((it for it in (in_use, SYSTEM_RUSTC) if has_library(it, machine)), None)


def c_compiler(machine):
    """How Debian, Fedora and others call the C compiler that makes code for a machine."""
    return "cc" if machine == platform.machine() else f"{machine}-linux-gnu-gcc"


def missing(machine, is_native):
    """What keeps this machine from making programs for a machine."""
    if not rust_compiler(machine):
        return f"no Rust compiler with the standard library of {target(machine)}"
    if is_native and not shutil.which(c_compiler(machine)):
        return f"no {c_compiler(machine)}"
    return None


def target_folder():
    """Where cargo builds; a relative one is meant from the repository."""
    return ROOT / os.environ.get("CARGO_TARGET_DIR", "target")


def environment(machine, **more):
    """For cargo with the compilers of this system."""
    linker = f"CARGO_TARGET_{target(machine).upper().replace('-', '_')}_LINKER"
    return {**os.environ, "RUSTC": rust_compiler(machine), linker: c_compiler(machine), **more}


def folder_of(profile):
    """How cargo calls the folder of a profile."""
    return "debug" if profile == "dev" else profile


def built(machine, is_native, profile):
    """The folder of both programs."""
    command = ["cargo", "build", "--profile", profile, "-p", "gswc"]
    if is_native and machine == platform.machine():
        run(*command)
        return target_folder() / folder_of(profile)
    if is_native:
        run(*command, "--target", target(machine), env=environment(machine))
        return target_folder() / target(machine) / folder_of(profile)
    if not shutil.which("cargo-zigbuild"):
        sys.exit("error: there is no `cargo-zigbuild`: `pip install ziglang` and `cargo install cargo-zigbuild`, or `--native`")
    zig = {**os.environ, "RUSTC": rust_compiler(machine)}
    run("cargo", "zigbuild", "--profile", profile, "-p", "gswc", "--target", f"{target(machine)}.{GLIBC}", env=zig)
    return target_folder() / target(machine) / folder_of(profile)


def static_launcher(machine, profile):
    """The launcher with glibc inside, where it can be made: when there is a C compiler for the machine, with the archive `libc.a`."""
    compiler = shutil.which(c_compiler(machine))
    library = compiler and subprocess.run([compiler, "-print-file-name=libc.a"], capture_output=True, text=True).stdout.strip()
    if not library or not pathlib.Path(library).is_absolute():
        print(f"{machine}: no {STATIC}, since {c_compiler(machine)} has no `libc.a` here (Debian's `libc6-dev`, Fedora's `glibc-static`)")
        return None
    # At a fixed address, as the others: `compiler/cli/build.rs` says why.
    flags = "-C target-feature=+crt-static -C relocation-model=static"
    command = ["cargo", "build", "--profile", profile, "-p", "gsw-launcher", "--example", "launcher", "--target", target(machine)]
    run(*command, env=environment(machine, RUSTFLAGS=flags))
    return target_folder() / target(machine) / folder_of(profile) / "examples/launcher"


def needed_glibc(program):
    """The newest version of glibc that a program names."""
    found = re.findall(rb"GLIBC_(\d+)\.(\d+)", program.read_bytes())
    return max((int(major), int(minor)) for major, minor in found)


def tree(machine, programs, alone, speaker, root):
    """What is installed below a prefix such as /usr/local: both programs, the launcher that stands alone, where there is one, and what
    `speaker`, a `gswc` that runs on this machine, says of itself."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "bin").mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy2(programs / name, root / "bin" / name)
    if alone:
        shutil.copy2(alone, root / "bin" / STATIC)
    for shell, place in SHELLS.items():
        done = run(speaker, "completions", shell, capture_output=True)
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(done.stdout)
    (root / "share/man/man1").mkdir(parents=True)
    run(speaker, "man", root / "share/man/man1")
    docs = root / "share/doc/groundswell"
    docs.mkdir(parents=True)
    for name in ("LICENSE", "README.md", "CHANGELOG.md"):
        shutil.copy2(ROOT / name, docs / name)
    done = run(sys.executable, "packaging/licences.py", target(machine), capture_output=True)
    (docs / "THIRD-PARTY.txt").write_bytes(done.stdout)


def as_root(info):
    """The same bytes whoever makes it, and when."""
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = "root"
    return info


@contextlib.contextmanager
def tarball(file):
    """A compressed archive without a time in it."""
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        yield tar


def archive(root, number, machine):
    name = f"groundswell-{number}-{machine}-linux"
    file = DIST / f"{name}.tar.gz"
    with tarball(file) as tar:
        tar.add(root, arcname=name, filter=as_root)
    return file


def wheel(root, number, machine, glibc):
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"
    file = DIST / f"groundswell-{number}-{tag}.whl"
    info, scripts = f"groundswell-{number}.dist-info", f"groundswell-{number}.data/scripts"
    files = {f"{scripts}/{it.name}": it.read_bytes() for it in sorted((root / "bin").iterdir())}
    for name in ("LICENSE", "THIRD-PARTY.txt"):
        files[f"{info}/licenses/{name}"] = (root / "share/doc/groundswell" / name).read_bytes()
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: groundswell\nVersion: {number}\nSummary: {SUMMARY}\nLicense-Expression: Apache-2.0\n"
        f"License-File: LICENSE\nLicense-File: THIRD-PARTY.txt\nProject-URL: Home, {HOME}\n"
        f"Description-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text()}"
    ).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: groundswell\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            package.writestr(entry, content)
        package.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), f"{record}{info}/RECORD,,\n")
    return file


def node_package(root, number, machine):
    called = MACHINES[machine]
    manifest = {
        "name": called["package"],
        "version": number,
        "description": SUMMARY,
        "license": "Apache-2.0",
        "homepage": HOME,
        "os": ["linux"],
        "cpu": [called["npm"]],
        "libc": ["glibc"],
        "bin": {"gswc": "bin/gswc"},
    }
    file = DIST / f"{called['package']}-{number}.tgz"
    with tarball(file) as tar:
        text = json.dumps(manifest, indent=2).encode()
        entry = as_root(tarfile.TarInfo("package/package.json"))
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text))
        for program in sorted((root / "bin").iterdir()):
            tar.add(program, arcname=f"package/bin/{program.name}", filter=as_root)
        for name in ("LICENSE", "README.md", "THIRD-PARTY.txt"):
            tar.add(root / "share/doc/groundswell" / name, arcname=f"package/{name}", filter=as_root)
    return file


def debian_package(root, number, machine, glibc):
    if not shutil.which("dpkg-deb"):
        print("no dpkg-deb here: no .deb")
        return None
    architecture = MACHINES[machine]["debian"]
    stage = DIST / "deb"
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(root, stage / "usr")
    # Where Debian's zsh looks.
    completion = stage / "usr" / SHELLS["zsh"]
    (stage / "usr/share/zsh/vendor-completions").mkdir()
    completion.rename(stage / "usr/share/zsh/vendor-completions" / completion.name)
    completion.parent.rmdir()
    docs = stage / "usr/share/doc/groundswell"
    (docs / "LICENSE").rename(docs / "copyright")
    (stage / "DEBIAN").mkdir()
    size = sum(it.stat().st_size for it in root.rglob("*") if it.is_file()) // 1024
    (stage / "DEBIAN/control").write_text(
        f"Package: groundswell\nVersion: {number}\nArchitecture: {architecture}\nMaintainer: The Groundswell maintainers <{HOME}>\n"
        f"Installed-Size: {size}\nDepends: libc6 (>= {glibc[0]}.{glibc[1]}), libgcc-s1\nSection: devel\nPriority: optional\n"
        f"Homepage: {HOME}\nDescription: {SUMMARY.split(': ')[0]}\n {SUMMARY.split(': ')[1]}, its language server and its formatter in one file.\n"
    )
    file = DIST / f"groundswell_{number}_{architecture}.deb"
    # Debian's own name for the time that all files have.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}
    run("dpkg-deb", "--build", "--root-owner-group", "-Zgzip", "-z6", stage, file, stdout=subprocess.DEVNULL, env=environment)
    shutil.rmtree(stage)
    return file


def container(number):
    file = DIST / "Containerfile"
    text = (ROOT / "packaging/Containerfile").read_text()
    file.write_text(text.replace("VERSION", number))
    return file


def packages(machine, programs, alone, speaker, number):
    """The files for one machine, and the glibc that they need."""
    glibc = max(needed_glibc(programs / name) for name in PROGRAMS)
    root = DIST / "root"
    tree(machine, programs, alone, speaker, root)
    made = [
        archive(root, number, machine),
        wheel(root, number, machine, glibc),
        node_package(root, number, machine),
        debian_package(root, number, machine, glibc),
    ]
    shutil.rmtree(root)
    return made, glibc


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--native", action="store_true", help="with the C compilers, linkers and glibc of this machine instead of zig")
    parser.add_argument("--profile", default="release", help="of cargo, by which the programs are compiled")
    arguments = parser.parse_args()
    os.umask(0o022)
    DIST.mkdir(parents=True, exist_ok=True)
    own, number = platform.machine(), version()
    # This machine first: its `gswc` writes the pages of the others.
    machines = [own, *(it for it in MACHINES if it != own)]
    made, speaker = [], None
    for machine in machines:
        lacks = missing(machine, arguments.native)
        if lacks and machine == own:
            sys.exit(f"error: there is {lacks}")
        if lacks:
            print(f"{machine}: nothing is made, since there is {lacks} here (README.md says where it comes from)")
            continue
        programs = built(machine, arguments.native, arguments.profile)
        alone = static_launcher(machine, arguments.profile)
        speaker = speaker or programs / "gswc"
        files, glibc = packages(machine, programs, alone, speaker, number)
        print(f"{machine}: needs glibc {glibc[0]}.{glibc[1]} or later")
        made += files
    made.append(container(number))
    sums = ""
    for file in filter(None, made):
        sums += f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        print(f"{file.stat().st_size / 1e6:7.1f} MB  {file.relative_to(ROOT)}")
    (DIST / "SHA256SUMS").write_text(sums)


main()
