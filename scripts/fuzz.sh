#!/usr/bin/env bash
# Feeds what takes bytes of strangers with libFuzzer, under the address sanitizer: the targets of Tests/RangeIOFuzzTests, two
# at a time. Takes no more than 512 MiB for each. What is found lies in .build/fuzz/TARGET: put it into
# Tests/RangeIOFuzzTests/Corpora/TARGET, where the tests run it.
#
# Usage: scripts/fuzz.sh [--seconds N] [--coverage] [TARGET…]
#   --seconds N: for each target. Default: 60.
#   --coverage: tells afterwards how many edges of the code of each target were seen, instead of looking for more.
# Without a target: all. RANGEIO_TRAITS: the traits to build with; default: Tool, and so no targets of plugins behind others.
# RANGEIO_FUZZ_JOBS: how many targets at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh

seconds=60 coverage='' names=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) seconds=$2 && shift 2 ;;
    --coverage) coverage=1 && shift ;;
    -*) echo "usage: scripts/fuzz.sh [--seconds N] [--coverage] [TARGET…]" >&2 && exit 2 ;;
    *) names+=("$1") && shift ;;
  esac
done

export RANGEIO_FUZZER=1 SWIFT_BACKTRACE=enable=no
built_at ".build/fuzzer${traits:+-with-traits}"
# The counters of libFuzzer, which only our own code has, are set in Package.swift.
build --product Fuzzer --sanitize=address
fuzzer=$(bin_path)/Fuzzer
[ ${#names[@]} -gt 0 ] || { mapfile -t names < <("$fuzzer"); }
export fuzzer seconds coverage

# Feeds one target, and says in a line how that went.
feed() {
  local name=$1 work=.build/fuzz/$1 corpora=Tests/RangeIOFuzzTests/Corpora/$1 status=0 options
  mkdir -p "$work/seeds" "$work/corpus"
  RANGEIO_FUZZ_TARGET=$name RANGEIO_FUZZ_SEEDS=$work/seeds "$fuzzer"
  options=(-max_total_time="$seconds" -rss_limit_mb=512 -malloc_limit_mb=256 -timeout=10 -max_len=65536 -print_final_stats=1)
  [ -z "$coverage" ] || options+=(-runs=0)
  [ -d "$corpora" ] || corpora=$work/seeds
  # What libraries keep for good is no leak, and freed memory that is kept from use counts towards the limit.
  RANGEIO_FUZZ_TARGET=$name ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 nice -n 10 "$fuzzer" "${options[@]}" \
    -artifact_prefix="$work/" "$work/corpus" "$work/seeds" "$corpora" >"$work/log" 2>&1 || status=$?
  awk -v name="$name" '
    / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /number_of_executed_units/ { runs = $2 } /peak_rss_mb/ { peak = $2 }
    END { printf "fuzz: %-14s %10d inputs, %6d edges, at most %d MiB\n", name, runs, edges, peak }' "$work/log"
  if [ "$status" = 0 ] && ! grep -q ' cov: ' "$work/log"; then
    echo "fuzz: $name: no edge was seen: the code is not instrumented" >&2
    return 1
  fi
  [ "$status" = 0 ] || { echo "fuzz: $name: see $work/log" >&2; grep -m 3 -E 'Fatal error|ERROR|Test unit written' "$work/log" >&2; }
  return "$status"
}
export -f feed
printf '%s\n' "${names[@]}" | xargs -P "${RANGEIO_FUZZ_JOBS:-2}" -I{} bash -c 'feed {}'
