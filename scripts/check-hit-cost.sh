#!/usr/bin/env bash
# Counts the instructions that a hit in memory takes, and a read of 4 KiB from the page cache, and fails when one has become
# a quarter dearer than Tests/HitCost/instructions.txt says: check-hit-cost.sh [--record].
#
# Instructions, since they are nearly the same in every run, where times are not. Counted by valgrind, or by perf where the
# processor counts them; what a program takes to begin and to end is left out by running it with few reads and with many.
set -euo pipefail
cd "$(dirname "$0")/.."

record=Tests/HitCost/instructions.txt
few=1000
many=6000

counts() { # by perf: prints a number, or nothing
  perf stat -x, -e instructions:u -- "$@" 2>&1 >/dev/null | awk -F, '$3 ~ /^instructions/ && $1 ~ /^[0-9]+$/ { print $1 }'
}

if command -v valgrind >/dev/null; then
  tool=valgrind
elif command -v perf >/dev/null && [ -n "$(counts true)" ]; then
  tool=perf
else
  echo "check-hit-cost: skipped: neither valgrind nor a perf that counts instructions is here (apt-get install valgrind)"
  exit 0
fi

swift build -c release --product HitCost --quiet
program=$(swift build -c release --product HitCost --show-bin-path)/HitCost
if command -v strip >/dev/null; then
  # Some versions of valgrind do not read what debuggers are told by a compiler that is younger than they are.
  stripped=$(mktemp)
  trap 'rm -f "$stripped"' EXIT
  strip -g -o "$stripped" "$program"
  program=$stripped
fi

# The instructions of one run: what is read, how often.
instructions() {
  if [ "$tool" = perf ]; then
    counts "$program" "$@"
    return
  fi
  local output
  output=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1) || {
    echo "$output" | tail -5 >&2
    return 1
  }
  awk '/Collected *:/ { print $NF }' <<<"$output"
}

system=$(uname -m)-$tool
failed=0
for what in memory file; do
  from=$(instructions $what $few)
  to=$(instructions $what $many)
  [ -n "$from" ] && [ -n "$to" ] || { echo "check-hit-cost: $tool counted nothing" >&2; exit 1; }
  now=$(((to - from) / (many - few)))
  before=$(awk -v system="$system" -v what="$what" '$1 == system && $2 == what { print $3 }' $record)
  if [ "${1:-}" = --record ]; then
    { grep -v "^$system $what " $record || true; echo "$system $what $now"; } >$record.new
    mv $record.new $record
    echo "check-hit-cost: $what: $now instructions, recorded"
  elif [ -z "$before" ]; then
    echo "check-hit-cost: $what: $now instructions; none are recorded for $system: scripts/check-hit-cost.sh --record"
  elif [ $((now * 4)) -gt $((before * 5)) ]; then
    echo "check-hit-cost: $what: $now instructions, of which there were $before: a quarter dearer, or more" >&2
    failed=1
  else
    echo "check-hit-cost: $what: $now instructions ($before recorded)"
  fi
done
exit $failed
