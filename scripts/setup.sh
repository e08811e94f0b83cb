#!/usr/bin/env bash
# Installs what building takes beyond Swift and make: pkg-config, and the headers of liblz4.
#
# Says nothing when all is there.
set -euo pipefail

have_all() {
  command -v pkg-config >/dev/null 2>&1 && pkg-config --exists liblz4
}

explain() {
  echo "setup: pkg-config or liblz4 is missing, and $1." >&2
  echo "setup: install them by hand: 'apt-get install pkg-config liblz4-dev', or what your system" \
    "calls them." >&2
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

if ! command -v swift >/dev/null 2>&1; then
  echo "setup: no 'swift' in PATH: install Swift 6.2 or later from https://www.swift.org/install" >&2
  exit 1
fi

# Apple platforms have LZ4 in the system library Compression, and no need of pkg-config.
if [ "$(uname -s)" = Darwin ] || have_all; then exit 0; fi

if command -v apt-get >/dev/null 2>&1; then
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    explain "installing takes root: there is no sudo"
  fi
  echo "setup: installing pkg-config and liblz4-dev"
  export DEBIAN_FRONTEND=noninteractive
  # The lists of packages may be there and fresh; fetch them only if not.
  as_root apt-get install -y --no-install-recommends pkg-config liblz4-dev 2>/dev/null ||
    { as_root apt-get update && as_root apt-get install -y --no-install-recommends pkg-config liblz4-dev; } ||
    explain "apt-get failed (see above; it may need root or a network)"
elif command -v brew >/dev/null 2>&1; then
  echo "setup: installing pkgconf and lz4"
  brew install --quiet pkgconf lz4 >/dev/null || explain "Homebrew failed"
else
  explain "neither apt-get nor brew is here to install them with"
fi

have_all || explain "installing them did not help: 'pkg-config --exists liblz4' fails"
