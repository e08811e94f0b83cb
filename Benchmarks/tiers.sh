#!/bin/sh
# Draws for which data and sources a compressed tier pays: Docs/Benchmarks/tiers.svg.
# Replays traces through memory alone and through memory with a compressed tier of the same budget, for data that LZ4
# makes smaller by more or less, and weighs hits and misses by what they cost.
#
# Usage: Benchmarks/tiers.sh TRACE...   (files in RRT1 or CSV, or zipf:BLOCKS:READS:SKEW:SEED)
# What reads of 4 KiB cost, in nanoseconds: MEMORY, COMPRESSED, MISS (without the source), NEAR (a file in the page cache). The
# defaults are from the published run.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
: "${MEMORY:=80}" "${COMPRESSED:=4500}" "${MISS:=3200}" "${NEAR:=2300}"
[ $# -gt 0 ] || { echo "usage: $0 TRACE..." >&2; exit 2; }
swift build --package-path "$here/.." --configuration release --product rangeio --traits Tool >&2
rangeio=$(swift build --package-path "$here/.." --configuration release --show-bin-path)/rangeio

for trace do
  for percent in 100 90 80 70 60 50 40 30 20 10; do
    printf '%s %s ' "$(basename "$trace" .rrt | sed 's/:.*//')" "$percent"
    "$rangeio" replay "$trace" --share 20 --tiers --shrinks-to "$percent" --json | tr -d '" ,' | awk -F: '
      $1 == "blockAccesses" { reads = $2 } $1 == "hits" { hits[++n] = $2 } $1 == "compressedHits" { below = $2 }
      END { print reads, hits[1], hits[2], below }'
  done
done | tee /dev/stderr | awk -v memory="$MEMORY" -v compressed="$COMPRESSED" -v miss="$MISS" -v near="$NEAR" '
  # trace, percent, reads, hits without tiers, hits with tiers, of these compressed
  function mean(hits, below, source) {
    return ((hits - below) * memory + below * compressed + (reads - hits) * (miss + source)) / reads
  }
  {
    reads = $3
    if (!($1 in known)) { known[$1] = 1; names[++count] = $1 }
    value["far", $1, $2] = mean($4, 0, 20e6) / mean($5, $6, 20e6)
    value["near", $1, $2] = mean($4, 0, near) / mean($5, $6, near)
  }
  function x(panel, percent) { return panel + 60 + (100 - percent) * 3 }
  function y(ratio) { return 250 - (ratio - 0.4) * 140 }
  function panel(key, left, title,   i, p, ratio, line, colour) {
    printf "<text x=\"%d\" y=\"14\" class=\"h\">%s</text>\n", left + 60, title
    for (ratio = 0.5; ratio < 2.05; ratio += 0.5) {
      printf "<path d=\"M%d %.1fh270\" class=\"%s\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%.1f×</text>\n", left + 60,
        y(ratio), ratio == 1 ? "one" : "grid", left + 54, y(ratio) + 4, ratio
    }
    for (p = 100; p >= 10; p -= 30)
      printf "<text x=\"%d\" y=\"270\" class=\"m\">%d%%</text>\n", x(left, p), p
    printf "<text x=\"%d\" y=\"290\" class=\"m\">what LZ4 makes of the data</text>\n", left + 195
    for (i = 1; i <= count; i++) {
      line = ""
      for (p = 100; p >= 10; p -= 10) {
        ratio = value[key, names[i], p]
        line = line (line == "" ? "M" : "L") x(left, p) " " sprintf("%.1f", y(ratio < 2.1 ? ratio : 2.1)) " "
      }
      colour = substr("#0072b2#d55e00#009e73#cc79a7#56b4e9#e69f00", (i - 1) % 6 * 7 + 1, 7)
      printf "<path d=\"%s\" stroke=\"%s\" class=\"line\"/>\n", line, colour
      if (left == 0) printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", 70, 50 + 15 * i, colour, names[i]
    }
  }
  END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 305\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<style>.h{font-weight:bold}.r{text-anchor:end}.m{text-anchor:middle}.grid{stroke:#ddd}.one{stroke:#888}" \
      ".line{fill:none;stroke-width:2}</style><rect width=\"720\" height=\"305\" fill=\"#fff\"/>"
    panel("far", 0, "source of 20 ms: speed against memory alone")
    panel("near", 360, "file in the page cache")
    print "</svg>"
  }' >"$here/../Docs/Benchmarks/tiers.svg"
