#!/usr/bin/env bash
# The official conformance suite of the Model Context Protocol against our server and our client, in both ages of the protocol.
# It fails where a scored scenario fails that `conformance.expected` does not list, or passes that it does.
#
# usage: tests/mcp/conformance.sh [--if-available]     with `gswc` in GSWC, or built by cargo
set -euo pipefail
cd "$(dirname "$0")/../.."

skip() {
  if [ "${1:-}" = --if-available ]; then echo "not run: $2"; exit 0; fi
  echo "$2" >&2
  exit 1
}

place=target/mcp-conformance
mkdir -p "$place"
command -v npm >/dev/null || skip "${1:-}" "there is no npm here"
if ! [ -f "$place/installed-2" ]; then
  (cd "$place" && npm install --silent --no-audit --no-fund --no-save --prefix . \
    node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 >npm.log 2>&1) ||
    skip "${1:-}" "npm cannot install the suite: $(tail -n 1 "$place/npm.log")"
  touch "$place/installed-2"
fi
modules="$PWD/$place/node_modules"
suite() { PATH="$modules/node/bin:$PATH" node "$modules/@modelcontextprotocol/conformance/dist/index.js" "$@"; }

gswc=${GSWC:-}
if [ -z "$gswc" ]; then
  cargo build --quiet -p gswc -p gsw-launcher
  gswc=target/debug/gswc
fi
for program in conformance client; do
  "$gswc" build "tests/mcp/$program.gsw" -o "$place/$program"
done

"$place/conformance" mcp --http 0 --store off --quiet 2>"$place/server.log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do grep -q "^serves MCP" "$place/server.log" && break; sleep 0.1; done
url=$(sed -n 's/^serves MCP at //p' "$place/server.log")

# A person who consents to everything, and keeps nothing for the next scenario.
cat >"$place/person" <<'END'
#!/bin/sh
exec curl --silent --location --output /dev/null "$1"
END
cat >"$place/authorized-client" <<END
#!/bin/sh
exec env -u HOME -u XDG_STATE_HOME GSW_BROWSER="$PWD/$place/person" "$PWD/$place/client" --store off --quiet "\$@"
END
chmod +x "$place/person" "$place/authorized-client"

# Prints `REVISION LEG SCENARIO passes|fails` of what is scored.
scored() {
  local revision=$1 leg=$2 log="$place/$1-$2.log"
  shift 2
  suite "$leg" "$@" --requirements "$revision" --output-dir "$place/$revision-$leg" >"$log" 2>&1 || true
  awk -v at="$revision $leg" '
    /^Not scored/ { rest = 1; next }
    rest && / \(/ { unscored[$2] = 1; next }
    !rest && /^(✓|✗) [^ ]+: [0-9]+ passed/ { sub(":", "", $2); state[$2] = ($1 == "✓") ? "passes" : "fails" }
    END { for (it in state) if (!(it in unscored)) print at, it, state[it] }
  ' "$log" | sort
}

for revision in 2025-11-25 2026-07-28; do
  scored "$revision" server --url "${url/127.0.0.1/localhost}"
  scored "$revision" client --command "$PWD/$place/authorized-client --url"
done >"$place/results"

# The revision, the leg, the scenario, and behind a dash why it fails.
sed -n 's/^\(20[^ ]* [^ ]* [^ ]*\) .*/\1/p' tests/mcp/conformance.expected | sort >"$place/expected"
awk '$4 == "fails" { print $1, $2, $3 }' "$place/results" | sort >"$place/failing"
awk '{ all[$1 " " $2]++ } $4 == "passes" { good[$1 " " $2]++ }
  END { for (it in all) printf "%s: %d of %d scored scenarios pass\n", it, good[it], all[it] }' "$place/results" | sort
new=$(comm -13 "$place/expected" "$place/failing")
mended=$(comm -23 "$place/expected" "$place/failing")
if [ -n "$new" ]; then printf 'these fail and are not expected to:\n%s\n' "$new"; fi
if [ -n "$mended" ]; then printf 'these are expected to fail and do not: take them out of conformance.expected:\n%s\n' "$mended"; fi
if [ "$(wc -l <"$place/results")" -lt 100 ]; then echo "the suite did not run: see $place"; exit 1; fi
[ -z "$new$mended" ]
