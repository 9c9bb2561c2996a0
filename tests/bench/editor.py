#!/usr/bin/env python3
"""The language server beside `ty server` (PyPI: `ty`) on the same work: `editor.py [GSWC] [FILES] [LINES]`.

A project of FILES files of LINES lines each; in one of them the body of a function is edited again and again. Prints, for both in turn: the first report about
the open file, the first reports about all files of a project with a mistake in each, keystroke to report, hover and completion (median and 95 %), the processor time of the server for each of them, and its resident memory. Processor
time is what to compare on a machine that does other things as well.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EDITS = 100
# A client that is sent the reports about open documents, and one that asks for those about all files.
SENT = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}}
ASKED = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {}}}
# `ty` reports of files that are not open when it is told to.
ALL = {"diagnosticMode": "workspace"}


class Server:
    """A language server with its client."""

    def __init__(self, command, root, capabilities, options=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root)
        self.next = 0
        self.kept = []
        client = {
            "processId": os.getpid(),
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": "bench"}],
            "capabilities": capabilities,
            "initializationOptions": options or {},
        }
        self.answer(self.ask("initialize", client))
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, parameters):
        self.send({"method": method, "params": parameters})

    def ask(self, method, parameters):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": parameters})
        return self.next

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length == 0:
            raise SystemExit("the server has gone")
        message = json.loads(self.process.stdout.read(length))
        if "id" in message and "method" in message:
            # A request of the server: workspace/configuration wants a list, everything else nothing.
            items = message.get("params", {}).get("items") if isinstance(message.get("params"), dict) else None
            self.send({"id": message["id"], "result": [None] * len(items) if items else None})
        return message

    def answer(self, request):
        while True:
            message = self.receive()
            if message.get("id") == request and "method" not in message:
                if "error" in message:
                    raise SystemExit(f"{message['error']}")
                return message.get("result")
            self.kept.append(message)

    def report(self, uri, version):
        """Waits for the report about a version of a document."""
        while True:
            message = self.kept.pop(0) if self.kept else self.receive()
            parameters = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and parameters.get("uri") == uri and parameters.get("version", version) == version:
                return parameters["diagnostics"]

    def processor(self):
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def end(self):
        self.answer(self.ask("shutdown", None))
        self.tell("exit", None)
        self.process.wait(10)


def function(language, number, extra=""):
    """Ten lines of the same work in either language."""
    if language == "gsw":
        return (
            f"/// The work of {number}.\nfn work_{number}(n: int, items: [int]) -> int {{\n  let doubled = items.map(it => it * 2)\n  let large = doubled.filter(it => it > n)\n"
            f"  var total = {number}{extra}\n  for item in large {{\n    total += item\n  }}\n  total + large.len()\n}}\n"
        )
    return (
        f"# The work of {number}.\ndef work_{number}(n: int, items: list[int]) -> int:\n    doubled = [it * 2 for it in items]\n    large = [it for it in doubled if it > n]\n"
        f"    total = {number}{extra}\n    for item in large:\n        total += item\n\n    return total + len(large)\n\n"
    )


def source(language, index, lines, extra=""):
    head = ""
    if index > 0:
        head = f"import ./m{index - 1}\n\n" if language == "gsw" else f"import m{index - 1}\n\n"
    last = lines // 10
    body = "".join(function(language, number, extra if number == last // 2 else "") for number in range(last))
    if index > 0 and language == "gsw":
        body += f"fn through(n: int) -> int {{ m{index - 1}.work_0(n, [n]) }}\n"
    elif index > 0:
        body += f"def through(n: int) -> int:\n    return m{index - 1}.work_0(n, [n])\n"
    return head + body


def mistake(language):
    """A function that returns what it should not."""
    return 'fn wrong() -> int { "" }\n' if language == "gsw" else '\ndef wrong() -> int:\n    return ""\n'


def write(root, language, files, lines, extra=""):
    for index in range(files):
        (root / f"m{index}.{language}").write_text(source(language, index, lines) + extra)
    (root / ("gsw.toml" if language == "gsw" else "pyproject.toml")).write_text("" if language == "gsw" else '[project]\nname = "bench"\nversion = "1"\n')


def everything(language, command, files, lines):
    """From the start of a server until it has reported on all files: the time, and the processor time."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        write(root, language, files, lines, mistake(language))
        start = time.perf_counter()
        server = Server(command, root, ASKED, ALL)
        report = server.answer(server.ask("workspace/diagnostic", {"previousResultIds": []}))
        taken = time.perf_counter() - start
        wrong = sum(1 for it in report["items"] if it.get("items"))
        if wrong != files:
            raise SystemExit(f"{command[0]} has reported on {wrong} of {files} files")
        spent = server.processor()
        server.end()
    return [taken], spent


def measure(language, command, files, lines):
    found = {"all first reports": everything(language, command, files, lines)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        write(root, language, files, lines)
        path = root / f"m{files - 1}.{language}"
        start = time.perf_counter()
        server = Server(command, root, SENT)
        text = path.read_text()
        document = {"uri": path.as_uri(), "languageId": "gsw" if language == "gsw" else "python", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})
        server.report(path.as_uri(), 1)
        found["first report"] = [time.perf_counter() - start], server.processor()
        # What is still being read in the background is not part of an edit.
        settle(server)
        all_lines = text.splitlines()

        def place(of, part):
            """Behind a part of a line."""
            return {"textDocument": {"uri": path.as_uri()}, "position": {"line": of, "character": all_lines[of].index(part) + len(part)}}

        # The line of the variable, three below the head of its function.
        at = text[: text.index(f"work_{lines // 20}(")].count("\n") + 3
        line = all_lines[at]
        version = 1

        def edit(round):
            nonlocal version
            version += 1
            added = round % 2 == 0
            change = {"range": {"start": {"line": at, "character": len(line)}, "end": {"line": at, "character": len(line) + (0 if added else 4)}}, "text": " + 1" if added else ""}
            server.tell("textDocument/didChange", {"textDocument": {"uri": path.as_uri(), "version": version}, "contentChanges": [change]})
            server.report(path.as_uri(), version)

        found["keystroke to report"] = timed(server, edit)
        settle(server)
        last = at + 4
        asked = {
            "hover": ("hover", place(at, " tot" if language == "gsw" else "tot")),
            # Of what begins with two letters, everywhere.
            "completion of a name": ("completion", place(last, "total + la" if language == "gsw" else "total + len(la")),
            "completion of a member": ("completion", place(len(all_lines) - 1, f"m{files - 2}.")),
        }
        for what, (request, where) in asked.items():
            found[what] = timed(server, lambda _: server.answer(server.ask(f"textDocument/{request}", where)))
        found["resident"] = server.memory()
        server.end()
    return found


def settle(server):
    """Waits until the server does nothing."""
    before = -1.0
    while server.processor() - before > 0.02:
        before = server.processor()
        time.sleep(0.5)


def timed(server, action):
    taken = []
    before = server.processor()
    for round in range(EDITS):
        start = time.perf_counter()
        action(round)
        taken.append(time.perf_counter() - start)
    return taken, (server.processor() - before) / EDITS


def main():
    gswc = sys.argv[1] if len(sys.argv) > 1 else "target/release/gswc"
    files, lines = (int(it) for it in (sys.argv[2:4] + ["1000", "100"][len(sys.argv[2:4]) :]))
    servers = {"gswc lsp": ("gsw", [str(Path(gswc).resolve()), "lsp"])}
    if ty := shutil.which("ty"):
        servers["ty server"] = ("py", [ty, "server"])
    else:
        print("`ty` is not installed (pip install ty): no peer")
    all = {name: measure(language, command, files, lines) for name, (language, command) in servers.items()}
    print(f"{files:,} files, {files * lines:,} lines; milliseconds: median, 95 %, processor time\n")
    for what in ("first report", "all first reports", "keystroke to report", "hover", "completion of a name", "completion of a member"):
        shown = []
        for found in all.values():
            taken, processor = found[what]
            ordered = sorted(taken)
            shown.append((statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.95) - (len(ordered) > 1)] * 1e3, processor * 1e3))
        cells = "   ".join(f"{name} {a:8.1f} {b:8.1f} {c:8.1f}" for name, (a, b, c) in zip(all, shown))
        ratio = f"   processor {shown[0][2] / shown[1][2]:.2f}x" if len(shown) > 1 and shown[1][2] > 0 else ""
        print(f"{what:24}{cells}{ratio}")
    print(f"{'resident, MB':24}" + "   ".join(f"{name} {found['resident']:8.0f}" for name, found in all.items()))


if __name__ == "__main__":
    main()
