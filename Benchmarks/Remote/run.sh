#!/bin/sh
# Builds what reads and the link for release, installs what it is compared with, measures and writes a report.
#
#   run.sh [--rounds N] [--publish]
#
# With --publish the report goes to Docs/Benchmarks, else next to this script's build. N, by default 3, is the number of rounds
# over the slow link; the others, whose rounds take seconds, have two and three times as many. Takes half an hour.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build="$here/.build/remote"
rounds=3
folder=$build
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
  *)
    echo "usage: run.sh [--rounds N] [--publish]" >&2
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

swift build --package-path "$here" --configuration release >&2
programs=$(swift build --package-path "$here" --configuration release --show-bin-path)

results="$build/results.jsonl"
: >"$results"
measure() {
  python3 "$here/measure.py" "$@" --programs "$programs" --python "$python" --scratch "$build/scratch" \
    --results "$results"
}
measure scattered --link near --rounds $((3 * rounds))
measure scattered --link far --rounds $((2 * rounds))
measure scattered --link slow --rounds "$rounds"
measure warm --rounds 3
measure replaced --seconds 30
python3 "$here/report.py" "$results" "$folder" "$python"
echo "$folder/Remote.md"
