#!/usr/bin/env bash
# Fails if the public API of a product, with all traits, lost or changed something since the last release, that is the last tag
# that looks like a version. Where there is no release yet it says so.
#
# Compares the build of the tests, which must be there, with the modules of that release, which it makes in .build/api and keeps.
# SwiftPM has a command for this, diagnose-api-breaking-changes; what that compares with is built without traits, and has what is
# `package` as well.
#
# Usage: scripts/check-api-changes.sh [revision; default: the last release]
#
# What was broken on purpose stands in scripts/api-changes.txt, one line for each, as it is reported here: "API breakage: …".
set -euo pipefail
cd "$(dirname "$0")/.."

# Says what is wrong if this is no repository, or git refuses it.
git rev-parse --git-dir >/dev/null
base=${1-}
[ -n "$base" ] || base=$(git describe --tags --abbrev=0 --match '[0-9]*' --match 'v[0-9]*' 2>/dev/null) || true
if [ -z "$base" ]; then
  echo "check-api-changes: there is no release yet, so nothing to compare with"
  exit 0
fi
RANGEIO_TRAITS=$(scripts/traits.sh)
source scripts/built.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs the digester on the module $1 of the build that find_modules found, with further options.
digest() {
  swift-api-digester -module "$1" -target "$target" "${module_flags[@]}" -compiler-style-diags "${@:2}"
}

# The modules as they were, without what they do: nothing is compiled to code.
kept=$PWD/.build/api/$(git rev-parse "$base^{commit}")
if [ ! -d "$kept" ]; then
  tree=$PWD/.build/api/tree
  rm -rf "$tree"
  mkdir -p "$tree" "$work/kept"
  git archive "$base" | tar -xf - -C "$tree"
  products=$(scripts/products.sh "$tree")
  (
    traits=$(scripts/traits.sh "$tree")
    unset RANGEIO_EXAMPLES
    cd "$tree"
    built_at "$kept-build"
    swift_build --experimental-prepare-for-indexing --quiet
    find_modules
    for product in $products; do digest "$product" -dump-sdk -o "$work/kept/$product.json"; done
  )
  python3 scripts/public-api.py "$work/kept"/*.json
  rm -rf "$tree" "$kept-build"
  mv "$work/kept" "$kept"
fi

allowed=() broken=0
[ ! -f scripts/api-changes.txt ] || allowed=(-breakage-allowlist-path scripts/api-changes.txt)
find_modules
for before in "$kept"/*.json; do
  product=$(basename "$before" .json)
  if ! scripts/products.sh | grep -qx "$product"; then
    echo "API breakage: product $product has been removed" >&2
    broken=1
  elif ! digest "$product" -diagnose-sdk -baseline-path "$before" ${allowed[@]+"${allowed[@]}"}; then
    echo "check-api-changes: $product: see above" >&2
    broken=1
  fi
done
[ "$broken" = 0 ] || exit 1
echo "check-api-changes: nothing public was broken since $base, in $(find "$kept" -name '*.json' | wc -l) products"
