#!/usr/bin/env bash
# Checks that the plugins keep the contract of Plugins/README.md, as far as a script can see it.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
fail() {
  echo "check-plugins: $*" >&2
  failed=1
}

# What a plugin may import without a trait, besides RangeIO and modules of its own: what Swift, Apple's systems and this package
# bring.
allowed='AVFoundation|CoreFoundation|FoundationNetworking|ObjectiveC|UniformTypeIdentifiers|Swift|Synchronization|Dispatch|Foundation|FoundationEssentials|Glibc|Musl|Darwin|os|SystemPackage'

# The declaration in Package.swift of the target $1, on one line.
declaration() {
  awk -v name="\"$1\"" '
    /^    \.(target|testTarget|systemLibrary|executableTarget)\(/ { if (found) print text; text = ""; found = 0 }
    { text = text " " $0 }
    index($0, "name: " name) { found = 1 }
    END { if (found) print text }' <(sed -n '/^  targets: \[/,/^  \],/p' Package.swift)
}

# The modules that the Swift files below $1 import, each with its file: "file:module".
imports() {
  grep -rnoE --include='*.swift' '^ *((@[a-zA-Z_]+(\([^)]*\))?|public|package|internal|private|fileprivate) +)*import +((struct|class|enum|protocol|func|var|let|typealias) +)?[A-Za-z_][A-Za-z_0-9]*' "$1" |
    sed -E 's/^([^:]+):[0-9]+:.*[ ]([A-Za-z_0-9]+)$/\1:\2/' || true
}

for folder in Plugins/*/; do
  folder=${folder%/}
  name=$(basename "$folder")
  [[ $name =~ ^RangeIO[A-Z][A-Za-z0-9]*$ ]] || { fail "$folder: call it RangeIO<Name>, as product and module"; continue; }
  [ -s "$folder/README.md" ] || fail "$folder: there is no README.md"
  grep -q "^# $name$" "$folder/README.md" 2>/dev/null || fail "$folder/README.md: begin with '# $name'"
  grep -rq --include='*.swift' '@Test' "$folder/Tests" 2>/dev/null || fail "$folder: there are no tests"
  grep -qF "[$name]($name/README.md)" Plugins/README.md || fail "Plugins/README.md: list [$name]($name/README.md)"
  grep -qF ".library(name: \"$name\", targets: [\"$name\"])" Package.swift || fail "Package.swift: there is no product $name"

  # Those that may use what is `package`.
  isInner=0
  case "$name" in RangeIORemote | RangeIOServe) isInner=1 ;; esac

  for target in "$name" "${name}Tests"; do
    part=Sources
    [ "$target" = "$name" ] || part=Tests
    declared=$(declaration "$target")
    [[ $declared == *"path: \"$folder/$part/$target\""* ]] ||
      fail "Package.swift: say path: \"$folder/$part/$target\" of the target $target"
    [[ $declared == *"packageAccess: false"* ]] || [ "$isInner" = 1 ] ||
      fail "Package.swift: say packageAccess: false of the target $target, so that the compiler knows the public API only"
    [ -d "$folder/$part/$target" ] || fail "$folder: there is no $part/$target"
  done

  while IFS=: read -r file module; do
    [ -n "$module" ] || continue
    case "$module" in
      RangeIO | "$name" | "C$name") ;;
      RangeIOTesting | RangeIORemoteTesting | Testing)
        [[ $file == "$folder"/Tests/* ]] || fail "$file imports $module: only tests may" ;;
      RangeIOFoundation | RangeIOTiers) ;;
      # What sources of remote objects are made of. The servers of their tests, and what tests share, are no products.
      RangeIORemote) ;;
      # What products share and none shows.
      RangeIOSupport)
        ! grep -qE '^ *(public|package) +import +RangeIOSupport' "$file" || fail "$file: import RangeIOSupport internally" ;;
      RangeIOHTTPTestServer | RangeIOTestSupport)
        [[ $file == "$folder"/Tests/* ]] || fail "$file imports $module: only tests may" ;;
      # The server hands out buffers, and looks at files as the core does.
      RangeIONIO | CRangeIOSystem)
        [ "$name" = RangeIOServe ] || fail "$file imports $module: a plugin imports no other plugin, and nothing internal" ;;
      RangeIO* | CRangeIO*) fail "$file imports $module: a plugin imports no other plugin, and nothing internal" ;;
      *)
        [[ $module =~ ^($allowed)$ ]] || grep -qE '^ *#if +[A-Z][A-Za-z0-9]*( && [A-Z][A-Za-z0-9]*)*$' "$file" ||
          fail "$file imports $module: put it, and the whole file, within '#if <trait>'" ;;
    esac
  done < <(imports "$folder")

  # Without the trait such an import is a warning, and 'make test' without traits fails.
  while IFS= read -r file; do
    ! awk '/^#if /{ within = 1 } /^#endif/{ within = 0 } within { next }
      /^public import /{ imported = 1; next } /(^| )public /{ used = 1 } END { exit !(imported && !used) }' "$file" ||
      fail "$file: put 'public import' within '#if', since nothing outside of it is public"
  done < <(grep -rlE --include='*.swift' '^#if [A-Z][A-Za-z0-9]*$' "$folder/Sources" || true)

  [ "$isInner" = 0 ] || continue
  found=$(grep -rnE --include='*.swift' '@testable +import +RangeIO( |$)|@testable +import +RangeIO(Testing|Foundation)|package +import +RangeIO( |$)|@_spi' "$folder" || true)
  [ -z "$found" ] || fail "a plugin uses the public API of RangeIO only:"$'\n'"$found"
done

# The Swift Package Index makes pages of what is named there.
found=$(diff <(scripts/products.sh) <(sed -n 's/^        - //p' .spi.yml) || true)
[ -z "$found" ] || fail ".spi.yml does not name the products as Package.swift does:"$'\n'"$found"

[ "$failed" = 0 ] || exit 1
echo "check-plugins: $(find Plugins -mindepth 1 -maxdepth 1 -type d | wc -l | tr -d ' ') plugin(s) keep the contract"
