#!/usr/bin/env bash
# Installs rangeio, its man page, and completions for bash, zsh and fish.
#
# Usage: scripts/install.sh [PREFIX, default /usr/local]
# DESTDIR: a folder that stands in for the root, as of a package. Also: see scripts/build-tool.sh.
# Under sudo the user builds, and root installs.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
prefix=${1-/usr/local}
share=${DESTDIR-}$prefix/share

# Before what takes minutes.
folder=${DESTDIR-}$prefix/
while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
if [ ! -w "$folder" ]; then
  echo "install: you may not write to $folder: choose another PREFIX, such as \$HOME/.local, or use sudo" >&2
  exit 1
fi
# Files of root in the build's folder would stop the user's next build.
builder=()
if [ "$(id -u)" = 0 ] && [ "${SUDO_USER-root}" != root ]; then
  builder=(sudo -u "$SUDO_USER" env "PATH=$PATH")
  for name in RANGEIO_TOOL RANGEIO_TRAITS; do
    [ -z "${!name-}" ] || builder+=("$name=${!name}")
  done
fi

program=$(${builder[@]+"${builder[@]}"} scripts/build-tool.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" --experimental-dump-help > "$work/help.json"
swift scripts/man.swift "$("$program" --version)" < "$work/help.json" > "$work/rangeio.1"
for shell in bash zsh fish; do "$program" --generate-completion-script "$shell" > "$work/$shell"; done

# All is made: now it is put in place. 'install' replaces a program that runs.
install -d "${DESTDIR-}$prefix/bin" "$share/man/man1" "$share/bash-completion/completions" \
  "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
install -m 755 "$program" "${DESTDIR-}$prefix/bin/rangeio"
install -m 644 "$work/rangeio.1" "$share/man/man1/rangeio.1"
install -m 644 "$work/bash" "$share/bash-completion/completions/rangeio"
install -m 644 "$work/zsh" "$share/zsh/site-functions/_rangeio"
install -m 644 "$work/fish" "$share/fish/vendor_completions.d/rangeio.fish"
