#!/usr/bin/env bash
# Installs the servers that the tests of plugins use: nginx, Apache and moto (an S3 of PyPI's) to read from, memcached and Redis
# to keep blocks in. What cannot be had here is left out, and the tests that need it are skipped with a line that says so.
#
# Fails if RANGEIO_SERVERS is 'required' and one is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# Plugins that need servers are linked with zlib.
scripts/setup.sh z >&2

# Where Debian puts servers.
PATH=$PATH:/usr/sbin
missing=()
if [ "$(uname -s)" = Linux ]; then
  # What Debian calls them need not be what their programs are called.
  for package in nginx apache2 memcached redis-server; do
    command -v "$package" >/dev/null 2>&1 ||
      scripts/setup.sh --programs "$package" >&2 || missing+=("$package")
  done
fi

venv=.build/servers
if ! command -v moto_server >/dev/null 2>&1 && ! [ -x "$venv/bin/moto_server" ]; then
  echo "setup: installing moto into $venv" >&2
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet 'moto[server]>=5,<6'; } >&2 || missing+=(moto)
fi

[ "${#missing[@]}" = 0 ] && exit 0
echo "setup: without ${missing[*]}: the tests that read from them are skipped" >&2
[ "${RANGEIO_SERVERS-}" != required ]
