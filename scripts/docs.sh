#!/usr/bin/env bash
# Makes one static site of the documentation of all products, in .build/docs, from the symbol graphs of the build of the tests.
# Fails on any warning of DocC, and names public declarations without a comment.
#
# The first page of a product is in its catalog, <product>.docc among its sources. The guides of Docs/Guides and the READMEs of
# plugins become articles, by scripts/docs/page.awk: one text for the repository, where links are paths, and for the site.
#
# Usage: scripts/docs.sh [--base PATH] [--look]
#   --base: the path at which a web server will have the site, such as /swift-range-io. Default: the root.
#   --look: takes pictures of some pages (scripts/docs/look.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
base='' look=''
while [ $# -gt 0 ]; do
  case "$1" in
    --base) base=$2 && shift 2 ;;
    --look) look=1 && shift ;;
    *) echo "docs: what is $1? See the top of scripts/docs.sh" >&2 && exit 2 ;;
  esac
done
RANGEIO_TRAITS=$(scripts/traits.sh)
source scripts/built.sh

docc=$(command -v docc || xcrun --find docc 2>/dev/null) || {
  echo "docs: no 'docc' in PATH: it comes with Swift's toolchain" >&2
  exit 1
}
begun=$SECONDS
products=()
while IFS= read -r product; do products+=("$product"); done < <(scripts/products.sh)
echo "docs: builds all products first, which takes some ten minutes if nothing is built" >&2
build --quiet
find_modules

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$(grep -oE 'https://github.com/[^"]*/swift-range-io' README.md | head -n 1)
page() { awk -v repository="$repository" -v images="$work/images" -f scripts/docs/page.awk "$@"; }

# What doc comments say of pages: their paths, which become links.
for guide in Docs/Guides/*.md; do
  echo "s#\`$guide\`#<doc:/Guides/$(basename "$guide" .md)>#g"
done >"$work/links.sed"
echo "s#\`\\(Docs/[A-Za-z/]*\\.md\\)\`#[\\1]($repository/blob/main/\\1)#g" >>"$work/links.sed"

archives=() dependencies=()
# Makes an archive of the catalog $1, with further options of docc, that later ones may link to.
convert() {
  local name=$1
  shift
  while IFS= read -r image; do cp "$image" "$work/$name.docc"; done <"$work/images"
  : >"$work/images"
  "$docc" convert "$work/$name.docc" --output-dir "$work/$name.doccarchive" --warnings-as-errors \
    --enable-experimental-external-link-support ${dependencies[@]+"${dependencies[@]}"} ${base:+--hosting-base-path "$base"} \
    "$@" || { echo "docs: $name: see above" >&2; exit 1; }
  archives+=("$work/$name.doccarchive") dependencies+=(--dependency "$work/$name.doccarchive")
}

mkdir "$work/Guides.docc"
: >"$work/images"
for file in Docs/Guides/*.md Plugins/*/README.md; do
  name=$(basename "$file" .md)
  [ "$name" != README ] || name=$(basename "$(dirname "$file")")
  page "$file" >"$work/Guides.docc/$name.md"
done
convert Guides

for product in "${products[@]}"; do
  graphs=$work/$product.graphs catalog=$work/$product.docc
  mkdir "$graphs" "$catalog"
  swift symbolgraph-extract -module-name "$product" "${module_flags[@]}" -target "$target" -minimum-access-level public \
    -skip-synthesized-members -skip-inherited-docs -emit-extension-block-symbols -output-dir "$graphs" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  # One line for each declaration. What stands in no file, such as `init(rawValue:)`, the compiler made.
  bare=$(cat "$graphs"/* | sed 's/{"kind":{/\n&/g' | grep '"location"' | grep -v '"docComment"\|"identifier":"swift.extension"' |
    sed -E 's/.*"pathComponents":\[([^]]*)\].*/\1/; s/"//g; s/,/./g' || true)
  if [ -n "$bare" ]; then
    echo "docs: $product: no doc comment: $bare" >&2
    exit 1
  fi
  for graph in "$graphs"/*; do sed -f "$work/links.sed" "$graph" >"$work/graph" && mv "$work/graph" "$graph"; done

  for file in "$(find Sources Plugins -type d -name "$product.docc")"/*.md; do
    page -v guide="Plugins/$product/README.md" "$file" >"$catalog/$(basename "$file")"
  done
  convert "$product" --additional-symbol-graph-dir "$graphs" --fallback-default-module-kind Library \
    --checkout-path "$PWD" --source-service github --source-service-base-url "$repository/blob/main"
done

rm -rf .build/docs
"$docc" merge "${archives[@]}" --output-path .build/docs --synthesized-landing-page-name swift-range-io \
  --synthesized-landing-page-kind Package --synthesized-landing-page-topics-style list
# The navigator shows, and searches, what is below the module of a page. Without modules it is all of it.
sed 's/"type":"module"/"type":"collection"/g' .build/docs/index/index.json >"$work/index"
mv "$work/index" .build/docs/index/index.json
# DocC leaves no page at the root.
echo "<!doctype html><meta http-equiv=refresh content='0; url=$base/documentation/'>" >.build/docs/index.html
echo "docs: ${#products[@]} products in $((SECONDS - begun)) s"
echo "docs: to read: python3 -m http.server --directory .build/docs, and open http://localhost:8000"
[ -z "$look" ] || scripts/docs/look.sh
