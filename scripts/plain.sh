#!/usr/bin/env bash
# Runs what people type first, in a fresh clone of the last commit: no trait, no variable of ours, nothing built before. Says
# how long each command took.
#
# Usage: scripts/plain.sh [commands of swift; all four unless given]
set -euo pipefail
cd "$(dirname "$0")/.."

commands=("$@")
[ $# -gt 0 ] || commands=('build' 'build -c release' 'build --build-tests' 'test')
while IFS= read -r name; do unset "$name"; done < <(compgen -e RANGEIO_)

clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet . "$clone"
cd "$clone"
for command in "${commands[@]}"; do
  began=$SECONDS
  # In words, as typed.
  # shellcheck disable=SC2086
  if ! swift $command >"$clone/.plain.log" 2>&1; then
    grep -E -A 2 'error:|recorded an issue|failed after' "$clone/.plain.log" | head -n 100 >&2 || true
    tail -n 20 "$clone/.plain.log" >&2
    echo "plain: 'swift $command' failed after $((SECONDS - began)) s" >&2
    exit 1
  fi
  echo "plain: swift $command took $((SECONDS - began)) s"
  [ "$command" = build ] || continue
  # The tool without its trait says so.
  status=0
  said=$(.build/debug/rangeio read README.md 2>&1 >/dev/null) || status=$?
  if [ "$status" != 2 ] || [[ $said != *"--traits Tool"* ]]; then
    echo "plain: rangeio without its trait ends with $status, and says: $said" >&2
    exit 1
  fi
  # A plugin whose trait was forgotten says so.
  for trait in HTTP S3 Azure GCS; do
    case $trait in Azure) label=azure ;; GCS) label=gcs ;; *) label=contentsOf ;; esac
    printf 'import RangeIO\nimport RangeIO%s\nlet reader = try await RangeReader(%s: "https://example.org/x")\n' \
      "$trait" "$label" >"$clone/.plain.swift"
    maps=()
    while IFS= read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
      find Sources .build/debug/CRangeIO*.build .build/checkouts/swift-system -name module.modulemap)
    if swiftc -typecheck -I .build/debug/Modules "${maps[@]}" "$clone/.plain.swift" 2>"$clone/.plain.log" ||
      ! grep -qF "traits: [\"$trait\"]" "$clone/.plain.log"; then
      cat "$clone/.plain.log" >&2
      echo "plain: RangeReader($label:) without the trait $trait does not say which it needs" >&2
      exit 1
    fi
  done
done
