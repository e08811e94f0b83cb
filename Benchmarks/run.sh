#!/bin/sh
# Builds the benchmark for release and runs it; arguments are passed on (--help lists them).
# --publish, without a value, writes the report that is kept in Docs/Benchmarks.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

for argument do
  shift
  set -- "$@" "$argument"
  if [ "$argument" = --publish ]; then set -- "$@" "$here/../Docs/Benchmarks"; fi
done

# Installs a package, if that can be done without a password that nobody will type.
install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  if [ "$(id -u)" = 0 ]; then root=''; elif sudo -n true 2>/dev/null; then root=sudo; else return 1; fi
  # The lists of packages may be there and fresh; fetch them only if not.
  $root apt-get install -y --no-install-recommends "$1" >/dev/null 2>&1 ||
    { $root apt-get update && $root apt-get install -y --no-install-recommends "$1"; } >&2
}

# One of the peers is SQLite, whose headers do not come with Linux.
if [ "$(uname -s)" = Linux ] && ! [ -e /usr/include/sqlite3.h ] && ! pkg-config --exists sqlite3 2>/dev/null; then
  echo "bench: installing libsqlite3-dev" >&2
  install libsqlite3-dev || {
    echo "bench: install the headers of SQLite: 'apt-get install libsqlite3-dev', or what your system calls them" >&2
    exit 1
  }
fi

# fio says what the disk can do. The benchmark can do without.
if [ "$(uname -s)" = Linux ] && ! command -v fio >/dev/null 2>&1; then
  echo "bench: installing fio" >&2
  install fio 2>/dev/null || echo "bench: without fio, which cannot be installed here" >&2
fi

# Another is RocksDB, in the one version that it was written for. The benchmark can do without.
has_rocksdb() {
  grep -qs 'define ROCKSDB_MAJOR 7$' /usr/include/rocksdb/version.h &&
    grep -qs 'define ROCKSDB_MINOR 8$' /usr/include/rocksdb/version.h
}
if [ "$(uname -s)" = Linux ] && ! has_rocksdb; then
  echo "bench: installing librocksdb-dev 7.8" >&2
  install 'librocksdb-dev=7.8*' 2>/dev/null || true
fi
if has_rocksdb; then
  export BENCHMARK_ROCKSDB=1
else
  echo "bench: without RocksDB, since there is no librocksdb-dev 7.8 here" >&2
fi

# The build tells what it does on standard error: standard output belongs to the report.
swift build --package-path "$here" --configuration release --product RangeIOBenchmarks >&2

BENCHMARK_SWIFT=$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -n 1)
BENCHMARK_COMMIT=$(git -C "$here" describe --always --dirty --exclude "*" 2>/dev/null || echo unknown)
export BENCHMARK_SWIFT BENCHMARK_COMMIT
exec "$(swift build --package-path "$here" --configuration release --show-bin-path)/RangeIOBenchmarks" "$@"
