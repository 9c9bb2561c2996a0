#!/usr/bin/env bash
# Judges with AgentDojo, which is installed under target/, and compares with the counts in `expected`.
# That it cannot be installed is an error, unless the first argument is --if-available.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
target="${CARGO_TARGET_DIR:-$here/../../target}"
place="$target/agentdojo"

if ! "$place/bin/python" -c "import agentdojo" 2>/dev/null; then
  { python3 -m venv "$place" && "$place/bin/pip" install --quiet agentdojo==0.1.35; } || {
    echo "AgentDojo cannot be installed" >&2
    [ "${1:-}" = --if-available ] && exit 0
    exit 1
  }
fi

cd "$here/../.."
cargo build --quiet --package gswc
"$place/bin/python" "$here/judge.py" --gswc "$target/debug/gswc" --expected "$here/expected"
