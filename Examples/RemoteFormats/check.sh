#!/usr/bin/env bash
# Builds the three programs, makes files with other people's programs, and compares what both read of them. Then spoils
# the files in many ways (the tests of this package).
#
# Usage: Examples/RemoteFormats/check.sh [--http] [options for 'swift build']
#   --http: builds with the trait HTTP, serves the files with nginx on a free port of this machine, and compares again;
#     few requests and bytes must come to nginx. The first build of an HTTP client takes some minutes.
# RANGEIO_SERVERS=required: fails if something is missing that is otherwise left out with a line that says so: nginx, and
#   PyPI's pyarrow and pmtiles.
# RANGEIO_SCRATCH: where to build. Default: .build in this folder.
# RANGEIO_PROGRAMS: a directory with the programs; nothing is built, and no tests run.
set -euo pipefail
cd "$(dirname "$0")"

is_http='' options=()
for option in "$@"; do
  if [ "$option" = --http ]; then is_http=1 options+=(--traits HTTP); else options+=("$option"); fi
done
scratch=${RANGEIO_SCRATCH:-.build}
work=$(mktemp -d)
nginx=''
end() {
  if [ -n "$nginx" ]; then
    kill "$nginx" 2>/dev/null || true
    wait "$nginx" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap end EXIT

without() {
  if [ "${RANGEIO_SERVERS-}" = required ]; then
    echo "check: $1, and RANGEIO_SERVERS=required" >&2
    exit 1
  fi
  echo "check: $1: left out"
}

swift_here() { swift "$1" --scratch-path "$scratch" ${options[@]+"${options[@]}"} "${@:2}"; }
programs=${RANGEIO_PROGRAMS-}
if [ -z "$programs" ]; then
  swift_here build --build-tests
  programs=$(swift_here build --show-bin-path)
fi

python3 -m venv "$work/python" >"$work/venv.log" 2>&1 || { cat "$work/venv.log" >&2; without "python3 makes no venv"; }
python=$work/python/bin/python3
[ -x "$python" ] || python=python3
formats=(zip pmtiles)
if "$python" -m pip install --quiet pyarrow >"$work/pip.log" 2>&1; then
  formats+=(parquet)
else
  without "Parquet is not compared, because pyarrow cannot be installed ($(tail -n 1 "$work/pip.log"))"
fi
"$python" -m pip install --quiet pmtiles >"$work/pip.log" 2>&1 ||
  without "no other reader of PMTiles can be installed ($(tail -n 1 "$work/pip.log"))"

export PYTHONDONTWRITEBYTECODE=1
export REMOTE_FORMATS_PROGRAMS=$programs REMOTE_FORMATS_FILES=$work/files
mkdir "$REMOTE_FORMATS_FILES"
for format in "${formats[@]}"; do "$python" check/check_"$format".py make; done
for format in "${formats[@]}"; do "$python" check/check_"$format".py; done

[ -n "${RANGEIO_PROGRAMS-}" ] || swift_here test --skip-build --disable-xctest

[ -n "$is_http" ] || exit 0
if ! command -v nginx >/dev/null 2>&1; then
  without "nginx is missing"
  exit 0
fi

serve() {
  local port
  port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  cat >"$work/nginx.conf" <<CONFIGURATION
daemon off;
master_process off;
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
  log_format counted '\$request_method\t\$status\t\$body_bytes_sent\t\$http_range\t\$uri';
  access_log $work/access.log counted;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  server { listen 127.0.0.1:$port; root $work/files; }
}
CONFIGURATION
  nginx -p "$work" -e "$work/error.log" -c "$work/nginx.conf" &
  nginx=$!
  export REMOTE_FORMATS_URL=http://127.0.0.1:$port REMOTE_FORMATS_LOG=$work/access.log
  "$python" - "$port" <<'WAIT'
import socket, sys, time
for _ in range(200):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
        sys.exit(0)
    except OSError:
        time.sleep(0.05)
sys.exit(1)
WAIT
}

# Another program may have taken the port in the meantime.
for attempt in 1 2 3; do
  if serve && kill -0 "$nginx" 2>/dev/null; then break; fi
  [ "$attempt" != 3 ] || { echo "check: nginx does not start:" >&2; cat "$work/error.log" >&2; exit 1; }
done
for format in "${formats[@]}"; do "$python" check/check_"$format".py; done
