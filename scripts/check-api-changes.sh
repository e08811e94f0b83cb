#!/usr/bin/env bash
# Fails if the public API of the libraries lost or changed something since the last release, that is the last tag that looks
# like a version. Where there is no release yet it says so.
#
# Usage: scripts/check-api-changes.sh [revision; default: the last release]
#
# What was broken on purpose stands in scripts/api-changes.txt, one line for each, as it is reported here: "API breakage: …".
set -euo pipefail
cd "$(dirname "$0")/.."

# Says what is wrong if this is no repository, or git refuses it.
git rev-parse --git-dir >/dev/null
base=${1-}
[ -n "$base" ] || base=$(git describe --tags --abbrev=0 --match '[0-9]*' --match 'v[0-9]*' 2>/dev/null) || true
if [ -z "$base" ]; then
  echo "check-api-changes: there is no release yet, so nothing to compare with"
  exit 0
fi
allowed=()
[ ! -f scripts/api-changes.txt ] || allowed=(--breakage-allowlist-path scripts/api-changes.txt)
swift package --scratch-path .build/api diagnose-api-breaking-changes "$base" \
  --targets RangeIO RangeIOTiers RangeIOFoundation RangeIOTesting RangeIOMapped ${allowed[@]+"${allowed[@]}"}
echo "check-api-changes: nothing public was broken since $base"
