#!/usr/bin/env bash
# Prints the Debian packages that a program needs, as 'Depends' has them: those of the shared libraries that it names.
#
# Usage: scripts/debian-depends.sh PROGRAM
set -euo pipefail

# The newest version of its symbols that it uses is the oldest C library that runs it.
libc=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1)
depends="libc6 (>= ${libc#GLIBC_})"
for library in $(objdump -p "$1" | awk '/NEEDED/ { print $2 }'); do
  case $library in
    libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux*) ;;
    liblz4.so.1) depends+=", liblz4-1" ;;
    libz.so.1) depends+=", zlib1g" ;;
    libstdc++.so.6) depends+=", libstdc++6" ;;
    libgcc_s.so.1) depends+=", libgcc-s1" ;;
    *)
      echo "dist: no package is known for $library" >&2
      exit 1
      ;;
  esac
done
echo "$depends"
