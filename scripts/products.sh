#!/usr/bin/env bash
# Prints the libraries that are products of the package, one a line, in the order of Package.swift: the one list of them.
#
# Usage: scripts/products.sh [folder of the package; default: this one]
sed -nE 's/^    \.library\(name: "([^"]*)".*/\1/p' "${1-$(dirname "$0")/..}/Package.swift"
