#!/usr/bin/env bash
# Builds the rangeio that is installed and distributed, and prints its path: optimised, with all traits, and on Linux with the Swift
# runtime and the other libraries in it, so that it needs nothing but the system's C library.
#
# RANGEIO_TRAITS: other traits beside Tool, with commas. RANGEIO_TOOL: a program that is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${RANGEIO_TOOL-}" ]; then
  realpath "$RANGEIO_TOOL"
  exit
fi

# swift-nio-extras is linked with zlib.
scripts/setup.sh z >&2
traits=${RANGEIO_TRAITS-$(scripts/traits.sh)}
options=(-c release --product rangeio --scratch-path .build/tool --traits "Tool${traits:+,$traits}")
options+=(-debug-info-format none)
if [ "$(uname -s)" = Linux ]; then
  # The linker takes what the first folder has, and this one has static libraries only. What is missing is linked dynamically.
  libraries=$PWD/.build/tool-libraries
  mkdir -p "$libraries"
  for library in lz4 z stdc++; do
    found=$(clang -print-file-name="lib$library.a")
    [ -f "$found" ] && ln -sf "$found" "$libraries/"
  done
  # What pkg-config tells of liblz4 would put the system's folder before it.
  described=$(pkg-config --variable=pcfiledir liblz4)/liblz4.pc
  if [ -f "$described" ]; then
    sed "s#^libdir=.*#libdir=$libraries#" "$described" >"$libraries/liblz4.pc"
    export PKG_CONFIG_PATH=$libraries${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  fi
  options+=(--static-swift-stdlib -Xswiftc "-L$libraries" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
  # Without names of functions: neither in tables for debuggers, nor in those of shared libraries, which would also keep what
  # nothing calls.
  options+=(-Xlinker -s -Xlinker --no-export-dynamic)
fi
SWIFT_DETERMINISTIC_HASHING=1 swift build "${options[@]}" >&2
echo "$(swift build "${options[@]}" --show-bin-path)/rangeio"
