#!/usr/bin/env bash
# Takes pictures of some pages of the site that scripts/docs.sh has made, with a Chromium without a window, for you to look at.
#
# Usage: scripts/docs/look.sh [paths of pages below /documentation]
set -euo pipefail
cd "$(dirname "$0")/../.."

browser=''
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  browser=$(command -v "$name") && break
done
if [ -z "$browser" ]; then
  echo "look: no Chromium or Chrome is installed: no pictures"
  exit 0
fi
pages=("$@")
[ $# -gt 0 ] || pages=('' guides guides/hexviewer guides/eviction rangeio rangeio/rangereader rangeiofoundation rangeios3)

coproc server { exec python3 -u -m http.server --bind 127.0.0.1 --directory .build/docs 0 2>/dev/null; }
trap 'kill "$server_PID" 2>/dev/null || true' EXIT
read -r line <&"${server[0]}"
url=$(grep -oE 'http://[^ )]+' <<<"$line")
mkdir -p .build/docs-pictures
for page in "${pages[@]}"; do
  picture=.build/docs-pictures/$(tr / - <<<"${page:-index}").png
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,1600 --virtual-time-budget=10000 \
    --screenshot="$picture" "${url%/}/documentation/$page" >/dev/null 2>&1 ||
    { echo "look: $browser fails on $page" >&2; exit 1; }
  echo "look: $picture"
done
