#!/bin/bash
# serve.sh [ROUNDS]: `rangeio serve` beside nginx, with the same files, from the page cache, on the processors that the client has
# as well: requests a second for 4 KiB as wrk counts them (32 connections, 4 seconds a round), whole and as a range, and the time
# in which curl takes 1 GiB. Rounds are interleaved. Prints medians, and ours as a share of nginx's.
#
# Needs nginx, wrk and curl. RANGEIO_TOOL: a program that is there already (default: as `make install` builds it).
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-7}
export RANGEIO_TOOL=${RANGEIO_TOOL:-$(../../scripts/build-tool.sh)}
. ./standing.sh

nginx_port=$(free_port) serve_port=$(free_port)
mkdir "$work/root"
head -c 4096 /dev/urandom >"$work/root/small"
head -c 1073741824 /dev/urandom >"$work/root/large"
start_nginx "$nginx_port" auto
"$RANGEIO_TOOL" serve "$work/root" --listen "127.0.0.1:$serve_port" 2>"$work/serve.log" &
servers+=($!)
for port in "$nginx_port" "$serve_port"; do
  while ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
  curl -sf "http://127.0.0.1:$port/small" | cmp - "$work/root/small"
  curl -sf "http://127.0.0.1:$port/large" | cmp - "$work/root/large"
done

for _ in $(seq "$rounds"); do
  for one in "nginx $nginx_port" "rangeio $serve_port"; do
    read -r name port <<<"$one"
    url=http://127.0.0.1:$port
    for shape in "whole X-None:" "range Range:bytes=100-355"; do
      read -r kind field <<<"$shape"
      wrk -t 1 -c 32 -d 4s -H "$field" "$url/small" >"$work/wrk"
      if grep -q 'Socket errors\|Non-2xx' "$work/wrk"; then cat "$work/wrk" >&2 && exit 1; fi
      awk -v what="$kind $name" '/^Requests\/sec/ { print what, $2 }' "$work/wrk" >>"$work/figures"
    done
    echo "large $name $(curl -s -o /dev/null -w '%{time_total}' "$url/large")" >>"$work/figures"
  done
done
python3 - "$work/figures" <<'PYTHON'
import collections, statistics, sys
rows = collections.defaultdict(list)
for line in open(sys.argv[1]):
    kind, name, figure = line.split()
    rows[kind, name].append(float(figure))
print("| | nginx | `rangeio serve` | share |\n| :-- | --: | --: | --: |")
for kind, what in [("whole", "4 KiB, requests a second"), ("range", "256 bytes of them"), ("large", "1 GiB, seconds")]:
    theirs, ours = (statistics.median(rows[kind, name]) for name in ("nginx", "rangeio"))
    print(f"| {what} | {theirs:.4g} | {ours:.4g} | {ours / theirs:.2f} |")
PYTHON
