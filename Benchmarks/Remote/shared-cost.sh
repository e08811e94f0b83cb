#!/bin/bash
# shared-cost.sh [ROUNDS]: what a hit of 64 KiB in memcached and in Redis costs, 32 at a time over loopback, beside clients in C.
# Prints a table in Markdown: medians.
#
# Needs memcached, redis-server, a C compiler, and the headers of libmemcached and hiredis (Debian: libmemcached-dev,
# libhiredis-dev). The engine shares the processors with the client, so wall time counts both; the column of the processor counts
# the client alone.
set -euo pipefail
cd "$(dirname "$0")"
rounds=${1:-7}
swift build -c release --product SharedCost >&2
bin=$(swift build -c release --show-bin-path)/SharedCost
. ./standing.sh
cc -O2 peers/shared_cost.c -o "$work/peer" -lmemcached -lhiredis

memcached=$(free_port)
user=()
if [ "$(id -u)" = 0 ]; then user=(-u nobody); fi
memcached -l 127.0.0.1 -p "$memcached" -m 1024 -t 2 "${user[@]}" &
servers+=($!)
redis=$(free_port)
redis-server --bind 127.0.0.1 --port "$redis" --save '' --appendonly no --dir "$work" >"$work/redis.log" &
servers+=($!)
for port in "$memcached" "$redis"; do while ! (: < "/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done; done

count=40000
for _ in $(seq "$rounds"); do
  for client in pipelined libmemcached; do echo "memcached $client $("$work/peer" $client "$memcached" 65536 $count)"; done
  for client in store stage; do echo "memcached $client $("$bin" memcached $client "$memcached" 65536 $count)"; done
  echo "redis hiredis $("$work/peer" hiredis "$redis" 65536 $count)"
  for client in store stage; do echo "redis $client $("$bin" redis $client "$redis" 65536 $count)"; done
done >"$work/costs"
python3 - "$work/costs" <<'PYTHON'
import collections, statistics, sys
NAMES = {
    "pipelined": "C, pipelined by hand", "libmemcached": "C, libmemcached", "hiredis": "C, hiredis",
    "store": "our client alone", "stage": "`SharedCaching`: checked, as a reader has it",
}
rows = collections.defaultdict(list)
for line in open(sys.argv[1]):
    words = line.split()
    rows[words[0], words[1]].append([float(word) for word in words[2:5]])
medians = {key: [statistics.median(column) for column in zip(*values)] for key, values in rows.items()}
best = {}
for (engine, client), (wall, _, _) in medians.items():
    if client not in ("store", "stage"):
        best[engine] = min(best.get(engine, wall), wall)
print("| engine | client | wall µs | CPU µs | MB/s | rate, best of C = 1 |\n|---|---|---:|---:|---:|---:|")
for (engine, client), (wall, cpu, rate) in medians.items():
    print(f"| {engine} | {NAMES[client]} | {wall:.1f} | {cpu:.1f} | {rate:,.0f} | {best[engine] / wall:.2f} |")
PYTHON
