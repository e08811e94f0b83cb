#!/usr/bin/env bash
# Prints all traits of the package, with commas, in the order of Package.swift: the one list of them.
#
# Usage: scripts/traits.sh [folder of the package; default: this one]
sed -nE '/^  traits: \[/,/^  \],/s/.*name: "([A-Za-z0-9]+)".*/\1/p' "${1-$(dirname "$0")/..}/Package.swift" | paste -sd, -
