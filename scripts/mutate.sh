#!/usr/bin/env bash
# Changes comparisons, sums, numbers and truth values in the parts that decide, one at a time, and sees whether their tests fail.
# Prints how many of these mutants each file has, how many were killed, and those that survive.
#
# All mutants are compiled into one program in a copy of the sources, and the environment chooses one of them
# (scripts/mutants.py). What does not compile is left out. A mutant is killed if a test fails, or the process goes down or does
# not end; the quick tests of its file run first, and the thorough ones only if it survives those.
#
# Usage: scripts/mutate.sh [--in FOLDER] [files, by a part of their names; default: all]
#   --in FOLDER: the copy, with its build. Default: .build/mutants.
# RANGEIO_JOBS: how many processes at a time. Default: one for each processor.
# RANGEIO_MUTANT_SURVIVORS: a file with survivors that are known, a line each: FILE, a tab, the line of the source, a tab, what
# changes, a tab, why it cannot be seen. They count as explained. Default: scripts/survivors.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
copy=$root/.build/mutants
if [ "${1-}" = --in ]; then
  copy=$2
  shift 2
fi
known=${RANGEIO_MUTANT_SURVIVORS:-$root/scripts/survivors.txt}

# file ; quick tests ; thorough ones
table=$(cat <<'TABLE'
Sources/RangeIO/Coalescing/Flights.swift;RangeIOTests\.(FlightsTests|FlightTableTests|FlightWaitersTests|DeferredFlightsTests)/;RangeIOModelTests\.(FlightsModelTests|CacheSimulationTests)/
Sources/RangeIO/Coalescing/Flights+Coverage.swift;RangeIOTests\.(FlightsTests|FlightTableTests|DeferredFlightsTests)/;RangeIOModelTests\.(FlightsModelTests|CacheSimulationTests)/;RangeIOTests\.ExplainTests/
Sources/RangeIO/Coalescing/FlightWaiters.swift;RangeIOTests\.(FlightWaitersTests|FlightsTests)/;RangeIOModelTests\.FlightsModelTests/
Sources/RangeIO/Concurrency/Promise.swift;RangeIOTests\.(PromiseStateTests|PromiseTests)/;RangeIOModelTests\.SpineSimulationTests/
Sources/RangeIO/Scheduling/AdmissionQueue.swift;RangeIOTests\.(AdmissionQueueTests|PermitsTests|UrgencyTests)/;RangeIOTests\.LimitingTests/
Sources/RangeIO/Eviction/S3FIFO.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|S3FIFOTests|PolicyModelTests|PolicyNotesTests)/;RangeIOTests\.(EvictionPolicyTests|MixedTraceTests|QueueParametersTests)/
Sources/RangeIO/Eviction/S3FIFO+Evicting.swift;RangeIOTests\.(UnlockedHitTests|EvictionGoldenTests|EvictionBordersTests|S3FIFOTests|PolicyModelTests|PolicyNotesTests)/;RangeIOTests\.(EvictionPolicyTests|MixedTraceTests|QueueParametersTests)/
Sources/RangeIO/Eviction/Ghost.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|GhostTests|PolicyModelTests)/;RangeIOTests\.(S3FIFOTests|EvictionPolicyTests|MixedTraceTests)/
Sources/RangeIO/Eviction/SlotQueues.swift;RangeIOTests\.(PolicyNotesTests|UnlockedHitTests|EvictionGoldenTests|EvictionBordersTests|S3FIFOTests|PolicyModelTests)/;RangeIOTests\.EvictionPolicyTests/
Sources/RangeIO/Eviction/FrequencySketch.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|FrequencySketchTests|PolicyModelTests)/;RangeIOTests\.(S3FIFOTests|MixedTraceTests)/
Sources/RangeIO/Eviction/LRU.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|PolicyModelTests|EvictionPolicyTests)/;RangeIOTests\.MixedTraceTests/
Sources/RangeIO/Eviction/SIEVE.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|PolicyModelTests|EvictionPolicyTests)/;RangeIOTests\.MixedTraceTests/
Sources/RangeIO/Eviction/QueueParameters.swift;RangeIOTests\.(EvictionGoldenTests|EvictionBordersTests|QueueParametersTests|S3FIFOTests)/;RangeIOTests\.(PolicyTunerTests|MixedTraceTests)/
Sources/RangeIOTiers/Disk/Format/SpillRecord.swift;RangeIOTiersTests\.Spill(Format|Golden|Reader|Record)[A-Za-z]*/;RangeIOModelTests\.SpilledSimulationTests/
Plugins/RangeIORemote/Sources/RangeIORemote/Machines/ReadMachine.swift;RangeIORemoteTests\.[A-Za-z]*(Answer|Authority|Opening|Version)[A-Za-z]*Tests/;RangeIORemoteTests\.(SimulationTests|GrowingTests)/
TABLE
)

files=()
while IFS=';' read -r file _; do
  if [ $# -eq 0 ]; then files+=("$file"); fi
  for part; do if [[ $file == *"$part"* ]]; then files+=("$file"); fi; done
done <<<"$table"
[ "${#files[@]}" -gt 0 ] || { echo "mutate: there is no such file" >&2; exit 2; }

# MARK: building

mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  if [ -f "$file" ]; then printf '%s\0' "$file"; fi
done | tar --null -T - -cf - | tar -xf - -C "$copy"
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
list=$copy/.build/mutants.tsv
mkdir -p "$copy/.build"
export RANGEIO_TESTS=RangeIOTests,RangeIOModelTests,RangeIOTiersTests,RangeIORemoteTests
export RANGEIO_TRAITS=HTTP
without=()
for _ in 1 2 3 4 5 6; do
  for file in "${files[@]}"; do cp "$root/$file" "$copy/$file"; done
  (cd "$copy" && scripts/mutants.py "$list" ${without[@]+--without "${without[@]}"} "${files[@]}")
  if (cd "$copy" && source scripts/built.sh && build --product swift-range-ioPackageTests) >"$log" 2>&1; then
    built=1
    break
  fi
  # All mutants of a line that does not compile are left out.
  before=${#without[@]}
  while IFS= read -r number; do without+=("$number"); done < <(
    grep -oE '[A-Za-z0-9+/_-]+\.swift:[0-9]+:[0-9]+: (error|warning)' "$log" | cut -d: -f1,2 | sort -u |
      while IFS=: read -r file line; do
        awk -F'\t' -v file="$file" -v line="$line" '
          $3 == line && substr($2, length($2) - length(file) + 1) == file || index(file, $2) && $3 == line { print $1 }' "$list"
      done)
  if [ "${#without[@]}" = "$before" ]; then
    grep -E 'error:' "$log" | head -n 20 >&2
    tail -n 20 "$log" >&2
    exit 1
  fi
done
[ -n "${built-}" ] || { echo "mutate: it does not compile" >&2; exit 1; }
bundle=$(cd "$copy" && source scripts/built.sh && bin_path)/swift-range-ioPackageTests.xctest

# MARK: running

# Runs the tests that match $2, with the mutant $1. Fails if they do, or take ten times as long as without a mutant, and half a
# minute more.
run_tests() {
  local limit
  limit=$(awk -F'\t' -v tests="$2" '$1 == tests { print 10 * $2 + 30; exit }' "$durations")
  RANGEIO_MUTANT=$1 RANGEIO_SEEDS=200 RANGEIO_SEED=1 timeout -s KILL "${limit:-600}" \
    "$bundle" --testing-library swift-testing --no-parallel --filter "$2" >/dev/null 2>&1 </dev/null
}

# Says on a line what became of the mutant of line $1 of the list.
try_mutant() {
  local number file line what text quick thorough=() one
  IFS=$'\t' read -r number file line what text <<<"$1"
  IFS=';' read -r _ quick one <<<"$(grep -F "$file;" <<<"$table" | head -n 1)"
  IFS=';' read -r -a thorough <<<"$one"
  for one in "$quick" "${thorough[@]}"; do
    if ! run_tests "$number" "$one"; then
      printf 'killed\t%s\n' "$1"
      return
    fi
  done
  printf 'survived\t%s\n' "$1"
}
export -f run_tests try_mutant
durations=$work/durations
touch "$durations"
export bundle table durations

# Without a mutant all must pass, or nothing is proved.
for file in "${files[@]}"; do
  IFS=';' read -r _ tests <<<"$(grep -F "$file;" <<<"$table" | head -n 1)"
  IFS=';' read -r -a tests <<<"$tests"
  for one in "${tests[@]}"; do
    begun=$SECONDS
    run_tests 0 "$one" || { echo "mutate: '$one' fails without a mutant" >&2; exit 1; }
    printf '%s\t%s\n' "$one" $((SECONDS - begun)) >>"$durations"
  done
done
# Errors apart: the shell tells of each process that goes down.
tr '\n' '\0' <"$list" | xargs -0 -P "${RANGEIO_JOBS:-$(getconf _NPROCESSORS_ONLN)}" -I '{}' bash -c 'try_mutant "$1"' _ '{}' \
  >"$work/results" 2>"$work/errors"
cp "$work/results" "$copy/.build/mutants.results"

touch "$work/known"
[ ! -f "$known" ] || cp "$known" "$work/known"
awk -F'\t' '
  FILENAME == ARGV[1] { explained[$1, $2, $3] = $4; next }
  {
    total[$3]++; all++
    if ($1 == "killed") { killed[$3]++; allKilled++ }
    else if (($3, $6, $5) in explained) { reasons[$3]++; allReasons++ }
    else survivors[++count] = $3 ":" $4 ": " $5 ": " $6
  }
  END {
    printf "%-70s %8s %8s %10s\n", "file", "mutants", "killed", "explained"
    for (file in total) printf "%-70s %8d %8d %10d\n", file, total[file], killed[file], reasons[file]
    printf "%-70s %8d %8d %10d\n", "all", all, allKilled, allReasons
    for (i = 1; i <= count; i++) print "survived: " survivors[i]
    printf "mutate: %.1f%% killed, %d survivors without a reason\n", 100 * allKilled / (all ? all : 1), count
  }' "$work/known" "$work/results"
