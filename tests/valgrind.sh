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
for file in tests/conformance/run/*.gsw; do
  [ -f "${file%.gsw}.args" ] && continue
  target/debug/gswc build "$file" -o "$folder/program"
  valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$folder/program" --quiet | diff - "${file%.gsw}.out"
  echo "clean: $file"
done
