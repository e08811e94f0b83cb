#!/usr/bin/env bash
# Type-checks the Swift blocks of README.md, of the guides, of the plugins' pages and of the catalogs of DocC, all at once, against
# the build of the tests. What a block uses without declaring it, such as `reader`, is in scripts/samples/Prelude.swift.
#
# A block that begins with a declaration is a file of its own, any other one the body of a function. Each sees what it imports and
# no more; one that shows no import sees RangeIO, and what the blocks above it on its page import. Left out are the three
# guides whose programs scripts/check-guides.sh runs, the pages of plugins that need a trait unless the build has it, manifests
# of packages, and blocks that import what is not built here. Those that import AVFoundation are checked by
# scripts/check-platforms.sh.
#
# Type-checks as well what plugins are without their traits.
#
# Usage: scripts/check-samples.sh
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(uname -s)" = Darwin ]; then
  echo "check-samples: the pages are the same everywhere, and checked on Linux"
  exit 0
fi
source scripts/built.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_modules

# All of them or none: the pages of one plugin mention others.
known='RangeIO[A-Za-z0-9]*|SystemPackage|Foundation(Networking)?|Dispatch|Synchronization|Testing'
plugins=() left_out='HexViewer.md|TestingYourCode.md|Encryption.md|RangeIOEncrypted.md|RemoteObjects.md|Serving.md|ScalingOut.md|RangeIORemoteTesting.md|^Plugins/RangeIO(Remote|HTTP|S3|Azure|GCS|SharedCache|Encrypted|Telemetry|NIO|Serve)/'
if [ "$traits" = "$(scripts/traits.sh)" ]; then
  plugins=(scripts/samples/Plugins.swift)
  left_out='^$'
  known="$known|NIO[A-Za-z0-9]*|Logging|Metrics|Tracing|ServiceLifecycle|AsyncHTTPClient"
fi
pages=(README.md)
while IFS= read -r page; do pages+=("$page"); done < <(
  find Docs Plugins Sources -name '*.md' ! -name WritingASource.md ! -name WritingAStage.md ! -name WritingAStore.md |
    grep -vE "$left_out" | sort)
awk -v work="$work" -v known="^($known)\$" '
  function finish(  file, i, own) {
    blocks++
    if (isManifest || isForeign) { left++; return }
    file = sprintf("%s/Sample%03d.swift", work, ++samples)
    own = body ~ /^[ \n]*(\/\/[^\n]*\n|@[A-Za-z]+(\([^\n]*\))?[ \n]+)*(public |private |final |indirect )*(struct|class|enum|actor|protocol|extension|func) /
    printf "%s", (imports == "" ? "import RangeIO\n" above : imports) >file
    above = above imports
    if (body ~ /URLSession/) print "import FoundationNetworking" >file
    # Its members are seen by whoever imports ServiceLifecycle, unless he turns that off, as is done here.
    if (imports above ~ /ServiceLifecycle/) print "import UnixSignals" >file
    if (!own) print "func sample" samples "() async throws {" >file
    printf "#sourceLocation(file: \"%s\", line: %d)\n%s#sourceLocation()\n", page, first, body >file
    if (!own) print "}" >file
    close(file)
  }
  FNR == 1 { above = "" }
  !inside && /^```swift$/ {
    inside = 1; isManifest = isForeign = 0; imports = body = ""; page = FILENAME; first = FNR + 1
    next
  }
  inside && /^```$/ { inside = 0; finish(); next }
  !inside { next }
  # In place of an import an empty line, so that the others keep their numbers.
  /^import / {
    if ($2 == "PackageDescription") isManifest = 1
    else if ($2 !~ known) isForeign = 1
    imports = imports $0 "\n"
    body = body "\n"
    next
  }
  # What the tested module has is in another block, or in the prelude.
  /^@testable import / { body = body "\n"; next }
  /\.(package\(url|product\(name|library\(name)/ { isManifest = 1 }
  { body = body $0 "\n" }
  END {
    if (inside) { print "check-samples: a block does not end" >"/dev/stderr"; exit 1 }
    print samples, blocks, left >(work "/counts")
  }' "${pages[@]}"

swiftc -typecheck -wmo -parse-as-library -swift-version 6 -suppress-warnings -enable-upcoming-feature MemberImportVisibility \
  -module-name Samples "${module_flags[@]}" \
  scripts/samples/Prelude.swift ${plugins[@]+"${plugins[@]}"} "$work"/Sample*.swift
read -r samples blocks left <"$work/counts"
echo "check-samples: $samples of $blocks Swift blocks compile; $left are manifests or import what is not built here"

# What there is of a plugin whose trait was forgotten.
for plugin in HTTP S3 Azure GCS; do
  swiftc -typecheck -wmo -parse-as-library -swift-version 6 -enable-upcoming-feature InternalImportsByDefault \
    -package-name range_io -module-name "RangeIO$plugin" "${module_flags[@]}" \
    $(find "Plugins/RangeIO$plugin/Sources/RangeIO$plugin" -name '*.swift')
done
