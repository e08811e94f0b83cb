#!/bin/sh
# Draws what a disk below memory brings, and what is written for it: Docs/Benchmarks/spill.svg.
# Replays traces through memory for 2% of their blocks and disks for more and more of them.
#
# Usage: Benchmarks/spill.sh TRACE...   (files in RRT1 or CSV, or zipf:BLOCKS:READS:SKEW:SEED)
#
# RANGEIO: the tool, if it is built already. Default: builds it.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -gt 0 ] || { echo "usage: $0 TRACE..." >&2; exit 2; }
rangeio=${RANGEIO-}
if [ -z "$rangeio" ]; then
  swift build --package-path "$here/.." --configuration release --product rangeio --traits Tool >&2
  rangeio=$(swift build --package-path "$here/.." --configuration release --show-bin-path)/rangeio
fi

for trace do
  for share in 2 5 10 20 30 50; do
    printf '%s %s ' "$(basename "$trace" .rrt | sed 's/:.*//')" "$share"
    "$rangeio" replay "$trace" --tiers --spill --spill-share "$share" --json | tr -d '" ,' | awk -F: '
      $1 == "blockAccesses" { reads = $2 } $1 == "hits" && !inside { hits[++n] = $2 } $1 == "spill" { inside = 1 }
      $1 == "writesPer100" { writes = $2 } $1 == "writeAmplification" { amplification = $2 }
      END { print hits[1] * 100 / reads, hits[2] * 100 / reads, writes, amplification }'
  done
done | tee /dev/stderr | awk '
  # trace, share, hits of memory alone, hits with the disk, writes for 100 accesses, amplification
  {
    if (!($1 in known)) { known[$1] = 1; names[++count] = $1; value["hits", $1, 0] = $3; value["writes", $1, 0] = 0 }
    value["hits", $1, $2] = $4
    value["writes", $1, $2] = $5
    shares[$2] = 1
  }
  function panel(key, left, most, step, title, unit,   i, n, x, y, share, line, colour) {
    printf "<text x=\"%d\" y=\"14\" class=\"h\">%s</text>\n", left + 50, title
    for (y = 0; y <= most; y += step)
      printf "<path d=\"M%d %.1fh280\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" class=\"r\">%d%s</text>\n", left + 50,
        250 - y * 220 / most, left + 45, 254 - y * 220 / most, y, unit
    for (share = 0; share <= 50; share += 10)
      printf "<text x=\"%.1f\" y=\"268\" class=\"m\">%d%%</text>\n", left + 55 + share * 5.4, share
    printf "<text x=\"%d\" y=\"288\" class=\"m\">the disk, in blocks that the trace reads</text>\n", left + 190
    for (i = 1; i <= count; i++) {
      line = ""
      for (share = 0; share <= 50; share++) if (share == 0 || share in shares)
        line = line (line == "" ? "M" : "L") sprintf("%.1f %.1f ", left + 55 + share * 5.4,
          250 - value[key, names[i], share] * 220 / most)
      colour = substr("#0072b2#d55e00#009e73#cc79a7#56b4e9#e69f00", (i - 1) % 6 * 7 + 1, 7)
      printf "<path d=\"%s\" stroke=\"%s\" class=\"line\"/>\n", line, colour
      if (left > 0) printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", left + 230, 30 + 15 * i, colour, names[i]
    }
  }
  END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 300\" font-family=\"sans-serif\" font-size=\"12\">"
    print "<style>.h{font-weight:bold}.r{text-anchor:end}.m{text-anchor:middle}.grid{stroke:#ddd}" \
      ".line{fill:none;stroke-width:2}</style><rect width=\"720\" height=\"300\" fill=\"#fff\"/>"
    panel("hits", 0, 100, 20, "reads that need no source", "%")
    panel("writes", 360, 40, 10, "blocks written for 100 that are read", "")
    print "</svg>"
  }' > "$here/../Docs/Benchmarks/spill.svg"
