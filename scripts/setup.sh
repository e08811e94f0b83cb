#!/usr/bin/env bash
# Installs what building takes beyond Swift and make: pkg-config, and the headers of liblz4.
#
# Usage: scripts/setup.sh [more libraries, as pkg-config calls them but for 'lib', such as zstd] [--programs such as strace]
# A program that is called otherwise than its package is followed by it: aria2c=aria2.
# Says nothing when all is there.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: no 'swift' in PATH: install Swift 6.3 or later from https://www.swift.org/install" >&2
  exit 1
fi

# Apple platforms have LZ4 in the system library Compression, and no need of pkg-config.
libraries=() programs=()
if [ "$(uname -s)" != Darwin ]; then libraries=(lz4); fi
while [ $# -gt 0 ]; do
  if [ "$1" = --programs ]; then
    shift
    programs=("$@")
    break
  fi
  # They have zlib, too.
  if [ "$1" != z ] || [ "$(uname -s)" != Darwin ]; then libraries+=("$1"); fi
  shift
done
if [ "${#libraries[@]}" -gt 0 ]; then
  packages=("${libraries[@]/#/lib}")
  packages=(pkg-config "${packages[@]/%/-dev}")
else
  packages=()
fi
if [ "${#programs[@]}" -gt 0 ]; then packages+=("${programs[@]#*=}"); fi
if [ "${#packages[@]}" = 0 ]; then exit 0; fi

have_all() {
  local program library
  for program in ${programs[@]+"${programs[@]}"}; do
    command -v "${program%%=*}" >/dev/null 2>&1 || return 1
  done
  for library in ${libraries[@]+"${libraries[@]}"}; do
    command -v pkg-config >/dev/null 2>&1 || return 1
    # As in liblz4, sqlite3, zlib.
    pkg-config --exists "lib$library" || pkg-config --exists "$library" || pkg-config --exists "${library}lib" || return 1
  done
}

explain() {
  echo "setup: of ${packages[*]} something is missing, and $1." >&2
  echo "setup: install them by hand: 'apt-get install ${packages[*]}', or what your system calls them." >&2
  exit 1
}

# Runs a command as root; quietly, unless it fails.
as_root() {
  local log status=0
  log=$(mktemp)
  if [ "$(id -u)" = 0 ]; then
    "$@" >"$log" 2>&1 || status=$?
  else
    # Not waiting for a password that nobody will type.
    sudo -n "$@" >"$log" 2>&1 || status=$?
  fi
  [ "$status" = 0 ] || tail -n 5 "$log" >&2
  rm -f "$log"
  return "$status"
}

if have_all; then exit 0; fi

if command -v apt-get >/dev/null 2>&1; then
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    explain "installing takes root: there is no sudo"
  fi
  echo "setup: installing ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # Another program may be installing: the system's own updates, on a machine that has just begun.
  install=(apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${packages[@]}")
  # The lists of packages may be there and fresh; fetch them only if not.
  as_root "${install[@]}" 2>/dev/null || { as_root apt-get update && as_root "${install[@]}"; } ||
    explain "apt-get failed (see above; it may need root or a network)"
elif command -v brew >/dev/null 2>&1; then
  wanted=()
  if [ "${#libraries[@]}" -gt 0 ]; then wanted=(pkgconf "${libraries[@]}"); fi
  if [ "${#programs[@]}" -gt 0 ]; then wanted+=("${programs[@]#*=}"); fi
  echo "setup: installing ${wanted[*]}"
  brew install --quiet "${wanted[@]}" >/dev/null || explain "Homebrew failed"
else
  explain "neither apt-get nor brew is here to install them with"
fi

have_all || explain "installing them did not help"
