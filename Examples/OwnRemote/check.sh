#!/usr/bin/env bash
# Builds the program, lets it read from blobs.py, and compares what it prints. Then plays odd answers to its source.
#
# RANGEIO_PROGRAMS: a directory with the program; nothing is built, and no answers are played.
set -euo pipefail
cd "$(dirname "$0")"

scratch=${RANGEIO_SCRATCH:-.build}
programs=${RANGEIO_PROGRAMS-}
if [ -z "$programs" ]; then
  swift build --scratch-path "$scratch" --product OwnRemote
  programs=$(swift build --scratch-path "$scratch" --show-bin-path)
fi
program=$programs/OwnRemote
key=$(printf 'the key of the account' | base64)
coproc blobs { exec python3 blobs.py "$key"; }
read -r url <&"${blobs[0]}"
diff - <("$program" "$url" "$key") <<'END'
opened maps:tiles/2026/a planet.bin: 1000000 bytes
read 0..<16: right
read 500000..<700000: right
read 999990..<1000000: right
with another key: permissionDenied: the Blob service refuses the request: AuthenticationFailed: check the account and its key [maps:tiles/2026/a planet.bin]
END
echo "OwnRemote: prints what it should"
[ -n "${RANGEIO_PROGRAMS-}" ] || swift test --scratch-path "$scratch"
