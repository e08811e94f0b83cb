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

# One of the peers is SQLite, whose headers do not come with Linux.
if [ "$(uname -s)" = Linux ] && ! [ -e /usr/include/sqlite3.h ] && ! pkg-config --exists sqlite3 2>/dev/null; then
  if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    root=$([ "$(id -u)" = 0 ] || echo sudo)
    echo "bench: installing libsqlite3-dev" >&2
    # The lists of packages may be there and fresh; fetch them only if not.
    $root apt-get install -y --no-install-recommends libsqlite3-dev >/dev/null 2>&1 ||
      { $root apt-get update && $root apt-get install -y --no-install-recommends libsqlite3-dev; } >&2
  else
    echo "bench: install the headers of SQLite: 'apt-get install libsqlite3-dev', or what your system calls them" >&2
    exit 1
  fi
fi

# The build tells what it does on standard error: standard output belongs to the report.
swift build --package-path "$here" --configuration release --product RangeIOBenchmarks >&2

BENCHMARK_SWIFT=$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -n 1)
BENCHMARK_COMMIT=$(git -C "$here" describe --always --dirty 2>/dev/null || echo unknown)
export BENCHMARK_SWIFT BENCHMARK_COMMIT
exec "$(swift build --package-path "$here" --configuration release --show-bin-path)/RangeIOBenchmarks" "$@"
