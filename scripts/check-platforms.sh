#!/usr/bin/env bash
# Type-checks on Linux what is written for Apple platforms, without Apple's SDK: C against the headers, and Swift against the
# modules, such as Darwin, Dispatch and AVFoundation, in scripts/platforms/apple. These declare the little that this package uses, as
# Apple's manual pages, headers and documentation do; what is missing there is an error here, so add it when it is needed.
#
# It proves that the code compiles with these signatures, and not that it works: CI does that on macOS.
#
# Usage: scripts/check-platforms.sh
# It uses the modules of the dependencies as the build of the tests has them, and builds them where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(uname -s)" = Darwin ]; then
  echo "check-platforms: this is an Apple platform: the build checks it"
  exit 0
fi
source scripts/built.sh

apple=scripts/platforms/apple
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
modules=$(bin_path)/Modules
[ -f "$modules/ArgumentParser.swiftmodule" ] || build --target RangeIOTool
swift_flags=(-swift-version 6 -warnings-as-errors)
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
  swift_flags+=(-enable-upcoming-feature "$feature")
done
swift_flags+=(-enable-experimental-feature RawLayout)
inside=(-package-name swift_range_io)

# MARK: C

c_folders=(
  Sources/CRangeIOSystem Plugins/RangeIOMapped/Sources/CRangeIOMapped Plugins/RangeIOExecutor/Sources/CRangeIOExecutor)

for target in arm64-apple-macos15 x86_64-apple-macos15 arm64-apple-ios18; do
  for folder in "${c_folders[@]}"; do
    clang -target "$target" -fsyntax-only -nostdlibinc -isystem "$apple/include" -Wall -Wextra -Werror \
      -I "$folder/include" "$folder"/*.c
  done
done

# MARK: Swift

# What stands for Apple's modules. Apple's Dispatch stands apart: what uses Linux's Foundation must have Linux's.
mkdir "$work/darwin" "$work/dispatch" "$work/media" "$work/dependencies"
stand_in() {
  swiftc -emit-module -parse-as-library -swift-version 6 -I "$work/darwin" -module-name "$2" \
    -o "$work/$1/$2.swiftmodule" "$apple/swift/$2.swift"
}
stand_in darwin DarwinStructures
stand_in darwin Darwin
stand_in darwin Compression
stand_in dispatch Dispatch
# What plays media, on top of Linux's Foundation.
for module in CoreFoundation ObjectiveC UniformTypeIdentifiers AVFoundation; do stand_in media "$module"; done

# The dependencies, apart from our own modules as they were built for Linux.
cp "$modules"/{SystemPackage,ArgumentParser,ArgumentParserToolInfo}.swiftmodule "$work/dependencies"
maps=()
while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
  find "$scratch/checkouts/swift-system" -name module.modulemap)
for folder in "${c_folders[@]}"; do
  name=$(basename "$folder")
  echo "module $name { umbrella \"$PWD/$folder/include\" export * }" >"$work/$name.modulemap"
  maps+=(-Xcc "-fmodule-map-file=$work/$name.modulemap")
done

# check <module> <folder> [options]: a module and all its files, for those after it to import. Those that are for Apple platforms
# alone, and those that use Apple's Dispatch, go through the checks of the next pass of the compiler too: initialization and
# sending.
plugins=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\([^"]*\)".*/\1/p')/host/plugins
pending=()
check() {
  local module=$1 folder=$2 sources=() file
  local options=("${swift_flags[@]}" -module-name "$module" -I "$work/darwin" -I "$work/dependencies" "${maps[@]}" "${@:3}"
    -parse-as-library)
  while IFS= read -r file; do sources+=("$file"); done < <(find "$folder" -name '*.swift' | sort)
  swiftc -emit-module -wmo "${options[@]}" -o "$work/dependencies/$module.swiftmodule" "${sources[@]}"
  for file in $(grep -lE 'canImport\(Darwin\)|^ *([a-z]+ )?import Dispatch' "${sources[@]}" || true); do
    swiftc -frontend -emit-sil -primary-file "$file" "${options[@]}" -plugin-path "$plugins" -o /dev/null \
      $(printf '%s\n' "${sources[@]}" | grep -vxF "$file") &
    pending+=($!)
  done
}
check RangeIO Sources/RangeIO "${inside[@]}" -I "$work/dispatch"
check RangeIOTiers Sources/RangeIOTiers "${inside[@]}"
check RangeIOSpillInspection Sources/RangeIOSpillInspection "${inside[@]}"
check RangeIOMapped Plugins/RangeIOMapped/Sources/RangeIOMapped -I "$work/dispatch"
check RangeIOExecutor Plugins/RangeIOExecutor/Sources/RangeIOExecutor
check RangeIOFoundation Sources/RangeIOFoundation "${inside[@]}"
check RangeIOTesting Sources/RangeIOTesting "${inside[@]}"
check RangeIOTraces Sources/RangeIOTraces "${inside[@]}"
check RangeIOSupport Sources/RangeIOSupport "${inside[@]}"
check RangeIOMedia Plugins/RangeIOMedia/Sources/RangeIOMedia -I "$work/media"
check RangeIORemote Plugins/RangeIORemote/Sources/RangeIORemote "${inside[@]}"
check RangeIOTool Sources/RangeIOTool "${inside[@]}" -D Tool
for job in "${pending[@]}"; do wait "$job"; done

# The samples of the pages that need AVFoundation, which scripts/check-samples.sh leaves out.
mkdir "$work/samples"
awk -v work="$work/samples" '
  /^```swift$/ { inside = 1; imports = body = ""; next }
  /^```$/ && inside {
    inside = 0
    if (imports ~ /AVFoundation/)
      printf "%s@MainActor func sample%d() async throws {\n%s}\n", imports, ++count, body >(work "/Sample" count ".swift")
  }
  inside && /^import / { imports = imports $0 "\n"; next }
  inside { body = body $0 "\n" }
' Docs/Guides/PlayingMedia.md Plugins/RangeIOMedia/README.md
swiftc -typecheck -parse-as-library -swift-version 6 -suppress-warnings -module-name Samples -I "$work/darwin" \
  -I "$work/dependencies" -I "$work/media" "${maps[@]}" scripts/samples/Prelude.swift "$work"/samples/*.swift

echo "check-platforms: the C and Swift for Apple platforms fit Apple's declarations"
