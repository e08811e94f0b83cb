#!/usr/bin/env bash
# Uses what scripts/dist.sh has made as a machine without Swift would: the archive in a root that has the C library and nothing
# else, the Debian package in a new Debian. Then looks at the size, and at the time to begin.
#
# The first root is an empty directory with the libraries that ldd names, in a name space of its own (unshare). The second is
# made by debootstrap, of the release that this machine has; only root can do that, and without a network it is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "check-dist: $*" >&2
  exit 1
}
unshare --map-root-user --user --mount --pid --fork true 2>/dev/null ||
  fail "this system gives no name space to a user (unshare): what is in dist/ was not tried"
archive=$(ls dist/rangeio-*-linux-"$(uname -m)".tar.xz)
name=$(basename "$archive" .tar.xz)
version=${name#rangeio-}
version=${version%%-linux-*}

work=$(mktemp -d)
root=$work/empty
# Not what a debootstrap that failed has left mounted.
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$root"/{tmp,proc,dev,etc}
tar -xJf "$archive" -C "$root" --strip-components 1
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

# Runs a command with the folder $1 as its root. Without /proc a program of Swift has no arguments, so that is mounted.
in_root() {
  unshare --map-root-user --user --mount --pid --fork sh -c \
    'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"' sh "$@"
}
inside() { in_root "$root" /bin/rangeio "$@"; }
[ "$(inside --version)" = "$version" ] || fail "it does not tell its version"
head -c 300000 /dev/urandom > "$root/tmp/file"
inside cat /tmp/file | cmp - "$root/tmp/file"
inside read /tmp/file -r 100-199 | cmp - <(tail -c +101 "$root/tmp/file" | head -c 100)
inside copy /tmp/file /tmp/copy
cmp "$root/tmp/file" "$root/tmp/copy"
inside info /tmp/file --json | grep '"byteCount": 300000' >/dev/null || fail "info does not tell the size"
if inside info https://127.0.0.1:1/x 2> "$root/tmp/errors"; then fail "what refuses connections was opened"; fi
grep -q '^rangeio: https://127.0.0.1:1/x: ' "$root/tmp/errors" || fail "no reason is told: $(cat "$root/tmp/errors")"

# MARK: Debian

if command -v dpkg-deb >/dev/null 2>&1; then
  package=dist/rangeio_${version}_$(dpkg --print-architecture).deb
  dpkg-deb --info "$package" | grep -E '^ (Depends|Installed-Size):'
  dpkg-deb --fsys-tarfile "$package" | tar -tf - | grep -x './usr/bin/rangeio' >/dev/null || fail "the package has no program"
  debian=$work/debian
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  if [ "$(id -u)" != 0 ]; then
    echo "check-dist: only root can make a Debian: the package was not installed"
  elif ! scripts/setup.sh --programs debootstrap >"$work/log" 2>&1 ||
    ! debootstrap --variant=minbase "$release" "$debian" >"$work/log" 2>&1; then
    echo "check-dist: no Debian can be made here: the package was not installed: $(tail -n 1 "$work/log")"
  else
    cp "$package" "$root/tmp/file" "$debian/tmp/"
    chroot "$debian" dpkg -i "/tmp/$(basename "$package")" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "dpkg -i failed"; }
    chroot "$debian" dpkg --verify rangeio
    # shellcheck disable=SC2016 # of the shell in there
    in_root "$debian" bash -euc '
      rangeio --version
      gzip -t /usr/share/man/man1/rangeio.1.gz
      . /usr/share/bash-completion/completions/rangeio && complete -p rangeio >/dev/null
      rangeio serve /tmp/file --listen 127.0.0.1:0 >/dev/null 2>/tmp/said & server=$!
      for tries in {1..100}; do ! url=$(grep -o "http://127[0-9.:]*" /tmp/said) || break; sleep 0.1; done
      rangeio copy "$url/file" /tmp/copy && cmp /tmp/file /tmp/copy
      kill "$server" && wait "$server"' >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the package does not work"; }
    chroot "$debian" dpkg -r rangeio >/dev/null
    left=$(find "$debian" -xdev -path "$debian/var" -prune -o -name '*rangeio*' ! -path "$debian/tmp/*" -print)
    [ -z "$left" ] || fail "removing the package leaves $left"
    echo "in a new Debian $release: installed, used and removed"
  fi
fi

# MARK: size and time

size=$(stat -c %s "$archive")
echo "$archive: $((size / 1000000)) MB; the program: $(($(stat -c %s "$root/bin/rangeio") / 1000000)) MB"
[ "$size" -lt 25000000 ] || fail "the archive has 25 MB or more"
# The best of twenty: what else the machine does is not meant.
best=1000000
for _ in {1..20}; do
  since=${EPOCHREALTIME//[^0-9]/}
  "$root/bin/rangeio" --version >/dev/null
  took=$((${EPOCHREALTIME//[^0-9]/} - since))
  [ "$took" -ge "$best" ] || best=$took
done
echo "rangeio --version: $((best / 1000)) ms"
[ "$best" -lt 30000 ] || fail "it takes 30 ms or more to tell its version"
