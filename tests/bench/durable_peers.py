"""Measures a durable step beside the systems that keep runs in a server, each where it can be installed, and prints one table.

`cargo build --release -p gswc && python3 tests/bench/durable_peers.py`. A step is a random number that is on the disk before the next is drawn.
DBOS comes from PyPI and needs a PostgreSQL on this machine (`initdb`, `postgres`); Restate comes from npm and PyPI. What cannot be installed in
ten minutes, or does not start, is named with the reason and left out.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import durable
import runs

HOME = runs.ROOT / "target" / "bench-durable"
COUNT = 2_000
# How long an installation may take, and how long a server may take to answer, in seconds.
INSTALL, START = 600, 60
NOBODY = 65534

# What a step of ours does in the peers: it happens, and is on the disk before the next one begins.
SYNCED = durable.ONCE


class Absent(Exception):
    """Why a peer is left out."""


def install(command):
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=INSTALL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Absent(f"cannot be installed: {error}") from error
    if done.returncode != 0:
        raise Absent(f"cannot be installed: {done.stderr.strip().splitlines()[-1:]}")


def python(*packages):
    """A Python that has these."""
    home = HOME / packages[0]
    if not (home / "done").exists():
        install([sys.executable, "-m", "venv", home])
        install([home / "bin" / "pip", "install", "-q", *packages])
        (home / "done").touch()
    return home / "bin"


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


@contextmanager
def served(command, ready, **options):
    """A server until the block ends, from when `ready()` says so."""
    server = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        until = time.monotonic() + START
        while not ready():
            if server.poll() is not None or time.monotonic() > until:
                raise Absent(f"`{Path(str(command[0])).name}` does not start")
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def answers(port):
    with socket.socket() as it:
        return it.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def postgres():
    """The address of a database of its own, as PostgreSQL is after `initdb`."""
    if not shutil.which("initdb") or not shutil.which("postgres"):
        raise Absent("there is no PostgreSQL here")
    # It refuses to be run by root.
    user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        if user:
            os.chmod(folder, 0o755)
            os.chown(data, NOBODY, NOBODY)
        made = subprocess.run(["initdb", "-D", data, "-U", "bench", "--auth=trust"], capture_output=True, text=True, cwd="/", **user)
        if made.returncode != 0:
            raise Absent(f"`initdb` fails: {made.stderr.strip()}")
        port = free_port()
        command = ["postgres", "-D", data, "-p", port, "-k", data, "-h", "127.0.0.1"]
        with served(command, lambda: answers(port), cwd="/", **user):
            yield f"postgresql://bench@127.0.0.1:{port}/bench"


def dbos(count):
    """Seconds for so many steps."""
    bin_ = python("dbos", "psycopg[binary]")
    with postgres() as database:
        time.sleep(1)
        made = subprocess.run([bin_ / "python", runs.PEERS / "durable_dbos.py", database, str(count)], capture_output=True, text=True, timeout=INSTALL)
        if made.returncode != 0:
            raise Absent(f"fails: {made.stderr.strip().splitlines()[-1:]}")
        return float(made.stdout.split()[-1])


def posted(port, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=INSTALL) as answer:
        return json.load(answer)


def restate(count):
    """Seconds for so many steps."""
    bin_ = python("restate-sdk", "hypercorn")
    home = HOME / "npm"
    home.mkdir(parents=True, exist_ok=True)
    server = home / "node_modules" / ".bin" / "restate-server"
    if not server.exists():
        install(["npm", "install", "--no-audit", "--no-fund", "--prefix", home, "@restatedev/restate-server"])
    ingress, admin, node, service = free_port(), free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(
            os.environ,
            RESTATE_INGRESS__BIND_ADDRESS=f"127.0.0.1:{ingress}",
            RESTATE_ADMIN__BIND_ADDRESS=f"127.0.0.1:{admin}",
            RESTATE_BIND_ADDRESS=f"127.0.0.1:{node}",
            RESTATE_DISABLE_TELEMETRY="true",
        )
        serving = [bin_ / "hypercorn", "--bind", f"127.0.0.1:{service}", "durable_restate:app"]
        with served([server, "--base-dir", folder], lambda: answers(ingress) and answers(admin), env=environment):
            with served(serving, lambda: answers(service), cwd=runs.PEERS):
                try:
                    posted(admin, "/deployments", {"uri": f"http://127.0.0.1:{service}"})
                    posted(ingress, "/steps/draw", 10)
                    return float(posted(ingress, "/steps/draw", count))
                except OSError as error:
                    raise Absent(f"fails: {error}") from error


def ours(work, source, name, count):
    """Seconds for so many steps, without the start of the process."""
    program, store = runs.build(work, name, source), work / "kept.db"
    base = durable.median(work, store, [program, "--quiet", "--n", 0])
    return durable.median(work, store, [program, "--quiet", "--n", count]) - base


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        behind = ours(work, durable.STEPS, "steps", COUNT)
        synced = ours(work, SYNCED, "synced", COUNT)
    print(f"{'a durable step, of ' + f'{COUNT:,}':44} {'each':>10} {'to ours, synced':>16} {'to ours':>8}")
    print(f"{'ours, each on the disk before the next':44} {synced / COUNT * 1e3:7.3f} ms")
    print(f"{'ours, what may be repeated: written behind':44} {behind / COUNT * 1e3:7.3f} ms")
    for name, measure in [("DBOS on PostgreSQL", dbos), ("Restate", restate)]:
        try:
            taken = measure(COUNT)
            print(f"{name:44} {taken / COUNT * 1e3:7.3f} ms {taken / synced:15.1f}x {taken / behind:7.1f}x")
        except Absent as why:
            print(f"{name:44} left out: {why}")
    # Its steps are compiled by the framework that serves them, so that there is no process to start here.
    print(f"{'workflow (npm)':44} left out: needs a web framework that builds it")


if __name__ == "__main__":
    main()
