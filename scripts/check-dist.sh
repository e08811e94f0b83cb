#!/usr/bin/env bash
# Uses what scripts/dist.sh has made as a machine without Swift would: in a root that has the archive, the C library, and nothing
# else. Then looks into the Debian package, and at the size.
#
# The root is an empty directory with the libraries that ldd names. Not root: in a name space of its own (unshare).
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "check-dist: $*" >&2
  exit 1
}
unshare --map-root-user --user --mount --pid --fork true 2>/dev/null ||
  fail "this system gives no name space to a user (unshare): what is in dist/ was not tried"
archive=$(ls dist/rangeio-*-linux-"$(uname -m)".tar.gz)
name=$(basename "$archive" .tar.gz)
version=${name#rangeio-}
version=${version%%-linux-*}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{tmp,proc,dev,etc}
tar -xzf "$archive" -C "$root" --strip-components 1
for file in bin/rangeio LICENSE share/man/man1/rangeio.1 share/bash-completion/completions/rangeio \
  share/zsh/site-functions/_rangeio share/fish/vendor_completions.d/rangeio.fish; do
  [ -s "$root/$file" ] || fail "the archive has no $file"
done
bash -n "$root/share/bash-completion/completions/rangeio"
grep -q '^\.SH EXAMPLES\|^Examples:' "$root/share/man/man1/rangeio.1" || fail "the man page has no examples"

while read -r library; do
  case $(basename "$library") in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | ld-linux* | ld64.*) ;;
    *) fail "the program needs $library, which other machines may lack: install its static library (.a), and build again" ;;
  esac
  install -D "$library" "$root$library"
done < <(ldd "$root/bin/rangeio" | grep -oE '/[^ ]+')
echo "in a root with nothing but $(cd "$root" && find . -name '*.so*' -printf '%f ')"

# Without /proc a program of Swift has no arguments, so that is mounted.
inside() {
  unshare --map-root-user --user --mount --pid --fork sh -c \
    'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"' sh "$root" /bin/rangeio "$@"
}
[ "$(inside --version)" = "$version" ] || fail "it does not tell its version"
head -c 300000 /dev/urandom > "$root/tmp/file"
inside cat /tmp/file | cmp - "$root/tmp/file"
inside read /tmp/file -r 100-199 | cmp - <(tail -c +101 "$root/tmp/file" | head -c 100)
inside copy /tmp/file /tmp/copy
cmp "$root/tmp/file" "$root/tmp/copy"
inside info /tmp/file --json | grep -q '"byteCount": 300000' || fail "info does not tell the size"
if inside info https://127.0.0.1:1/x 2> "$root/tmp/errors"; then fail "what refuses connections was opened"; fi
grep -q '^rangeio: https://127.0.0.1:1/x: ' "$root/tmp/errors" || fail "no reason is told: $(cat "$root/tmp/errors")"

if command -v dpkg-deb >/dev/null 2>&1; then
  package=dist/rangeio_${version}_$(dpkg --print-architecture).deb
  dpkg-deb --info "$package" | grep -E '^ (Depends|Installed-Size):'
  dpkg-deb --fsys-tarfile "$package" | tar -tf - | grep -qx './usr/bin/rangeio' || fail "the package has no program"
fi
megabytes=$(($(stat -c %s "$archive") / 1000000))
echo "$archive: $megabytes MB; the program: $(($(stat -c %s "$root/bin/rangeio") / 1000000)) MB"
