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

# The build tells what it does on standard error: standard output belongs to the report.
swift build --package-path "$here" --configuration release --product RangeIOBenchmarks >&2

BENCHMARK_SWIFT=$(swift --version 2>/dev/null | grep -o 'Swift version [^ ]*' | head -n 1)
BENCHMARK_COMMIT=$(git -C "$here" describe --always --dirty 2>/dev/null || echo unknown)
export BENCHMARK_SWIFT BENCHMARK_COMMIT
exec "$(swift build --package-path "$here" --configuration release --show-bin-path)/RangeIOBenchmarks" "$@"
