#!/bin/bash
# transport-cost.sh [ROUNDS]: what a request of the HTTP source costs on loopback, beside async-http-client used bare and
# obstore, and how much memory 32 ranges under way hold. Prints tables in Markdown.
#
# Needs nginx, and python3 with obstore (PYTHON=… for another than the one in PATH). The server shares the processors
# with the client, so wall time counts both; the column of the processor counts the client alone.
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-7} python=${PYTHON:-python3}
bin=${TRANSPORT_COST:-}
if [ -z "$bin" ]; then
  swift build -c release --product TransportCost
  bin=$(swift build -c release --show-bin-path)/TransportCost
fi
. ./standing.sh

port=$(free_port)
mkdir "$work/root"
"$python" - "$work/root/numbers" <<'PYTHON'
import array, sys
with open(sys.argv[1], "wb") as file:
    array.array("q", range(0, 64 << 20, 8)).tofile(file)
PYTHON
start_nginx "$port" 1
"$python" peers/standing_server.py > "$work/standing" &
servers+=($!)
while ! [ -s "$work/standing" ] || ! (: < "/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
url=http://127.0.0.1:$port/numbers

contenders=(async delegate source reader)
peers=()
if "$python" -c 'import obstore' 2>/dev/null; then peers=(async ranges); else echo "skipped: obstore is not installed"; fi
for round in $(seq "$rounds"); do
  for shape in "65536 8000" "1048576 1000"; do
    read -r size count <<< "$shape"
    for one in "${contenders[@]}"; do
      echo "$size $one $("$bin" cost "$one" "$url" "$size" "$count")" >> "$work/costs"
    done
    for one in "${peers[@]}"; do
      echo "$size obstore-$one $("$python" peers/obstore_cost.py "$one" "$url" "$size" "$count")" >> "$work/costs"
    done
  done
  for one in delegate source; do
    standing=http://127.0.0.1:$(cat "$work/standing")/object
    echo "$one $("$bin" hold "$one" "$standing" 1048576 32)" >> "$work/held"
  done
done
"$python" transport_report.py "$work/costs" "$work/held"
