#!/bin/sh
# Builds one program that depends on nothing but the libraries of C and C++, runs it, and writes a report; arguments are
# passed on to it (--help lists them). On a larger machine: copy .build/release/range-io-scaling there, run it with --json,
# and give the file to report.py.
#
#   run.sh [--build] [--publish] [ARGUMENTS]
#
# --build: only builds. --publish: the report goes to Docs/Benchmarks, else next to this script's build.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder="$here/.build" builds=''
while [ $# -gt 0 ]; do
  case $1 in
  --build) builds=1 && shift ;;
  --publish) folder="$here/../../Docs/Benchmarks" && shift ;;
  *) break ;;
  esac
done

install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  if [ "$(id -u)" = 0 ]; then root=''; elif sudo -n true 2>/dev/null; then root=sudo; else return 1; fi
  $root apt-get install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
    { $root apt-get update && $root apt-get install -y --no-install-recommends "$@"; } >&2
}

build() { swift build --package-path "$here" --configuration release "$@" >&2; }
if [ "$(uname -s)" = Linux ]; then
  # A folder with the static libraries and no others, named to pkg-config: the linker takes shared ones where it finds both.
  libraries=/usr/lib/$(uname -m)-linux-gnu static="$here/.build/static"
  mkdir -p "$static"
  [ -e "$libraries/liblz4.a" ] || install liblz4-dev ||
    echo "scaling: without liblz4.a the program needs the shared library" >&2
  [ -e "$libraries/librocksdb.a" ] && [ -e "$libraries/libsnappy.a" ] ||
    install 'librocksdb-dev=7.8*' libsnappy-dev libzstd-dev libbz2-dev zlib1g-dev 2>/dev/null || true
  for name in lz4 rocksdb snappy zstd bz2 z; do
    if [ -e "$libraries/lib$name.a" ]; then ln -sf "$libraries/lib$name.a" "$static/"; fi
  done
  if grep -qs 'define ROCKSDB_MINOR 8$' /usr/include/rocksdb/version.h && [ -e "$static/libsnappy.a" ]; then
    export BENCHMARK_ROCKSDB=1
  else
    echo "scaling: without RocksDB, since there is no librocksdb-dev 7.8 here" >&2
  fi
  printf 'Name: lz4\nDescription: lz4\nVersion: 1\nLibs: -L%s -llz4\n' "$static" >"$static/liblz4.pc"
  build --static-swift-stdlib --pkg-config-path "$static"
else
  build
fi
[ -z "$builds" ] || exit 0

BENCHMARK_SWIFT=$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -n 1)
BENCHMARK_COMMIT=$(git -C "$here" describe --always --dirty --exclude "*" 2>/dev/null || echo unknown)
export BENCHMARK_SWIFT BENCHMARK_COMMIT
"$here/.build/release/range-io-scaling" "$@" --json "$here/.build/scaling.json"
python3 "$here/report.py" "$here/.build/scaling.json" "$folder"
