#!/usr/bin/env bash
# Installs the programs that check-clients.sh reads through `rangeio serve` with: curl, wget, aria2, ffmpeg, Chromium, and pyarrow and
# DuckDB (PyPI's). What cannot be had here is left out.
#
# Fails if RANGEIO_CLIENTS is 'required' and one is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
if [ "$(uname -s)" = Linux ]; then
  scripts/setup.sh --programs curl wget aria2c=aria2 ffmpeg chromium >&2 || missing+=(programs)
fi
venv=.build/client-programs
if ! python3 -c 'import pyarrow, duckdb, fsspec, aiohttp' 2>/dev/null &&
  ! "$venv/bin/python" -c 'import pyarrow, duckdb, fsspec, aiohttp' 2>/dev/null; then
  echo "setup: installing pyarrow and DuckDB into $venv" >&2
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet pyarrow duckdb fsspec aiohttp; } >&2 || missing+=(pyarrow)
fi

[ "${#missing[@]}" = 0 ] && exit 0
echo "setup: without some of ${missing[*]}: clients that are missing are not tried" >&2
[ "${RANGEIO_CLIENTS-}" != required ]
