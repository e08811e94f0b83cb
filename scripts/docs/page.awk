# Turns a page of the repository into one of DocC's.
#
# repository: its URL. images: a file to which the paths of pictures are added. guide: the page that a link to takes the place of
# the line <!-- guide -->.

# The article that is made of the page at `path`, if one is.
function article(path) {
  if (path == "Docs/Guides/README.md") return "doc:/Guides"
  if (path ~ /^Docs\/Guides\/[A-Za-z]+\.md$/) path = substr(path, 13, length(path) - 15)
  else if (path ~ /^Plugins\/RangeIO[A-Za-z0-9]+\/README\.md$/) path = substr(path, 9, length(path) - 18)
  else return ""
  return "doc:/Guides/" path
}

# What DocC calls a heading in links.
function anchor(title) {
  gsub(/[^A-Za-z0-9 _-]/, "", title); gsub(/[ -]+/, "-", title)
  return title
}

# The same of the heading of `path` that GitHub calls `fragment`.
function heading(path, fragment, line, found) {
  while ((getline line < path) > 0) {
    if (sub(/^##+ /, "", line) && tolower(anchor(line)) == fragment) found = anchor(line)
  }
  close(path)
  if (found == "") { print FILENAME ": there is no #" fragment " in " path > "/dev/stderr"; exit 1 }
  return found
}

# `path` as `page` has it, from the root.
function from_root(path, page) {
  sub(/\/?[^\/]*$/, "", page)
  while (sub(/^\.\.\//, "", path)) if (!sub(/\/[^\/]*$/, "", page)) page = ""
  return page == "" ? path : page "/" path
}

# Where a link to `link` leads on the site.
function destination(link, fragment, path, url) {
  path = link; fragment = ""
  if (match(path, /#.*/)) { fragment = substr(path, RSTART + 1); path = substr(path, 1, RSTART - 1) }
  if (path == "") return "doc:#" heading(FILENAME, fragment)
  if (index(path, repository "/blob/main/") == 1) path = substr(path, length(repository "/blob/main/") + 1)
  else if (path ~ /^[a-z]+:/) return unique(link)
  else path = from_root(path, FILENAME)
  url = article(path)
  if (url != "") return url (fragment == "" ? "" : "#" heading(path, fragment))
  return unique(repository "/blob/main/" path (fragment == "" ? "" : "#" fragment))
}

# DocC shows all links to a URL with the text of the last.
function unique(url) {
  if (count[url]++ && url !~ /#/) return url "#" count[url]
  return url
}

# DocC drops links to URLs in the first paragraph, with their text.
function linked(line, is_first, before, link, text) {
  before = ""
  while (match(line, /\]\([^)]+\)/)) {
    link = substr(line, RSTART + 2, RLENGTH - 3)
    before = before substr(line, 1, RSTART - 1)
    line = substr(line, RSTART + RLENGTH)
    if (link ~ /\.(svg|png)$/) {
      print from_root(link, FILENAME) >> images
      sub(/.*\//, "", link)
    } else link = destination(link)
    if (is_first && link ~ /^http/ && match(before, /\[[^[]*$/)) before = substr(before, 1, RSTART - 1) substr(before, RSTART + 1)
    else before = before "](" link ")"
  }
  return before line
}


/^```mermaid/ { skipping = 1; print "[The diagram](" unique(repository "/blob/main/" FILENAME) ") is on GitHub." }
/^```/ { fenced = !fenced }
skipping { if (!fenced) skipping = 0; next }
fenced { print; next }
FNR == 1 {
  is_list = FILENAME == "Docs/Guides/README.md"
  print FILENAME ~ /^Plugins.*README/ ? "# Using " substr($0, 3) : $0
  if (is_list) print "\n@Metadata {\n  @TechnologyRoot\n}\n"
  next
}
# The first paragraph, as one line.
!is_past && !/^[#`|<-]/ && /./ { first = first (first == "" ? "" : " ") $0; next }
first != "" { print linked(first, 1); first = ""; is_past = 1 }
/./ { is_past = 1 }
/^<!-- guide -->$/ { print "### Guide\n\n- <" article(guide) ">"; next }
# The list of guides is the root of their catalog, and its lists are topics.
is_list && /^## / && !topics++ { print "## Topics\n" }
is_list && /^## / { print "#" $0; next }
is_list && match($0, /^- \[.*\]\(/) { print "- <" destination(substr($0, RLENGTH + 1, length($0) - RLENGTH - 1)) ">"; next }
{ print linked($0, 0) }
END { if (first != "") print linked(first, 1) }
