#!/bin/sh
# Counts the locks of the core while sixteen threads read: how often each is taken and contended, how long it is held, and whether
# its thread slept meanwhile. A build of its own, which is slower: nothing else is measured with it.
#
#   locks.sh [WORKLOAD CONTENDER]: without, all of the table in Docs/Decisions/0006-locks.md
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
export RANGEIO_COUNT_LOCKS=1
build() { swift build --package-path "$here" --scratch-path "$here/.build/locks" --configuration release "$@"; }
build >&2
program=$(build --show-bin-path)/range-io-scaling

count() {
  printf '\n== %s: %s\n' "$1" "$2"
  "$program" locks "$1" "$2"
  # Again: asking the kernel whether a thread sleeps makes the locks longer.
  printf '== locks that were held by a thread that slept\n'
  RANGEIO_LOCK_SLEEPS=1 "$program" locks "$1" "$2" 2>&1 | awk '$NF != 0'
}
if [ $# -gt 0 ]; then
  count "$@"
  exit
fi
count hits-1000 'read, 64 MiB'
count evicting 'read, evicting'
count keeping 'read, kept'
count tiers 'read, memory and LZ4'
count disk 'read, disk tier'
