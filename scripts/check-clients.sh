#!/usr/bin/env bash
# Reads through `rangeio serve` with other people's programs, and compares what they get: curl and wget that go on, aria2 with
# eight connections, ffmpeg that seeks, pyarrow and DuckDB that read a part of a Parquet file, Chromium that seeks in a video.
#
# Usage: scripts/check-clients.sh [PROGRAM]
#   PROGRAM: rangeio, built with the trait Serve. Default: that of the tests' build.
# What is not installed is left out with a line that says so; setup-clients.sh installs all. RANGEIO_CLIENTS=required: fails then.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh
program=${1:-$(bin_path)/rangeio}

work=$(mktemp -d)
server=''
end() {
  [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; }
  rm -rf "$work"
}
trap end EXIT
fail() {
  echo "check-clients: $*" >&2
  exit 1
}
# Whether the program $1 is there.
has() {
  command -v "$1" >/dev/null && return 0
  leave_out "$1 is not installed"
}
leave_out() {
  [ "${RANGEIO_CLIENTS-}" != required ] || fail "$1"
  echo "check-clients: $1: left out"
  return 1
}
checked=()
same() {
  cmp -s "$1" "$2" || fail "$3 got other bytes"
  checked+=("$3")
}

mkdir "$work/root"
head -c 50000000 /dev/urandom >"$work/root/object.bin"
"$program" serve "$work/root" --listen 127.0.0.1:0 --cors '*' --verbose 2>"$work/server.log" &
server=$!
for _ in $(seq 200); do
  grep -qs '^rangeio: serving' "$work/server.log" && break
  kill -0 "$server" 2>/dev/null || fail "the server does not start: $(cat "$work/server.log")"
  sleep 0.05
done
url=$(sed -n 's/^rangeio: serving .* at //p' "$work/server.log")
object=$work/root/object.bin

if has curl; then
  head -c 12345678 "$object" >"$work/curl"
  curl -sS -C - -o "$work/curl" "${url}object.bin"
  same "$object" "$work/curl" "curl -C -"
  curl -sS -r 0-4095 -o "$work/c1" "${url}object.bin"
  head -c 4096 "$object" | cmp -s - "$work/c1" || fail "curl -r got other bytes"
fi
if has wget; then
  head -c 23456789 "$object" >"$work/wget"
  wget -q -c -O "$work/wget" "${url}object.bin"
  same "$object" "$work/wget" "wget -c"
fi
if has aria2c; then
  aria2c -q -x8 -s8 -k1M --allow-overwrite=true -d "$work" -o aria "${url}object.bin"
  same "$object" "$work/aria" "aria2c -x8"
fi
if has ffmpeg; then
  # The index stands at the end, so that a player seeks to it, back, and to the middle.
  ffmpeg -v error -f lavfi -i testsrc=duration=60:size=640x360:rate=24 -g 48 -pix_fmt yuv420p "$work/root/video.mp4"
  ffmpeg -v error -y -ss 41 -i "$work/root/video.mp4" -frames:v 1 "$work/file.png"
  ffmpeg -v error -y -seekable 1 -ss 41 -i "${url}video.mp4" -frames:v 1 "$work/http.png"
  same "$work/file.png" "$work/http.png" "ffmpeg -ss"
  if has chromium; then
    # So much sound that the browser asks for the place that it seeks to.
    ffmpeg -v error -f lavfi -i anoisesrc=d=600:r=48000:a=0.2 -ac 2 -c:a pcm_s16le "$work/root/sound.wav"
    ffmpeg -v error -f lavfi -i testsrc=duration=60:size=320x180:rate=12 -g 24 -pix_fmt yuv420p -c:v libvpx -b:v 200k \
      "$work/root/video.webm"
    for media in video.webm:41:60 sound.wav:410:600; do
      IFS=: read -r name place length <<<"$media"
      cat >"$work/root/page.html" <<HTML
<!DOCTYPE html><title>waiting</title><body><video id="v" src="$name" muted preload="auto"></video><script>
const v = document.getElementById("v");
v.onloadedmetadata = () => { v.currentTime = $place; };
v.onseeked = () => { document.title = "seeked " + Math.round(v.currentTime) + " of " + Math.round(v.duration); };
v.onerror = () => { document.title = "error " + v.error.message; };
</script>
HTML
      timeout 60 chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --dump-dom "${url}page.html" \
        >"$work/dom" 2>/dev/null || true
      grep -q "seeked $place of $length" "$work/dom" || fail "Chromium: $name: $(grep -o '<title>.*</title>' "$work/dom")"
    done
    grep -q 'range=bytes=[1-9].*sound.wav' "$work/server.log" || fail "Chromium did not ask for the place that it sought"
    checked+=("Chromium <video>")
  fi
fi
python=.build/client-programs/bin/python
[ -x "$python" ] || python=python3
if "$python" -c 'import pyarrow, fsspec, aiohttp' 2>/dev/null; then
  "$python" - "$work/root/table.parquet" "${url}table.parquet" <<'PYTHON'
import sys

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

path, url = sys.argv[1:]
pq.write_table(pa.table({"a": list(range(500_000)), "b": [str(n) for n in range(500_000)]}), path, row_group_size=50_000)
with fsspec.open(url, "rb", block_size=65536) as file:
    parquet = pq.ParquetFile(file)
    if parquet.read_row_group(7, columns=["a"]) != pq.ParquetFile(path).read_row_group(7, columns=["a"]):
        sys.exit("check-clients: pyarrow got other rows")
PYTHON
  checked+=(pyarrow)
else
  leave_out "pyarrow, fsspec or aiohttp is not installed" || true
fi
if [ -f "$work/root/table.parquet" ] && "$python" -c 'import duckdb' 2>/dev/null; then
  # Its extension for HTTP is not part of the package, and may not be had.
  status=0
  "$python" - "${url}table.parquet" <<'PYTHON' || status=$?
import sys

import duckdb

connection = duckdb.connect()
try:
    connection.execute("install httpfs")
    connection.execute("load httpfs")
except Exception:
    sys.exit(3)
if connection.execute(f"select sum(a) from '{sys.argv[1]}' where a between 400000 and 400009").fetchone()[0] != 4000045:
    sys.exit("check-clients: DuckDB got other rows")
PYTHON
  case $status in
  0) checked+=(DuckDB) ;;
  3) echo "check-clients: DuckDB has no httpfs here: left out" ;;
  *) exit "$status" ;;
  esac
fi
[ "${#checked[@]}" -gt 0 ] || fail "no client is installed"
printf 'check-clients: right:'
printf ' %s;' "${checked[@]}"
echo
