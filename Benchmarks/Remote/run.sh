#!/bin/sh
# Builds what reads and the link for release, installs what it is compared with, measures and writes a report.
#
#   run.sh [--rounds N] [--publish] [--world | --quick]
#
# With --publish the report goes to Docs/Benchmarks, else next to this script's build. N, by default 3, is the number of rounds
# over the slow link; the others, whose rounds take seconds, have two and three times as many. Takes half an hour.
#
# --world measures nine links, seven workloads and all programs instead, for an hour and a half; --quick does so in one
# round of shorter streams, in 40 minutes. `measure.py world` measures a part.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build="$here/.build/remote"
rounds=3
folder=$build
world=''
while [ $# -gt 0 ]; do
  case $1 in
  --rounds)
    rounds=$2
    shift 2
    ;;
  --publish)
    folder="$here/../../Docs/Benchmarks"
    shift
    ;;
  --world | --quick)
    world=$1
    shift
    ;;
  *)
    echo "usage: run.sh [--rounds N] [--publish] [--world | --quick]" >&2
    exit 1
    ;;
  esac
done
mkdir -p "$build"

# The server, and the peers that are the system's: what cannot be had is left out of the report, but for the server.
install() {
  command -v apt-get >/dev/null 2>&1 || return 0
  if [ "$(id -u)" = 0 ]; then root=''; elif sudo -n true 2>/dev/null; then root=sudo; else return 0; fi
  $root apt-get install -y --no-install-recommends "$@" >&2 || true
}
PATH=$PATH:/usr/sbin
command -v nginx >/dev/null 2>&1 || install nginx-light
command -v gdalinfo >/dev/null 2>&1 || install gdal-bin
command -v rclone >/dev/null 2>&1 || install rclone
command -v nginx >/dev/null 2>&1 || {
  echo "remote: install nginx first" >&2
  exit 1
}
# The others: an environment of their own.
python="$build/venv/bin/python"
[ -x "$python" ] || python3 -m venv "$build/venv" >&2
"$python" -c 'import obstore, fsspec, aiohttp, requests' 2>/dev/null ||
  "$python" -m pip install --quiet obstore fsspec aiohttp requests >&2
# The extension for HTTP is one of DuckDB's versions, and comes in a package: DuckDB downloads nothing itself.
[ -z "$world" ] || "$python" -c 'import numpy, pyarrow, duckdb, duckdb_extension_httpfs' 2>/dev/null ||
  "$python" -m pip install --quiet numpy pyarrow 'duckdb==1.5.5' 'duckdb-extension-httpfs==1.5.5' >&2

swift build --package-path "$here" --configuration release >&2
programs=$(swift build --package-path "$here" --configuration release --show-bin-path)

results="$build/results.jsonl"
: >"$results"
measure() {
  python3 "$here/measure.py" "$@" --programs "$programs" --python "$python" --scratch "$build/scratch" \
    --results "$results"
}
if [ "$world" = --quick ]; then
  measure world --quick
elif [ -n "$world" ]; then
  measure world --rounds "$rounds"
else
  measure scattered --link near --rounds $((3 * rounds))
  measure scattered --link far --rounds $((2 * rounds))
  measure scattered --link slow --rounds "$rounds"
  measure warm --rounds 3
  measure replaced --seconds 30
fi
python3 "$here/report.py" "$results" "$folder" "$python"
if [ -n "$world" ]; then echo "$folder/World.md"; else echo "$folder/Remote.md"; fi
