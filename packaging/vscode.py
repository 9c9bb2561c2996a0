#!/usr/bin/env python3
"""Makes the extension for VS Code: `target/dist/groundswell-VERSION.vsix`, with its grammar tested and its client bundled.

Needs `npm`; with `--if-available` nothing is made where that, or the packages that it brings, cannot be had.
`code --install-extension FILE` installs what it makes.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "editors/vscode"
# What an editor needs; the client is one file, and another one where no program can be started.
CARRIED = ["package.json", "language-configuration.json", "syntaxes/gsw.tmLanguage.json", "out/extension.js", "out/web.js", "README.md"]
TYPES = {"json": "application/json", "js": "application/javascript", "md": "text/markdown", "txt": "text/plain",
         "vsixmanifest": "text/xml"}
# The same bytes from the same sources.
EPOCH = (1980, 1, 1, 0, 0, 0)


def manifest(package: dict) -> str:
    name, version, publisher = (quoteattr(package[it]) for it in ("name", "version", "publisher"))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher}/>
    <DisplayName>{package["displayName"]}</DisplayName>
    <Description xml:space="preserve">{package["description"]}</Description>
    <Categories>{",".join(package["categories"])}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def content_types() -> str:
    defaults = "".join(f'<Default Extension=".{it}" ContentType="{kind}"/>' for it, kind in TYPES.items())
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{defaults}</Types>\n')


def third_party() -> str:
    """The licences of what the bundler has put into the client."""
    inputs = json.loads((SOURCE / "out/bundled.json").read_text())["inputs"]
    found = sorted({match[1] for it in inputs if (match := re.match(r"(.*node_modules/(?:@[^/]+/)?[^/]+)/", it))})
    parts = []
    for place in found:
        package = json.loads((SOURCE / place / "package.json").read_text())
        files = sorted(it for it in (SOURCE / place).iterdir() if it.name.lower().startswith(("licen", "copying", "notice", "thirdparty")))
        if not files:
            sys.exit(f"error: {place} has no licence to carry")
        parts.append(f"{package['name']} {package['version']}: {package['license']}\n")
        parts += [it.read_text(encoding="utf-8", errors="replace").strip() + "\n" for it in files]
    return ("\n" + "-" * 79 + "\n\n").join(parts)


def main() -> None:
    npm = shutil.which("npm")
    brought = npm is not None and subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=SOURCE).returncode == 0
    if not brought:
        why = "npm is not installed" if npm is None else "npm cannot bring its packages"
        print(f"packaging/vscode.py: {why}; nothing is made", file=sys.stderr)
        sys.exit(0 if "--if-available" in sys.argv else 1)
    for words in (["test", "--silent"], ["run", "--silent", "bundle"]):
        subprocess.run([npm, *words], cwd=SOURCE, check=True)
    package = json.loads((SOURCE / "package.json").read_text())
    folder = ROOT / "target/dist"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"{package['name']}-{package['version']}.vsix"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name: str, content: bytes) -> None:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)

        add("[Content_Types].xml", content_types().encode())
        add("extension.vsixmanifest", manifest(package).encode())
        add("extension/LICENSE.txt", (ROOT / "LICENSE").read_bytes())
        add("extension/THIRD-PARTY.txt", third_party().encode())
        for name in CARRIED:
            add(f"extension/{name}", (SOURCE / name).read_bytes())
    print(made)


if __name__ == "__main__":
    main()
