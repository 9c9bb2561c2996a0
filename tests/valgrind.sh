#!/usr/bin/env bash
# Runs the conformance programs that take no arguments, as built files, under valgrind: no wrong access, nothing lost.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v valgrind >/dev/null; then
  (apt-get update && apt-get install -y valgrind) >/dev/null 2>&1 || { echo "valgrind cannot be had here; left out"; exit 0; }
fi
cargo build -q -p gswc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
look() {
  set -euo pipefail
  program=$1/$(basename "${2%.gsw}")
  target/debug/gswc build "$2" -o "$program"
  valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$program" --quiet | diff - "${2%.gsw}.out"
  rm "$program"
  echo "clean: $2"
}
export -f look
for file in tests/conformance/run/*.gsw; do
  [ -f "${file%.gsw}.args" ] || printf '%s\0' "$file"
done | xargs -0 -n 1 -P "$(nproc)" bash -c 'look "$0" "$1"' "$folder"
