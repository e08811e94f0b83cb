#!/usr/bin/env bash
# Shows how many declarations each product makes public, with the traits of the build, and how many types stand at its top level.
# Reads the symbol graphs of the build of the tests, which must be there.
#
# Usage: scripts/count-api.sh [--list]
#   --list: shows the types and how many declarations each has, the largest first.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_modules
for module in $(scripts/products.sh); do
  swift symbolgraph-extract -module-name "$module" "${module_flags[@]}" -target "$target" \
    -minimum-access-level public -skip-synthesized-members -skip-inherited-docs -output-dir "$work" >/dev/null

  # One line for each symbol: its kind, and its path with dots. Those of extensions of other modules' types have files of their own.
  find "$work" \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) -exec cat {} + |
    sed 's/{"kind":/\n&/g' | grep -oE '"kind":\{"identifier":"swift\.[a-z.]+"|"kind":\{"displayName":"[^"]*","identifier":"swift\.[a-z.]+"|"pathComponents":\[[^]]*\]' \
    | sed -E 's/.*"identifier":"swift\.([a-z.]+)".*/\1/; s/"pathComponents":\[(.*)\]/\1/; s/"//g; s/,/./g' |
    paste - - >"$work/symbols"
  declarations=$(wc -l <"$work/symbols" | tr -d ' ')
  types=$(awk '$1 ~ /^(struct|class|enum|protocol|actor)$/ && $2 !~ /\./' "$work/symbols" | wc -l | tr -d ' ')
  if [ "${1-}" = --list ]; then
    awk '{ sub(/\..*/, "", $2); count[$2]++ } END { for (name in count) print count[name], name }' "$work/symbols" | sort -rn
  fi
  echo "count-api: $module: $declarations public declarations, $types types at the top level"
done
