#!/usr/bin/env bash
# Runs the situations in Tests/Situations: what servers, mounts and disks were seen to do, in small. Prints a line for each check,
# and a table at the end. What this machine cannot do, such as mounts without root, is left out with a line that says so.
#
# Usage: scripts/check-situations.sh [names, such as busy-servers; all of them unless given]
set -euo pipefail
cd "$(dirname "$0")/.."
# All plugins, so that the build is that of the tests.
export RANGEIO_TRAITS=${RANGEIO_TRAITS:-$(scripts/traits.sh)}
source scripts/built.sh

folder=Tests/Situations
if [ $# -gt 0 ]; then names=("$@"); else
  names=()
  for file in "$folder"/*.py; do names+=("$(basename "$file" .py)"); done
fi
for name in "${names[@]}"; do
  [ -f "$folder/$name.py" ] || { echo "check-situations: no situation is called '$name': see $folder/README.md" >&2 && exit 2; }
done

build --product rangeio
build --product Reads
RANGEIO=$(bin_path)/rangeio READS=$(bin_path)/Reads
export RANGEIO READS PYTHONDONTWRITEBYTECODE=1

TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# nginx and other users go into folders below it.
chmod 755 "$TMPDIR"
# Mounts end with the situation that made them.
own=()
if unshare --mount --propagation private true 2>/dev/null; then own=(unshare --mount --propagation private); fi

failed=0 table=()
for name in "${names[@]}"; do
  printf '== %s: %s\n' "$name" "$(sed -n '1s/^"""//; 1s/"""$//; 1p' "$folder/$name.py")"
  began=$SECONDS status=0
  # None takes a tenth of this.
  timeout 300 ${own[@]+"${own[@]}"} python3 "$folder/$name.py" | tee "$TMPDIR/said" || status=$?
  counts=$(tail -n 1 "$TMPDIR/said")
  [ "$status" = 0 ] || { failed=1 && counts="FAILED: $counts"; }
  table+=("$(printf '%-24s %3d s  %s' "$name" $((SECONDS - began)) "$counts")")
done
printf '\n== check-situations: %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
printf '%s\n' "${table[@]}"
exit "$failed"
