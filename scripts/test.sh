#!/usr/bin/env bash
# Builds the tests, refuses warnings in our own code, and runs them: all, then those of files on each other engine.
#
# Usage: scripts/test.sh [options for 'swift build' and 'swift test', such as --sanitize=thread --scratch-path …]
# RANGEIO_ENGINE_TESTS: which tests run again on each engine, a regular expression. Empty: none. '.': all.
set -euo pipefail
cd "$(dirname "$0")/.."

# Reads a build's output: shows it, and fails if our own sources made it warn. Warnings of dependencies are theirs.
refuse_warnings() {
  local log=$1
  if grep -E "^$PWD/(Sources|Tests|Plugins|Examples)/.*: warning:" "$log" | sort -u >&2; then
    echo "test: warnings in our own code (above)" >&2
    return 1
  fi
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build --build-tests "$@" 2>&1 | tee "$log"
refuse_warnings "$log"

# Swift Testing only: XCTest has nothing here, and the address sanitizer cannot load it.
# What failed is shown again at the end: thousands of lines may have followed it.
run() {
  local status=0
  swift test --skip-build --disable-xctest "$@" 2>&1 | tee "$log" || status=$?
  if [ "$status" -ne 0 ]; then
    echo "test: what failed, engine ${RANGEIO_ENGINE:-automatic}:" >&2
    grep -aE -A 12 'recorded an issue|error: |Fatal error|WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log" |
      head -c 20000 >&2 || true
    return "$status"
  fi
}

echo "== all tests, engine ${RANGEIO_ENGINE:-automatic}"
run "$@"

engine_tests=${RANGEIO_ENGINE_TESTS-'RangeIOTests.*(File|Lane|Reader|Stream)|RangeIOToolTests'}
if [ -n "$engine_tests" ]; then
  for engine in dispatchIO positional; do
    echo "== tests of files, engine $engine"
    RANGEIO_ENGINE=$engine run "$@" --filter "$engine_tests"
  done
fi
