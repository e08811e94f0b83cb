#!/usr/bin/env bash
# Follows the guides to writing a source, a stage and a store to the letter: makes the files that they show in an empty
# folder, runs the commands that they name, and compares what these print with what they promise.
#
# Usage: scripts/check-guides.sh [guides; default: those three]
#   Docs/Guides/HexViewer.md needs the build of the tests with all traits, for `rangeio serve`.
#
# In a guide,
#   `Sources/Memory/main.swift`:   on a line, then a block: that file, with these contents
#   ```sh                          commands that are run
#   ```text                        what the commands before it print on their standard output
# Every Swift block needs a file. The URL of this package is replaced by this checkout.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

guides=("$@")
[ $# -gt 0 ] || guides=(Docs/Guides/WritingASource.md Docs/Guides/WritingAStage.md Docs/Guides/WritingAStore.md)

# One for all guides and examples, kept from run to run: the library is built once.
scratch=$root/.build/clients
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Turns the guide $1 into a shell script.
as_script() {
  awk '
    function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return "\047" text "\047" }
    function complain(what) { print FILENAME ":" NR ": " what > "/dev/stderr"; bad = 1; exit 1 }
    BEGIN { quote = sprintf("%c", 39) }
    !inside && /^```/ {
      language = substr($0, 4); inside = 1; text = ""
      if (language == "swift" && file == "") complain("this Swift block has no file: name one on the line before")
      next
    }
    inside && /^```$/ {
      inside = 0
      if (file != "") {
        print "write_file " quoted(file) " " quoted(text)
      } else if (language == "sh") {
        printf "%s", text
      } else if (language == "text") {
        print "compare_output " quoted(text) " " FNR
      }
      file = ""
      next
    }
    inside { text = text $0 "\n"; next }
    /^`[^`]+`:$/ { file = substr($0, 2, length($0) - 3); next }
    /./ { file = "" }
    END { if (bad) exit 1; if (inside) complain("a block does not end") }
  ' "$1"
}

# What the script of a guide uses.
cat >"$work/prelude.sh" <<PRELUDE
set -euo pipefail
root='$root'
scratch='$scratch'
PRELUDE
cat >>"$work/prelude.sh" <<'PRELUDE'
printed=$(mktemp)
trap 'rm -f "$printed"; kill $(jobs -p) 2>/dev/null || true' EXIT
# The tool, of the build of the tests: of a guide that uses it.
rangeio() {
  local built
  built=$(unset -f swift && cd "$root" && RANGEIO_TRAITS=$(scripts/traits.sh) && source scripts/built.sh && bin_path)
  exec "$built/rangeio" "$@"
}
swift() { command swift "$1" --scratch-path "$scratch" "${@:2}" | tee "$printed"; }
write_file() {
  mkdir -p "$(dirname "$1")"
  printf '%s' "$2" |
    sed "s#\.package(url: \"https://github.com/[^\"]*swift-range-io\", branch: \"main\"#.package(name: \"swift-range-io\", path: \"$root\"#" >"$1"
  ! grep -n 'github.com/.*swift-range-io' "$1" /dev/null || { echo "guide: $1 still names the URL" >&2; exit 1; }
}
compare_output() {
  [ "$(cat "$printed")" = "${1%$'\n'}" ] || {
    echo "guide: line $2 promises" >&2; echo "$1" >&2; echo "and this was printed:" >&2; cat "$printed" >&2; exit 1
  }
}
PRELUDE

for guide in "${guides[@]}"; do
  echo "== $guide"
  name=$(basename "$guide" .md)
  mkdir "$work/$name"
  { cat "$work/prelude.sh"; as_script "$guide"; } >"$work/$name.sh"
  grep -q '^swift run' "$work/$name.sh" || { echo "check-guides: $guide runs nothing" >&2; exit 1; }
  (cd "$work/$name" && bash "$work/$name.sh") || { echo "check-guides: $guide does not work" >&2; exit 1; }
done
echo "check-guides: the guides work"
