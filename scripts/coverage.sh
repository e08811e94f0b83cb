#!/usr/bin/env bash
# Which lines the tests run: of the core by folder, and of what takes bytes of strangers by file. Fails if the core or those
# files fall below what the project promises. Branches of Swift are not counted by the compiler: regions, of which each branch has
# one, stand in their place.
#
# Usage: scripts/coverage.sh [--filter REGEX]
#   --filter REGEX: what runs, as in scripts/test.sh. Default: all tests.
# RANGEIO_TRAITS: the traits to build with; default: Tool. Without those of plugins only the parsers of the core count.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/built.sh

# What the targets of Tests/RangeIOFuzzTests are fed to.
parsers='HeadScan|MendedHead|ResponseHead.*|VersionMarks|ContentRange|EntityTag.*|HTTPText|HTTPDate|HeaderFields'
parsers+='|(Read|Description)Machine.*|GrowthLook|ObjectURL.*|(S3|GCS|Azure)Address.*'
parsers+='|BuiltInCodec|LZ4[+]Linux|INIText|CredentialsDocument|ConnectionString|CopyJournal|XML.*|(Web|WebDAV|Object)ListForm'
parsers+='|MultiStatus|IndexPage|ListedEntry|BlockFrame|.*ReplyParser|RequestTarget|RangeField|RangeAnswer|Preconditions'
parsers+='|MultipartRanges|HostPolicy|ContentDisposition|ContentCoding|AccessRecord|SigningTime|PercentCoding|ByteCount'
parsers+='|ShownName|Spill(Footer|Identity|Format|Record)|RangeTrace.*|TraceEncoder'

built_at ".build/coverage${traits:+-with-traits}"
counters=$PWD/$scratch/counters
rm -rf "$counters"
mkdir -p "$counters"
# A file for each process: of those that share one, some are killed while they add to it. Tests fail that limit the size of
# files, since the runtime complains that it cannot write its counters either: so what fails is told, and decides nothing.
LLVM_PROFILE_FILE=$counters/%p-%m.profraw scripts/test.sh --scratch-path "$scratch" --enable-code-coverage "$@" ||
  echo "coverage: not all tests passed" >&2
tools=$(dirname "$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')")/../bin
find "$counters" -name '*.profraw' >"$counters/list"
"$tools/llvm-profdata" merge -sparse -failure-mode=all -f "$counters/list" -o "$counters/all.profdata" 2>"$counters/merging.log"
rm "$counters"/*.profraw
"$tools/llvm-cov" export --summary-only --instr-profile "$counters/all.profdata" \
  "$(bin_path)/swift-range-ioPackageTests.xctest" >"$counters/summary.json"
PARSERS=$parsers python3 scripts/coverage.py "$counters/summary.json"
