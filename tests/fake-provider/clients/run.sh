#!/usr/bin/env bash
# Drives the fake provider with the official Anthropic clients for Python and TypeScript, which are installed under target/.
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
cargo build --quiet --package fake-provider
coproc FAKE { exec "${CARGO_TARGET_DIR:-$root/target}/debug/fake-provider"; }
fake=$FAKE_PID
trap 'kill "$fake" 2>/dev/null || true' EXIT
read -r port <&"${FAKE[0]}"
export FAKE_URL="http://127.0.0.1:$port"

if [ -x "$place/python/bin/python" ] || { python3 -m venv "$place/python" &&
  "$place/python/bin/pip" install --quiet anthropic; }; then
  "$place/python/bin/python" "$here/drive.py"
else
  missing "the client for Python" "${1:-}"
fi

cd "$place/typescript"
[ -f package.json ] || echo '{ "private": true }' > package.json
if [ -d node_modules/@anthropic-ai/sdk ] || npm install --silent --no-audit --no-fund @anthropic-ai/sdk; then
  node "$here/drive.mjs"
else
  missing "the client for TypeScript" "${1:-}"
fi
