#!/usr/bin/env bash
# Fails if Docs/Guides/Serving.md says that a test shows a feature and there is no such test, or says what `rangeio serve` has and
# names no test for it.
#
# Usage: scripts/check-features.sh
# First it checks itself: a feature without a test, and a test that is not there, must fail.
set -euo pipefail
cd "$(dirname "$0")/.."

# Compares the tables of the page $1 with the tests. Prints how many tests it names.
check() {
  local page=$1 status=0 count=0 feature test
  # Features that are "no" alone need no test.
  while IFS= read -r feature; do
    grep -qF "| $feature | \`" "$page" || {
      echo "check-features: $page: no test is named for '$feature'" >&2
      status=1
    }
  done < <(awk -F ' \\| ' '/^\| \| `rangeio serve` /{on=1; next} !/^\|/{on=0} on && !/^\| :/ && $2 !~ /^no(; no)?$/{print substr($1, 3)}' "$page")
  while IFS= read -r test; do
    count=$((count + 1))
    grep -rqF --include='*.swift' "func \`$test\`" Plugins/RangeIOServe/Tests Tests/RangeIOToolTests || {
      echo "check-features: $page: there is no test '$test'" >&2
      status=1
    }
  done < <(awk '/^\| \| test \|/{on=1; next} !/^\|/{on=0} on && !/^\| :/' "$page" | sed -n 's/^| .* | `\(.*\)` |$/\1/p')
  [ "$count" -gt 0 ] || { echo "check-features: $page names no test" >&2; status=1; }
  echo "$count"
  return "$status"
}

page=Docs/Guides/Serving.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
grep -v '^| HTTP/2 | `' "$page" >"$work/untested.md"
sed 's/`curl reads over HTTP 2`/`curl reads over HTTP 4`/' "$page" >"$work/missing.md"
for wrong in untested missing; do
  if check "$work/$wrong.md" >/dev/null 2>&1; then
    echo "check-features: it does not see what is wrong in a page ($wrong)" >&2
    exit 1
  fi
done
count=$(check "$page")
echo "check-features: $count tests show what Docs/Guides/Serving.md says"
