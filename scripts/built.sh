# The build that tests, examples, guides and checks share: sourced by the scripts beside it, from the package's root.
#
# It lies beside the ordinary build in .build: RANGEIO_CHECKED has Package.swift optimise the library and refuse warnings.
#
# RANGEIO_TRAITS: the package's traits to build with, with commas. Default: the tool's, so that nothing is fetched beyond what
# the core and the tool need.
export RANGEIO_CHECKED=1
traits=${RANGEIO_TRAITS-Tool}
scratch=.build/checked
has_plugins=''
case $traits in '' | Tool) ;; *) scratch=.build/checked-with-traits has_plugins=1 ;; esac

# Another place for that build: a sanitizer's.
built_at() { scratch=$1; }

# SwiftPM 6.3 passes the traits to the compiler in the order of a set, which each process draws anew, and it plans anew
# whenever a variable of the environment has changed: all modules compiled again
# (https://github.com/swiftlang/swift-package-manager/issues/10525). So its sets have one order. Not those of the tests.
swift_build() {
  SWIFT_DETERMINISTIC_HASHING=1 swift build --scratch-path "$scratch" ${traits:+--traits "$traits"} "$@"
}

# Builds, with further options of 'swift build'. Without an index, which takes a tenth of the time; without what only a debugger
# reads, which takes another tenth, unless a sanitizer is to name lines.
build() {
  local options=(--disable-index-store -debug-info-format none)
  case " $* " in *' --sanitize'*) options=(--disable-index-store) ;; esac
  swift_build "${options[@]}" "$@"
}

# Where what was built lies.
bin_path() { swift_build --show-bin-path; }

# Sets module_flags, with which the compiler finds what was built: modules, and what C has in their place; and target.
find_modules() {
  local modules map folder
  modules=$(bin_path)/Modules
  if [ ! -d "$modules" ]; then
    echo "$(basename "$0"): nothing is built: run 'make test' first" >&2
    exit 1
  fi
  module_flags=(-I "$modules")
  while IFS= read -r map; do module_flags+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find Sources "$scratch/checkouts/swift-system" -name module.modulemap
    [ -z "$has_plugins" ] ||
      find "$scratch"/checkouts/swift-{atomics,numerics,nio,nio-ssl,nio-http2,nio-extras,crypto,async-algorithms} \
        -name module.modulemap
    find "$scratch"/*/debug/*.build -name module.modulemap -not -path '*.build/include/*')
  target=$(swift -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p' | head -n 1)
}
