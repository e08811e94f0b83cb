#!/usr/bin/env bash
# Kills a process that uses a spill directory at every system call that changes the directory, one after the other, and
# compares what is found then with what the process had said was there. Needs strace, which it installs if it can; fails
# without it.
#
# Usage: scripts/crash.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -s)" != Linux ]; then
  echo "crash: strace, which stops a process at a system call, is there on Linux only" >&2
  exit 1
fi
scripts/setup.sh --programs strace
if ! strace -qq -o /dev/null true; then
  echo "crash: strace may not trace here (see above): in a container, allow it with '--cap-add SYS_PTRACE'" >&2
  exit 1
fi

source scripts/built.sh
build --product SpillWriter
writer="$(bin_path)/SpillWriter"
# A killed process has nothing to tell.
export SWIFT_BACKTRACE=enable=no
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

kills=0 flushed=0 found=0
for calls in pwrite64,pwritev fdatasync,fsync renameat,renameat2 fallocate ftruncate unlinkat openat flock; do
  number=0
  while :; do
    number=$((number + 1))
    rm -rf "$directory/spill"
    # strace counts in each thread apart; the program uses one for its files. That it was killed, the shell tells.
    {
      strace -f -qq -o /dev/null -e "trace=$calls" -e "inject=$calls:signal=SIGKILL:when=$number" \
        "$writer" exercise "$directory/spill" >"$directory/journal" || true
    } 2>/dev/null
    grep -q '^end$' "$directory/journal" && break
    kills=$((kills + 1))
    # Before anything was opened there may be nothing to verify; opening makes it then.
    if ! line=$("$writer" verify "$directory/spill" "$directory/journal"); then
      echo "crash: not opened after call $number of $calls" >&2
      exit 1
    fi
    read -r wanted _ got _ wrong _ risen _ <<<"$line"
    if [ "$wrong" -ne 0 ] || [ "$risen" -ne 0 ] || [ "$got" -ne "$wanted" ]; then
      echo "crash: after call $number of $calls: $line" >&2
      exit 1
    fi
    flushed=$((flushed + wanted)) found=$((found + got))
  done
  echo "crash: $calls: killed at each of $((number - 1))"
done
echo "crash: killed $kills times; opened every time, 0 wrong, $found of $flushed flushed records found"
