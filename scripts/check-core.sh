#!/usr/bin/env bash
# Checks the promises that the core makes about itself: no Foundation, tasks started in one place, Dispatch and what depends on
# the platform in few files.
set -euo pipefail
cd "$(dirname "$0")/.."

core=Sources/RangeIO tiers=Sources/RangeIOTiers
failed=0
fail() {
  echo "check-core: $*" >&2
  failed=1
}

# Files of the core, other than those that `allowed` matches, with a line that matches; comments aside.
elsewhere() {
  local pattern=$1 allowed=$2
  grep -rnE --include='*.swift' "$pattern" "$core" "$tiers" | grep -vE '^[^:]+:[0-9]+: *//' | grep -vE "^$core/$allowed:" || true
}

found=$(elsewhere '^ *((public|package|internal|private|fileprivate|@[A-Za-z_]+(\([^)]*\))?) +)*import +([a-z]+ +)?Foundation' none)
[ -z "$found" ] || fail "the core imports Foundation:"$'\n'"$found"

found=$(elsewhere '^ *([a-z@_]+ +)*import +([a-z]+ +)?Dispatch' '(Source/File/(DispatchIOLane|MainQueue)|System/Memory/SystemPressure\+Darwin|System/FileWatch\+(Linux|Darwin))\.swift')
[ -z "$found" ] || fail "Dispatch is imported outside DispatchIOLane.swift, MainQueue.swift, SystemPressure+Darwin.swift and FileWatch+….swift:"$'\n'"$found"

# `Task {`, `Task(…)`, `Task<…>(…)`, `Task.detached`, `Task.immediate`; not `Task<…>` as a type (before the brace of a
# function's body, too), nor `Task.isCancelled`.
found=$(elsewhere '(^|[^A-Za-z_.])Task(<[^>]*>)? *(\{|\()|(^|[^A-Za-z_.])Task(<[^>]*>)?\.(detached|immediate)' \
  Concurrency/BackgroundWork.swift | grep -vE -- '-> *Task<[^>]*> *\{' || true)
[ -z "$found" ] || fail "a task is started outside BackgroundWork.swift:"$'\n'"$found"

# Which Foundation there is, is not asked of the platform but of the toolchain.
found=$(grep -rnE '^ *#.*(canImport\((Darwin|Glibc|Musl)\)|os\(|__APPLE__|__linux__)' \
  Sources Plugins/*/Sources | grep -vE '/(([A-Za-z0-9]+\+(Linux|Darwin)|Platform)\.swift|(linux|apple)\.c|platform\.h):' || true)
[ -z "$found" ] || fail "the platform is asked for outside the files for that, see Docs/Architecture.md:"$'\n'"$found"

# What a program needs that uses the core and nothing else. The example is such a program.
example=Examples/CustomStage
if grep -rqE 'import +Foundation' "$example/Sources"; then fail "$example imports Foundation, so it proves nothing"; fi
clients=(--package-path "$example" --scratch-path .build/clients)
swift build "${clients[@]}" --quiet
# Of the packages that the program in folder $1 fetches, all but ($2 = -v) those that $3 matches, or only those ($2 = -E).
fetched() {
  local graph
  graph=$(swift package --package-path "$1" --scratch-path .build/clients show-dependencies --format json) || return
  grep -oE '"url" *: *"https[^"]*"' <<<"$graph" | grep "$2" -E "/($3)(\.git)?\"\$" | sort -u || true
}
# It fetches and builds what the core needs, and nothing that a plugin or the tool does.
found=$(fetched "$example" -v swift-system)
[ -z "$found" ] || fail "a program that uses the core alone fetches:"$'\n'"$found"
program=$(swift build "${clients[@]}" --show-bin-path)/CustomStage
if [ "$(uname -s)" = Darwin ]; then needed=$(otool -L "$program"); else needed=$(ldd "$program"); fi
if grep -q Foundation <<<"$needed"; then fail "a program that uses the core alone is linked with Foundation:"$'\n'"$needed"; fi
if grep -q lz4 <<<"$needed"; then fail "a program that uses the core alone is linked with liblz4:"$'\n'"$needed"; fi
# And symbols, in case Foundation were linked statically.
if grep -qaE '10Foundation[0-9]|20FoundationEssentials' "$program"; then
  fail "a program that uses the core alone names symbols of Foundation"
fi

# What a program fetches that reads URLs as well: nothing of the tool and of the server.
remote=Examples/OwnRemote
[ -n "$(fetched "$remote" -E swift-nio)" ] || fail "$remote does without swift-nio, so it proves nothing"
found=$(fetched "$remote" -E 'swift-argument-parser|hummingbird')
[ -z "$found" ] || fail "a program with the trait HTTP fetches:"$'\n'"$found"
# Without its trait the tool is a program that says so.
found=$(grep -rLE --include='*.swift' '^#if !?Tool( |$)' Sources/RangeIOTool Tests/RangeIOToolTests |
  grep -v '^Sources/.*/Platform.swift' || true)
[ -z "$found" ] || fail "these files do not compile without the trait Tool: put all of each within '#if Tool':"$'\n'"$found"

[ "$failed" = 0 ] || exit 1
echo "check-core: no Foundation, tasks and Dispatch where they belong"
