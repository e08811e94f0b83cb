#!/usr/bin/env bash
# Builds the tests, warnings refused, and runs them: each suite in a process of its own, its tests one after the other, as
# many processes at a time as there are processors. So no test waits for another, and the time that each shows is its own.
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
  swift test --skip-build --disable-xctest --no-parallel --scratch-path "$scratch" ${filter:+--filter "$filter"}
  for engine in $engines; do
    RANGEIO_ENGINE=$engine swift test --skip-build --disable-xctest --no-parallel --scratch-path "$scratch" --filter 'File|Reader|Stream'
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
jobs=${RANGEIO_JOBS:-$(getconf _NPROCESSORS_ONLN)}
export work bundle durations

# Runs the tests whose identifiers stand in the file $1 and notes what came of it in $1.log and $1.result. A suite that has
# not ended after RANGEIO_LIMIT seconds hangs: it is aborted, which shows where.
run_suite() {
  local list=$1 limit=() status=0 begun=$SECONDS name
  name=$(sed 's#/.*##; q' "$list")
  if command -v timeout >/dev/null; then limit=(timeout -s ABRT -k 60 "${RANGEIO_LIMIT:-1200}"); fi
  local arguments=()
  while IFS= read -r pattern; do arguments+=(--filter "$pattern"); done <"$list.patterns"
  ${limit[@]+"${limit[@]}"} "$bundle" --testing-library swift-testing --no-parallel "${arguments[@]}" >"$list.log" 2>&1 </dev/null || status=$?
  local passed failed skipped wanted
  passed=$(grep -acE '^.{1,4} Test [^r].* passed after |^.{1,4} Test r[^u].* passed after ' "$list.log" || true)
  failed=$(grep -acE '^.{1,4} Test [^r].* failed after |^.{1,4} Test r[^u].* failed after ' "$list.log" || true)
  skipped=$(grep -acE '^.{1,4} Test .* skipped' "$list.log" || true)
  wanted=$(wc -l <"$list")
  # What neither passed nor failed nor was skipped went down with its process.
  local lost=$((wanted - passed - failed - skipped))
  [ "$lost" -gt 0 ] || lost=0
  failed=$((failed + lost))
  [ "$status" = 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$passed $failed $skipped $((SECONDS - begun)) $name" >"$list.result"
  if [ "$failed" -gt 0 ]; then
    echo "✘ $name: $failed failed, exit status $status"
  else
    echo "✔ $name: $passed tests, $((SECONDS - begun)) s"
  fi
}
export -f run_suite

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
  ls "$folder" | grep -v '\.patterns$' |
    awk -v durations="$durations" '
      BEGIN { while ((getline line < durations) > 0) { split(line, part, " "); took[part[2]] = part[1] } }
      { print ($1 in took ? took[$1] : $1 ~ /^RangeIOModelTests|Damage/ ? 1000 : 100), $1 }' |
    sort -rn | cut -d' ' -f2- >"$work/order"
  # In parallel, and one at a time what waits for the system.
  sed -n "/^RangeIOSystemTests/!s#^#$folder/#p" "$work/order" |
    xargs -r -P "$jobs" -I '{}' bash -c 'run_suite "$1"' _ '{}'
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
