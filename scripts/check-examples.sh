#!/usr/bin/env bash
# Builds and runs the examples, each as the package that it is.
#
# Usage: scripts/check-examples.sh [--built]
#   --built: runs the programs of the tests' build, if that was made with RANGEIO_EXAMPLES=1: nothing is compiled, and the tests
#     of examples ran with the others.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh zstd sqlite3 z
if [ "${1-}" = --built ]; then
  source scripts/built.sh
  RANGEIO_PROGRAMS=$(cd "$(bin_path)" && pwd)
  export RANGEIO_PROGRAMS
fi
export RANGEIO_SCRATCH=$PWD/.build/clients
for example in Examples/*/; do
  [ -f "$example/Package.swift" ] || continue
  echo "== $example"
  if [ -x "$example/check.sh" ]; then
    "$example/check.sh"
  elif [ -n "${RANGEIO_PROGRAMS-}" ]; then
    "$RANGEIO_PROGRAMS/$(basename "$example")"
  else
    swift run --package-path "$example" --scratch-path "$RANGEIO_SCRATCH"
  fi
done
