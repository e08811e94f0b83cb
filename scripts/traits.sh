#!/usr/bin/env bash
# Prints all traits of the package, with commas, in the order of Package.swift: the one list of them.
sed -nE '/^  traits: \[/,/^  \],/s/.*name: "([A-Za-z0-9]+)".*/\1/p' "$(dirname "$0")/../Package.swift" | paste -sd, -
