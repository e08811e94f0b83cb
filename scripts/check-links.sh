#!/usr/bin/env bash
# Fails if a page links to a file that is not in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=0
while IFS=: read -r page link; do
  target=${link#*](}
  target=${target%%#*}
  case $target in '' | *://* | mailto:*) continue ;; esac
  # What is not committed, others do not have.
  git ls-files --error-unmatch "$(dirname "$page")/$target" >/dev/null 2>&1 || {
    echo "$page: $target is not in the repository" >&2
    missing=1
  }
done < <(git ls-files -z '*.md' | xargs -0 grep -oE '\]\([^)[:space:]]+' /dev/null)
exit "$missing"
