#!/usr/bin/env bash
# Fails if a figure of a page is not that of the last published run, Docs/Benchmarks/latest.json.
#
# In a page, such a figure is followed by the name of what was measured, in a comment:
#   1.26×<!-- figure: resident 4 KiB: time against C pread + fstat -->    a goal: its figure, or one of its note
#   2.64 µs<!-- figure: read/4KiB/resident/1 -->                          the median of RangeIO, to three digits
#   1.78×<!-- figure: read/4KiB/cold/1 NIOFileSystem -->                  that of another program, or how much RangeIO is faster
# A row of a table that begins with a goal and what was asked needs no comment.
#
# Usage: scripts/check-figures.sh
# First it checks itself: a wrong figure, an unknown name and a comment without a figure must fail.
set -euo pipefail
cd "$(dirname "$0")/.."

# Compares the pages that are given. Prints how many figures they have.
check() {
  LC_ALL=C awk '
    function wrong(text) { print "check-figures: " FILENAME ":" FNR ": " text >"/dev/stderr"; status = 1 }
    # The value of a line such as  "name" : "text",
    function value(line) {
      sub(/^[^:]*: */, "", line)
      sub(/,$/, "", line)
      gsub(/^"|"$/, "", line)
      gsub(/\\\//, "/", line)
      return line
    }
    # Three digits, as the report has them.
    function digits(number,  places) {
      places = number < 9.995 ? 2 : number < 99.95 ? 1 : 0
      return sprintf("%." places "f", number)
    }
    function time(nanoseconds) {
      if (nanoseconds < 999.5) return digits(nanoseconds) " ns"
      if (nanoseconds < 999500) return digits(nanoseconds / 1e3) " µs"
      if (nanoseconds < 999500000) return digits(nanoseconds / 1e6) " ms"
      return digits(nanoseconds / 1e9) " s"
    }
    # What is known of a name: its figures, with blanks around each.
    function learn(name, figures) { known[name] = known[name] " " figures " " }
    function compare(name, figure) {
      count++
      if (name == "") wrong("the comment of a figure has no name, or no end on its line")
      else if (figure == "") wrong("no figure stands before the comment \"" name "\"")
      else if (!(name in known)) wrong("nothing was measured by the name \"" name "\"")
      else if (!index(known[name], " " figure " ") && !index(known[name], " " figure ";"))
        wrong(figure " of \"" name "\" is not among" known[name])
    }

    FILENAME ~ /\.json$/ {
      if ($1 == "\"figure\"") figure = value($0)
      if ($1 == "\"id\"") group = value($0)
      if ($1 == "\"name\"") name = value($0)
      if ($1 == "\"note\"") learn(name, figure " " value($0))
      if ($1 == "\"median\"") median = value($0) + 0
      if ($1 == "\"peer\"") {
        peer = value($0)
        if (peer == "RangeIO") learn(group, time(median))
      }
      if ($1 == "\"rangeIOIsTimesFaster\"") {
        learn(group " " peer, time(median) " " digits(value($0) + 0) "×")
      }
      next
    }
    split(substr($0, 3), cells, " [|] ") > 2 && cells[1] in known { compare(cells[1], cells[3]) }
    {
      rest = $0
      while ((at = index(rest, "<!-- figure: ")) > 0) {
        figure = substr(rest, 1, at - 1)
        rest = substr(rest, at + 13)
        name = substr(rest, 1, index(rest, " -->") - 1)
        if (match(figure, /[0-9][0-9.,]*(×| (B|KiB|MiB|GiB|ns|µs|ms|s)|%)$/)) figure = substr(figure, RSTART)
        else figure = ""
        compare(name, figure)
      }
    }
    END { print count + 0; exit status }
  ' Docs/Benchmarks/latest.json "$@"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The first goal of the report.
figure=$(grep -m 1 '"figure"' Docs/Benchmarks/latest.json | cut -d '"' -f 4)
name=$(grep -m 1 '"name"' Docs/Benchmarks/latest.json | cut -d '"' -f 4)
fails() {
  printf 'a read takes %s\n' "$1" >"$work/page.md"
  ! check "$work/page.md" >/dev/null 2>&1
}
if fails "$figure<!-- figure: $name -->"; then echo "check-figures: refuses a right figure" >&2 && exit 1; fi
for line in "9$figure<!-- figure: $name -->" "$figure<!-- figure: no such thing -->" "much<!-- figure: $name -->"; do
  fails "$line" || { echo "check-figures: does not notice that this is wrong: $line" >&2 && exit 1; }
done

pages=()
while IFS= read -r page; do pages+=("$page"); done < <(git ls-files 'README.md' 'CHANGELOG.md' 'Docs/*.md' 'Plugins/*README.md' | grep -v '^Docs/Benchmarks/latest')
count=$(check "${pages[@]}")
if [ "$count" = 0 ]; then
  echo "check-figures: no page has a figure with a comment" >&2
  exit 1
fi
echo "check-figures: $count figures of the pages are those of the last published run"
