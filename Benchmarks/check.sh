#!/usr/bin/env bash
# Says what got slower since the last release: builds that release beside the present tree, measures both in turn, and names
# what differs by more than chance; then counts instructions. Fails if something got slower.
#
# Usage: Benchmarks/check.sh [--against REVISION] [--pairs N] [options of the benchmark, such as --filter cache/hit]
#   --against: what to compare with. Default: the last release, and without one the commit of the last published report.
#   --pairs: how often each is measured. Default: 9; three are the fewest.
#
# By default it measures the cells that guard what users feel: with nine pairs half an hour, with three ten minutes. Only where
# nothing else runs does it tell much: what it cannot tell from chance it does not name.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
cd "$root"

against='' pairs=9 options=()
while [ $# -gt 0 ]; do
  case "$1" in
    --against) against=$2 && shift 2 ;;
    --pairs) pairs=$2 && shift 2 ;;
    *) options+=("$1") && shift ;;
  esac
done
case " ${options[*]-} " in
*' --filter'*) ;;
*)
  for cell in read/4KiB stream/resident cache/hit/1000/1 cache/hit/100000/1 cache/miss/ready pipeline/hit tiers/compressed \
    spill/hit spill/write/64KiB/none; do
    options+=(--filter "$cell")
  done
  ;;
esac
[ -n "$against" ] || against=$(git describe --tags --abbrev=0 --match '[0-9]*' --match 'v[0-9]*' 2>/dev/null) || true
[ -n "$against" ] || against=$(sed -nE 's/.*"commit" : "([0-9a-f]+).*/\1/p' Docs/Benchmarks/latest.json | head -n 1)
against=$(git rev-parse --verify --quiet "$against^{commit}") || {
  echo "check: name a revision to compare with: --against REVISION; in a shallow clone fetch the history and the tags first" >&2
  exit 2
}

# A clone of the earlier revision; kept, so that the next comparison need not build it again.
before=$here/.build/before
[ -d "$before/.git" ] || git clone --quiet --no-checkout "$root" "$before"
git -C "$before" fetch --quiet origin "$against" 2>/dev/null || git -C "$before" fetch --quiet origin
git -C "$before" checkout --quiet --force "$against"

# Each with the benchmark of its own time: what both have is compared.
"$before/Benchmarks/run.sh" --list >/dev/null
"$here/run.sh" --list >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
measure() { # where the benchmark is, what to call the report
  "$1/run.sh" --rounds 1 "${options[@]}" --json "$work/$2.json" >"$work/$2.log" ||
    { tail -n 20 "$work/$2.log" >&2; return 1; }
}
for number in $(seq "$pairs"); do
  echo "check: pair $number of $pairs, against $(git rev-parse --short "$against")" >&2
  # The one that goes first alternates.
  # Not joined by `&&`, which would go on without one that failed.
  if [ $((number % 2)) = 1 ]; then
    measure "$before/Benchmarks" "before-$number"
    measure "$here" "after-$number"
  else
    measure "$here" "after-$number"
    measure "$before/Benchmarks" "before-$number"
  fi
done

failed=0
"$here/run.sh" --compare "$work" || failed=1
scripts/check-hit-cost.sh --within 3 || failed=1
exit $failed
