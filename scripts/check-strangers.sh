#!/usr/bin/env bash
# Runs what others wrote for this job: fsspec's tests of HTTP and caches against `rangeio serve`, and cases after those of obstore,
# Ceph's s3-tests, web-platform-tests, curl and httpx (Tests/Strangers). Prints a table at the end, and fails if a case failed.
#
# Usage: scripts/check-strangers.sh [suites, such as curl httpx; all of them unless given]
# RANGEIO: the program, built with all traits. Default: that of the tests' build, which is built first.
# What cannot be installed is left out with a line that says so. RANGEIO_CLIENTS=required: fails then.
set -euo pipefail
cd "$(dirname "$0")/.."

all=(fsspec-http fsspec-caches fsspec-abstract obstore s3-tests wpt-range wpt-http-cache curl httpx)
if [ $# -gt 0 ]; then names=("$@"); else names=("${all[@]}"); fi
for name in "${names[@]}"; do
  case " ${all[*]} " in
  *" $name "*) ;;
  *) echo "check-strangers: no suite is called '$name': there are ${all[*]}" >&2 && exit 2 ;;
  esac
done

if [ -z "${RANGEIO-}" ]; then
  # All plugins, so that the build is that of the tests.
  export RANGEIO_TRAITS=${RANGEIO_TRAITS:-$(scripts/traits.sh)}
  source scripts/built.sh
  build --product rangeio
  RANGEIO=$(bin_path)/rangeio
fi

leave_out() {
  echo "check-strangers: $1: left out" >&2
  [ "${RANGEIO_CLIENTS-}" != required ] || exit 1
  exit 0
}

# Versions are those that the cases were written for. The packages of fsspec have had no tests of HTTP since 2024.6.
old=2024.5.0 new=2026.9.0
venv=$PWD/.build/strangers
packages=(
  pytest==9.2.0 pytest-asyncio==1.5.0 aiohttp==3.14.5 requests==2.34.2 numpy==2.4.6 obstore==0.12.1 'httpx[http2]==0.28.1'
  boto3==1.44.8)
wanted="${packages[*]} fsspec $old $new"
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]; then
  echo "check-strangers: installing pytest, fsspec, obstore, httpx and boto3 into .build/strangers" >&2
  {
    rm -rf "$venv" && python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "${packages[@]}" &&
      "$venv/bin/pip" install --quiet --no-deps --target "$venv/fsspec-$old" "fsspec==$old" &&
      "$venv/bin/pip" install --quiet --no-deps --target "$venv/fsspec-$new" "fsspec==$new"
  } >&2 || leave_out "packages of PyPI cannot be had"
  echo "$wanted" >"$venv/installed"
fi
command -v curl >/dev/null || leave_out "curl is not installed"
MOTO_SERVER=$(command -v moto_server || echo "$PWD/.build/servers/bin/moto_server")
case " ${names[*]} " in
*" s3-tests "*)
  if ! [ -x "$MOTO_SERVER" ]; then
    scripts/setup-servers.sh || true
    [ -x "$MOTO_SERVER" ] || leave_out "moto cannot be had"
  fi
  ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RANGEIO MOTO_SERVER PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
tests=$PWD/Tests/Strangers
version() { "$venv/bin/python" -c "import importlib.metadata as m; print(m.version('$1'))"; }

# Runs a suite: its name, what the table calls it, further paths of modules, and what pytest is to run.
suite() {
  local name=$1 path=$2
  shift 2
  TALLY=$work/counts PYTHONPATH=$tests${path:+:$path} timeout 120 \
    "$venv/bin/python" -m pytest -q --tb=short --no-header -p tally -p no:cacheprovider -c "$tests/pytest.ini" --rootdir "$work" \
    --basetemp "$work/$name" "$@"
}

failed=0 table=()
for name in "${names[@]}"; do
  printf '\n== %s\n' "$name"
  rm -f "$work/counts"
  status=0 began=$SECONDS
  case $name in
  fsspec-http)
    label="fsspec $old, test_http"
    NOT_APPLICABLE=fsspec_http suite "$name" "$venv/fsspec-$old" -p fsspec_http \
      --pyargs fsspec.implementations.tests.test_http || status=$?
    ;;
  fsspec-caches)
    label="fsspec $old, caches"
    cached=$venv/fsspec-$old/fsspec/implementations/tests/test_cached.py
    chosen=("$venv/fsspec-$old/fsspec/tests/test_caches.py::test_background")
    # All that read from a server.
    while IFS= read -r test; do chosen+=("$cached::$test"); done < <(sed -n 's/^def \(test_[a-z_]*\)(.*ftp_writable.*/\1/p' "$cached")
    suite "$name" "$venv/fsspec-$old" -p fsspec_http "${chosen[@]}" || status=$?
    ;;
  fsspec-abstract) label="fsspec $new, abstract get" && { suite "$name" "$venv/fsspec-$new" "$tests/test_fsspec_abstract.py" || status=$?; } ;;
  obstore) label="obstore $(version obstore)" && { suite "$name" "" "$tests/test_obstore.py" || status=$?; } ;;
  s3-tests) label="s3-tests, moto 5" && { suite "$name" "" "$tests/test_s3.py" || status=$?; } ;;
  wpt-range) label="WPT fetch/range" && { suite "$name" "" "$tests/test_wpt_range.py" || status=$?; } ;;
  wpt-http-cache) label="WPT fetch/http-cache" && { suite "$name" "" "$tests/test_wpt_http_cache.py" || status=$?; } ;;
  curl) label="curl $(curl --version | sed -n '1s/curl \([^ ]*\).*/\1/p')" && { suite "$name" "" "$tests/test_curl.py" || status=$?; } ;;
  httpx) label="httpx $(version httpx)" && { suite "$name" "" "$tests/test_httpx.py" || status=$?; } ;;
  esac
  counts='0 0 0 0'
  [ ! -f "$work/counts" ] || counts=$(cat "$work/counts")
  # A suite that ran no case, or was cut short, has failed.
  read -r cases passed without wrong <<<"$counts"
  [ "$status" = 0 ] && [ "$passed" -gt 0 ] && [ "$wrong" = 0 ] || failed=1
  [ "$status" = 0 ] || [ "$wrong" != 0 ] || wrong="exit $status"
  table+=("$(printf '| %-29s | %5s | %6s | %14s | %6s | %4s s |' "$label" "$cases" "$passed" "$without" "$wrong" $((SECONDS - began)))")
done
printf '\n== check-strangers: %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
printf '| %-29s | %5s | %6s | %14s | %6s | %6s |\n' suite cases passed 'not applicable' failed time
printf '%s\n' "${table[@]}"
exit "$failed"
