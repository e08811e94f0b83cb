#!/usr/bin/env bash
# Makes what users of Linux download, for this machine's processor, in dist/: an archive and a Debian package, each with the program,
# its man page, its completions and the licence.
#
# See scripts/build-tool.sh for the variables of the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
# Whatever the mask of the user is: others are to read what is made, and it is the same for all.
umask 022
if [ "$(uname -s)" != Linux ]; then
  echo "dist: this is for Linux; elsewhere use 'make install'" >&2
  exit 1
fi

scripts/setup.sh --programs xz=xz-utils
RANGEIO_TOOL=$(scripts/build-tool.sh)
export RANGEIO_TOOL
version=$("$RANGEIO_TOOL" --version)
name=rangeio-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p dist
# What an earlier version has left is not to be taken for this one.
rm -f dist/rangeio-*-linux-"$(uname -m)".tar.xz

# The archive: the same folders below one name, so that it can be copied to /usr/local as it is.
DESTDIR=$work/$name scripts/install.sh ''
cp LICENSE "$work/$name/"
# Equal inputs make equal archives: no times, owners or order of this machine. By xz: by gzip it has half as much again.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$work" -c "$name" | xz -9 > "dist/$name.tar.xz"

# The package.
if command -v dpkg-deb >/dev/null 2>&1; then
  # Not within the text below, where a failure would go unnoticed.
  depends=$(scripts/debian-depends.sh "$RANGEIO_TOOL")
  architecture=$(dpkg --print-architecture)
  rm -f dist/rangeio_*_"$architecture".deb
  root=$work/package
  mkdir -p "$root/usr"
  cp -r "$work/$name"/{bin,share} "$root/usr/"
  gzip -9n "$root/usr/share/man/man1/rangeio.1"
  # Where Debian has it.
  mkdir -p "$root/usr/share/doc/rangeio" "$root/usr/share/zsh/vendor-completions" "$root/DEBIAN"
  mv "$root/usr/share/zsh/site-functions/_rangeio" "$root/usr/share/zsh/vendor-completions/"
  rmdir "$root/usr/share/zsh/site-functions"
  cp LICENSE "$root/usr/share/doc/rangeio/copyright"
  cat > "$root/DEBIAN/control" <<CONTROL
Package: rangeio
Version: $version
Architecture: $architecture
Maintainer: swift-range-io maintainers <maintainers@users.noreply.github.com>
Depends: $depends
Recommends: ca-certificates
Section: utils
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: read byte ranges of big files and of objects behind URLs
 Reads, copies, lists and serves files and objects in S3, Azure, Google Cloud
 Storage and behind HTTP, and shows how a cache would do.
CONTROL
  dpkg-deb --root-owner-group -Zxz --build "$root" "dist/rangeio_${version}_$architecture.deb" >/dev/null
fi
scripts/check-dist.sh
ls -l dist
