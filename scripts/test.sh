#!/usr/bin/env bash
# Builds the tests, warnings refused, and runs them, one after the other in each process, half as many processes again at a time
# as there are processors. So no test waits for another, and the time that each shows is its own. Each suite has a process of
# its own if it takes long, or if scripts/lone-suites.sh finds that it must; others share one, up to fifteen of one target.
# What waits for the system itself (RangeIOSystemTests) runs one suite at a time. Then the tests of files run again on each
# engine.
#
# Usage: scripts/test.sh [--filter REGEX] [options for 'swift build', such as --sanitize=thread --scratch-path …]
#   --filter REGEX: only tests whose identifier matches, as 'swift test list' prints it; no other engines.
# RANGEIO_ENGINES: the other engines, of dispatchIO, positional and direct (past the page cache). Default: the first two.
# Empty: none.
# RANGEIO_ENGINE_TESTS: which suites run on them, a regular expression. Default: those that name TestEngine.
# RANGEIO_JOBS: how many processes at a time.
# RANGEIO_LIMIT: after how many seconds a suite that has not ended counts as hanging. Default: twenty minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh

filter='' engine_tests=${RANGEIO_ENGINE_TESTS-} engines=${RANGEIO_ENGINES-dispatchIO positional}
options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --filter) filter=$2 engines='' && shift 2 ;;
    --filter=*) filter=${1#*=} engines='' && shift ;;
    --scratch-path) built_at "$2" && shift 2 ;;
    --scratch-path=*) built_at "${1#*=}" && shift ;;
    *) options+=("$1") && shift ;;
  esac
done

started=$SECONDS
build --build-tests ${options[@]+"${options[@]}"}
echo "test: built in $((SECONDS - started)) s"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'trap - TERM; kill -- -$$ 2>/dev/null; exit 130' INT TERM
bundle=$(bin_path)/swift-range-ioPackageTests.xctest
if [ ! -f "$bundle" ]; then
  # On Apple platforms the tests are a bundle, which only SwiftPM runs.
  tests=(swift test --skip-build --disable-xctest --no-parallel --scratch-path "$scratch" ${traits:+--traits "$traits"})
  "${tests[@]}" ${filter:+--filter "$filter"}
  for engine in $engines; do
    RANGEIO_ENGINE=$engine "${tests[@]}" --filter 'File|Reader|Stream'
  done
  exit
fi

if ! "$bundle" --testing-library swift-testing --list-tests >"$work/all" 2>"$work/list.err"; then
  cat "$work/list.err" >&2
  echo "test: the tests cannot be listed" >&2
  exit 1
fi
# How long each suite took last time, so that the longest begin first.
durations=$scratch/test-durations
touch "$durations"
# Half as many again as there are processors: a third of the time that the long suites take is waiting.
jobs=${RANGEIO_JOBS:-$((($(getconf _NPROCESSORS_ONLN) * 3 + 1) / 2))}
scripts/lone-suites.sh >"$work/lone"
export work bundle durations

# Runs in one process the suites whose tests the files $2… list. Writes what it says of tests to $1, and before that what
# they print. A process that has not ended after RANGEIO_LIMIT seconds hangs: it is aborted, which shows where.
run_process() {
  local log=$1 limit=() status=0 arguments=() list pattern
  shift
  if command -v timeout >/dev/null; then limit=(timeout -s ABRT -k 60 "${RANGEIO_LIMIT:-1200}"); fi
  for list; do while IFS= read -r pattern; do arguments+=(--filter "$pattern"); done <"$list.patterns"; done
  # Apart, since what they print comes in pieces of a page, which may end within a line.
  ${limit[@]+"${limit[@]}"} "$bundle" --testing-library swift-testing --no-parallel "${arguments[@]}" \
    >"$log.printed" 2>"$log.told" </dev/null || status=$?
  cat "$log.printed" "$log.told" >"$log"
  return "$status"
}

# Notes in $1.result what came of the suite whose tests $1 lists, by $1.log, and that it took $2 seconds. $3 is the exit status
# that it answers for, if it does.
note_suite() {
  local list=$1 took=$2 status=${3-} name passed failed skipped wanted
  name=$(basename "$list")
  passed=$(grep -acE '^.{1,4} Test [^r].* passed after |^.{1,4} Test r[^u].* passed after ' "$list.log" || true)
  failed=$(grep -acE '^.{1,4} Test [^r].* failed after |^.{1,4} Test r[^u].* failed after ' "$list.log" || true)
  skipped=$(grep -acE '^.{1,4} Test .* skipped' "$list.log" || true)
  wanted=$(wc -l <"$list")
  # What neither passed nor failed nor was skipped went down with its process.
  local lost=$((wanted - passed - failed - skipped))
  [ "$lost" -gt 0 ] || lost=0
  failed=$((failed + lost))
  [ "${status:-0}" = 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$passed $failed $skipped $took $name" >"$list.result"
  if [ "$failed" -gt 0 ]; then
    echo "✘ $name: $failed failed${status:+, exit status $status}"
  else
    echo "✔ $name: $passed tests, $took s"
  fi
}

# Runs the suite whose tests $1 lists in a process of its own.
run_suite() {
  local status=0 begun=$SECONDS
  run_process "$1.log" "$1" || status=$?
  note_suite "$1" $((SECONDS - begun)) "$status"
}

# Runs the suites whose tests the files $@ list, of one target, in one process. Those that it did not come to, as it went down
# before, then run one by one.
run_group() {
  [ $# -gt 1 ] || { run_suite "$1"; return; }
  local group=$1.group status=0 list last
  run_process "$group" "$@" || status=$?
  # Each suite's part becomes its log, and the seconds that it took, if it ended, a file beside it.
  last=$(awk '
    BEGIN { for (i = 2; i < ARGC; i++) { name = ARGV[i]; sub(/.*\./, "", name); lists[name] = ARGV[i]; delete ARGV[i] } }
    current == "" && $2 == "Suite" && $4 == "started." && $3 in lists { current = $3; list = lists[$3] }
    list != "" { print >(list ".log") }
    $2 == "Suite" && $3 == current && $5 == "after" { printf "%.0f\n", $6 >(list ".took"); current = "" }
    END { print list }' "$group.told" "$@")
  for list; do
    if [ ! -f "$list.log" ]; then
      run_suite "$list"
    elif [ "$list" != "$last" ]; then
      note_suite "$list" "$(cat "$list.took")"
    fi
  done
  [ -n "$last" ] || return 0
  # The last one answers for how the process ended, unless that only says that a test failed.
  if [ -f "$last.took" ] && grep -qaE '^.{1,4} Suite .* failed after ' "$group.told"; then status=''; fi
  cat "$group.printed" "$last.log" >"$group" && mv "$group" "$last.log"
  note_suite "$last" "$(cat "$last.took" 2>/dev/null || echo 0)" "$status"
}
export -f run_process note_suite run_suite run_group

# Runs the tests that standard input lists, and fails if one does. $1 says which they are.
total_passed=0 total_failed=0 total_skipped=0
run_tests() {
  local title=$1 begun=$SECONDS folder
  folder=$(mktemp -d "$work/run.XXXXXX")
  echo "== $title"
  # A file for each suite; of a suite whose every test is wanted one pattern says so.
  awk -v folder="$folder" -v all="$work/all" '
    function suite(test) { sub(/\/.*/, "", test); return test }
    function quoted(text) { gsub(/[][\\.*^$(){}?+|]/, "\\\\&", text); return text }
    BEGIN { while ((getline line < all) > 0) count[suite(line)]++ }
    { wanted[suite($0)]++; print > (folder "/" suite($0)); tests[suite($0)] = tests[suite($0)] "^" quoted($0) "\n" }
    END { for (name in wanted) {
      file = folder "/" name ".patterns"
      if (wanted[name] == count[name]) print "^" quoted(name) "/" > file; else printf "%s", tests[name] > file
    } }'
  # A line for each process: how long it takes, and its suites. Of what is not known, simulations, models and damage are
  # taken to be long.
  ls "$folder" | grep -v '\.patterns$' |
    awk -v durations="$durations" -v lone="$work/lone" -v jobs="$jobs" '
      BEGIN {
        while ((getline line < durations) > 0) { split(line, part, " "); took[part[2]] = part[1] }
        while ((getline line < lone) > 0) isLone[line] = 1
      }
      { seconds = $1 in took ? took[$1] : $1 ~ /^RangeIOModelTests|Damage/ ? 1000 : 100 }
      $1 ~ /^RangeIOSystemTests/ || $1 in isLone || ($1 in took ? seconds > 1 : seconds > 100) { print seconds, $1; next }
      { small[++count] = $1; weight[$1] = seconds }
      END {
        # Fifteen, or fewer so that each processor has some.
        size = int((count + 2 * jobs - 1) / (2 * jobs))
        if (size > 15) size = 15
        for (i = 1; i <= count; i++) {
          target = small[i]
          sub(/\..*/, "", target)
          if (i > 1 && (held == size || target != last)) { print sum, group; held = sum = 0; group = "" }
          sum += weight[small[i]]
          group = group (held++ ? " " : "") small[i]
          last = target
        }
        if (held) print sum, group
      }' | sort -rn | cut -d' ' -f2- >"$work/order"
  # In parallel, and one at a time what waits for the system.
  sed -n "/^RangeIOSystemTests/!s#[^ ][^ ]*#$folder/&#gp" "$work/order" |
    xargs -r -P "$jobs" -I '{}' bash -c 'run_group $1' _ '{}'
  sed -n "/^RangeIOSystemTests/s#^#$folder/#p" "$work/order" | xargs -r -I '{}' bash -c 'run_suite "$1"' _ '{}'
  local passed failed skipped
  read -r passed failed skipped < <(cat "$folder"/*.result | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
  for result in "$folder"/*.result; do
    read -r _ wrong _ _ name <"$result"
    if [ "$wrong" -gt 0 ]; then
      echo "== what failed in $name ($title):"
      grep -aE -A 12 'recorded an issue|error: |Fatal error|WARNING: ThreadSanitizer|ERROR: AddressSanitizer|Crash|skipped' "${result%.result}.log" |
        head -c 20000 || true
      tail -n 15 "${result%.result}.log"
    fi
  done >&2
  awk '{ print $4, $5 }' "$folder"/*.result >"$work/took"
  cat "$folder"/*.log >>"$work/log"
  echo "== $title: $passed passed, $failed failed, $skipped skipped, in $((SECONDS - begun)) s"
}

if [ -n "$filter" ]; then
  grep -E -- "$filter" "$work/all" >"$work/chosen" || { echo "test: no test matches '$filter'" >&2; exit 1; }
else
  cp "$work/all" "$work/chosen"
fi
run_tests "all tests, engine ${RANGEIO_ENGINE:-automatic}" <"$work/chosen"
[ -n "$filter" ] || cp "$work/took" "$durations"

if [ -n "$engines" ]; then
  if [ -z "$engine_tests" ]; then
    # Suites in files that name the engine that the environment chose.
    engine_tests=$(grep -rlE 'TestEngine\.' --include='*Tests.swift' Tests |
      xargs grep -hoE '^(@Suite.* )?(final )?(struct|class|actor) [A-Za-z0-9]+' | awk '{ printf "%s%s", separator, $NF; separator = "|" }')
    engine_tests="\.($engine_tests)/"
  fi
  grep -E -- "$engine_tests" "$work/all" >"$work/chosen"
  for engine in $engines; do
    RANGEIO_ENGINE=$engine run_tests "tests of files, engine $engine" <"$work/chosen"
  done
fi

echo "== the 20 slowest, in seconds"
grep -aE '^.{1,4} Test .* (passed|failed) after [0-9.]+ seconds' "$work/log" | grep -avE '^.{1,4} Test run with' |
  sed -E 's/^.{1,4} Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/' | sort -rn | head -n 20 || true
echo "test: $((SECONDS - started)) s with building"
echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
[ "$total_failed" = 0 ] && [ "$total_passed" -gt 0 ]
