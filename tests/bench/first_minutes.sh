#!/usr/bin/env bash
# How long a newcomer waits: both commands of the README on a bare clone, in seconds of the clock and of the processor.
#
# Crates must have been downloaded before (`cargo fetch`), so that the network is not measured. Stop everything else first.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
chmod 755 "$folder" # As a clone has it: some tests run as somebody else.
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$root" "$folder/groundswell"
cd "$folder/groundswell"
cargo fetch --quiet --locked

measured() {
  local what=$1
  shift
  local TIMEFORMAT="$what: %R s, of the processors %U s + %S s"
  time "$@" >"$folder/out" 2>&1 || { tail -20 "$folder/out"; exit 1; }
}

measured "the first output" cargo run -- run examples/review.gsw --model sim/default -- --dir runtime/abi
measured "then the tests compiled" cargo test --workspace --no-run
measured "then the tests run" cargo test --workspace
