#!/usr/bin/env bash
# Drives the fake provider with the official clients of Anthropic (Python and TypeScript), OpenAI and Gemini (Python), which are
# installed under target/.
# A client that cannot be installed is an error, unless the first argument is --if-available.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
place="${CARGO_TARGET_DIR:-$root/target}/clients"
mkdir -p "$place/typescript"

missing() {
  echo "$1 cannot be installed" >&2
  [ "${2:-}" = --if-available ] && return 0
  exit 1
}

cd "$root"
# With `gswc` its dependencies are those of the workspace, which may be compiled already.
cargo build --quiet --package gswc --package fake-provider
coproc FAKE { exec "${CARGO_TARGET_DIR:-$root/target}/debug/fake-provider"; }
fake=$FAKE_PID
trap 'kill "$fake" 2>/dev/null || true' EXIT
read -r port <&"${FAKE[0]}"
export FAKE_URL="http://127.0.0.1:$port"

[ -x "$place/python/bin/python" ] || python3 -m venv "$place/python" || missing "Python" "${1:-}"
# The package, the module that it brings, and what drives it.
while read -r package module drive; do
  if "$place/python/bin/python" -c "import $module" 2>/dev/null ||
    "$place/python/bin/pip" install --quiet "$package"; then
    "$place/python/bin/python" "$here/$drive"
  else
    missing "the client $package for Python" "${1:-}"
  fi
done <<'CLIENTS'
anthropic anthropic drive.py
openai openai drive_openai.py
google-genai google.genai drive_gemini.py
CLIENTS

cd "$place/typescript"
[ -f package.json ] || echo '{ "private": true }' > package.json
if [ -d node_modules/@anthropic-ai/sdk ] || npm install --silent --no-audit --no-fund @anthropic-ai/sdk; then
  node "$here/drive.mjs"
else
  missing "the client for TypeScript" "${1:-}"
fi
