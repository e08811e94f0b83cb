#!/usr/bin/env bash
# Checks that the folders of Sources/RangeIO and of Sources/RangeIOTiers know each other in one direction only: each names types of those that stand
# above it in the table of Docs/Architecture.md, and of no others. Fails as well when that table, or the diagram below it,
# does not say what is so.
#
# Usage: scripts/check-folders.sh [--write]
#   --write: writes the last column of the table and the diagram. The order of the rows, and what they say, is yours.
set -euo pipefail
cd "$(dirname "$0")/.."

page=Docs/Architecture.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find Sources/RangeIO Sources/RangeIOTiers -name '*.swift' | sort >"$work/files"

# The page as it should be; what is wrong besides goes to standard error.
awk -v list="$work/files" '
  function code(line) {
    gsub(/"([^"\\]|\\.)*"/, "", line)
    sub(/\/\/.*/, "", line)
    return line
  }
  function folder(file) {
    sub(/^Sources\/(RangeIO\/)?/, "", file)
    sub(/\/[^\/]*$/, "", file)
    return file
  }
  # A folder and those within it are one in the diagram.
  function root(name) { sub(/\/.*/, "", name); return name }
  function wrong(text) { print "check-folders: " text >"/dev/stderr"; status = 1 }

  BEGIN {
    while ((getline file < list) > 0) files[++fileCount] = file
    for (i = 1; i <= fileCount; i++) {
      isWithin = 0
      while ((getline line < files[i]) > 0) {
        # What stands within #if is indented.
        if (line ~ /^#(if|else|endif)/) isWithin = line !~ /^#endif/
        if (isWithin) sub(/^  /, "", line)
        if (line !~ /^[a-z@]/ || line ~ /(^| )(private|fileprivate) /) continue
        line = code(line)
        count = split(line, words, /[^A-Za-z0-9_]+/)
        for (w = 1; w < count; w++)
          if (words[w] ~ /^(struct|class|enum|actor|protocol|typealias)$/ && words[w + 1] ~ /^[A-Z]/) {
            home[words[w + 1]] = folder(files[i])
            break
          }
      }
      close(files[i])
    }
    for (i = 1; i <= fileCount; i++) {
      from = folder(files[i])
      isFolder[from] = 1
      while ((getline line < files[i]) > 0) {
        line = code(line)
        count = split(line, words, /[^A-Za-z0-9_]+/)
        for (w = 1; w <= count; w++) {
          if (!(words[w] in home) || home[words[w]] == from) continue
          to = home[words[w]]
          if (!((from, to) in knows)) example[from, to] = words[w] " in " files[i]
          knows[from, to] = 1
        }
      }
      close(files[i])
    }
  }

  /^<!-- folders -->$/ { inTable = 1 }
  /^<!-- end of folders -->$/ { inTable = 0 }
  /^<!-- diagram of folders -->$/ { print; diagram(); inDiagram = 1; next }
  /^<!-- end of diagram -->$/ { inDiagram = 0 }
  inDiagram { next }
  inTable && /^\| `/ {
    split($0, cells, "|")
    name = cells[2]
    gsub(/[ `]/, "", name)
    if (name in place) wrong("the folder " name " stands twice in the table of Docs/Architecture.md")
    place[name] = ++rows
    names[rows] = name
    knownNames = ""
    for (i = 1; i < rows; i++) if ((name, names[i]) in knows) knownNames = knownNames (knownNames == "" ? "" : ", ") names[i]
    print "|" cells[2] "|" cells[3] "| " (knownNames == "" ? "—" : knownNames) " |"
    next
  }
  { print }

  # What a folder knows but by way of another that it knows.
  function diagram(  i, j, k, m, name, direct) {
    print "```mermaid"
    print "flowchart BT"
    m = 0
    for (i = 1; i <= rows; i++) if (!(root(names[i]) in node)) { node[root(names[i])] = ++m; top[m] = root(names[i]) }
    for (i = 1; i <= rows; i++) for (j = 1; j <= rows; j++)
      if ((names[i], names[j]) in knows && root(names[i]) != root(names[j])) edge[node[root(names[i])], node[root(names[j])]] = 1
    for (k = 1; k <= m; k++) for (i = 1; i <= m; i++) for (j = 1; j <= m; j++) {
      reach[i, j] = reach[i, j] || (i, j) in edge
    }
    for (k = 1; k <= m; k++) for (i = 1; i <= m; i++) for (j = 1; j <= m; j++)
      if (reach[i, k] && reach[k, j]) reach[i, j] = 1
    for (i = 1; i <= m; i++) if (reach[i, i]) wrong(top[i] " is in a circle")
    for (i = 1; i <= m; i++) for (j = 1; j <= m; j++) if ((i, j) in edge) {
      direct = 1
      for (k = 1; k <= m; k++) if (k != j && (i, k) in edge && reach[k, j]) direct = 0
      if (direct) print "  " top[i] " --> " top[j]
    }
    print "```"
  }

  END {
    for (name in isFolder) if (!(name in place)) wrong("the folder " name " is not in the table of Docs/Architecture.md")
    for (i = 1; i <= rows; i++) if (!(names[i] in isFolder)) wrong("there is no folder " names[i])
    for (pair in knows) {
      split(pair, ends, SUBSEP)
      if (place[ends[1]] <= place[ends[2]])
        wrong(ends[1] " must not know " ends[2] ", which stands below it in the table: " example[pair])
    }
    exit status
  }' "$page" >"$work/page"

if [ "${1-}" = --write ]; then
  cp "$work/page" "$page"
elif ! diff -u "$page" "$work/page"; then
  echo "check-folders: Docs/Architecture.md does not say which folder knows which: run 'scripts/check-folders.sh --write'" >&2
  exit 1
fi
