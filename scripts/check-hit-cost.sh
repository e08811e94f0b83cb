#!/usr/bin/env bash
# Counts instructions: of a read of 4 KiB that a cache in memory answers, alone, below two stages that do nothing, without
# `await`, and so below a stage that ignores hits; of one that it does not have and keeps; of one of a file without a cache;
# of a MiB that is streamed; of a block of 4 KiB that is written to a disk tier. Fails when one has become more expensive than
# Tests/HitCost/instructions.txt says, by a quarter or by what --within says.
#
# Usage: scripts/check-hit-cost.sh [--within PERCENT] [--record]
#   --record: writes what was counted to that file. The commit that does so says why.
#
# Instructions, since they are nearly the same in every run, where times are not. valgrind counts them; where there is none,
# nothing is checked. What the program takes to begin and to end is left out: it runs with few reads and with many.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh

record=Tests/HitCost/instructions.txt
few=100
within=25 records=''
while [ $# -gt 0 ]; do
  case "$1" in
    --within) within=$2 && shift 2 ;;
    --record) records=1 && shift ;;
    *) echo "check-hit-cost: unknown option '$1'" >&2 && exit 2 ;;
  esac
done

if ! command -v valgrind >/dev/null; then
  echo "check-hit-cost: skipped: there is no valgrind, which counts instructions (Linux: apt-get install valgrind)"
  exit 0
fi

# The build of the tests, which is optimised.
build --product HitCost --quiet
program=$(bin_path)/HitCost
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v strip >/dev/null; then
  # valgrind 3.19 hangs over the debug information of a compiler that is younger than it is.
  strip -g -o "$work/HitCost" "$program"
  program=$work/HitCost
fi

# The instructions of one run: of which reads, how many.
instructions() {
  rm -rf "$work/files"
  mkdir -m 700 "$work/files"
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" "$work/files" \
    >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; return 1; }
  awk '/Collected *:/ { print $NF }' "$work/log"
}

# What a number belongs to: another processor or compiler has others, and the runtime of Swift is counted too.
system=$(uname -s)-$(uname -m)-swift$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
failed=0
for what in hit hit-under-stages cached cached-under-limit miss read stream spill; do
  # So many that what happens once, such as a clock that is begun beside, counts nothing; some take longer.
  case $what in miss) many=600 ;; stream) many=300 ;; spill) many=1124 ;; *) many=5100 ;; esac
  from=$(instructions $what $few)
  to=$(instructions $what $many)
  now=$(((to - from) / (many - few)))
  [ "$now" -gt 0 ] || { echo "check-hit-cost: $what: valgrind counted '$from' and '$to'" >&2; exit 1; }
  before=$(awk -v at="$system" -v what="$what" '$1 == at && $2 == what { print $3 }' $record)
  if [ -n "$records" ]; then
    { grep -v "^$system $what " $record || true; echo "$system $what $now"; } >"$work/record"
    cp "$work/record" $record
    echo "check-hit-cost: $what: $now instructions, recorded; ${before:-none} before"
  elif [ -z "$before" ]; then
    echo "check-hit-cost: $what: $now instructions, not checked: none are recorded for $system"
  elif [ $((now * 100)) -gt $((before * (100 + within))) ]; then
    echo "check-hit-cost: $what: $now instructions, $before recorded: more than $within% more expensive" >&2
    failed=1
  else
    echo "check-hit-cost: $what: $now instructions, $before recorded"
  fi
done
exit $failed
