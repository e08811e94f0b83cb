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
# It fetches and builds what the core needs, and nothing that a plugin does. swift-argument-parser, of the tool, is only fetched.
fetched=$(swift package "${clients[@]}" show-dependencies --format json | grep -oE '"url" *: *"https[^"]*"' |
  grep -vE '/swift-(system|argument-parser)(\.git)?"$' | sort -u || true)
[ -z "$fetched" ] || fail "a program that uses the core alone fetches:"$'\n'"$fetched"
program=$(swift build "${clients[@]}" --show-bin-path)/CustomStage
if [ "$(uname -s)" = Darwin ]; then needed=$(otool -L "$program"); else needed=$(ldd "$program"); fi
if grep -q Foundation <<<"$needed"; then fail "a program that uses the core alone is linked with Foundation:"$'\n'"$needed"; fi
if grep -q lz4 <<<"$needed"; then fail "a program that uses the core alone is linked with liblz4:"$'\n'"$needed"; fi
# And symbols, in case Foundation were linked statically.
if grep -qaE '10Foundation[0-9]|20FoundationEssentials' "$program"; then
  fail "a program that uses the core alone names symbols of Foundation"
fi

[ "$failed" = 0 ] || exit 1
echo "check-core: no Foundation, tasks and Dispatch where they belong"
