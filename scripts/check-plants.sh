#!/usr/bin/env bash
# Plants known faults in a copy of the sources, and checks that the simulations and models find each of them within 1,000
# seeds. Prints a table: the plant, what found it, and with which seed.
#
# Each patch of Tests/Plants is a fault; 00-switch.patch is what switches one of them on, so that all are compiled at once. They
# apply in the order of their names. The head of a patch says
#   Plant: how the environment names it
#   What: what goes wrong
#   Test: how many seeds one run of a test takes when RANGEIO_SEEDS is 200, and that test, as a regular expression for --filter;
#         one line for each test, the one that finds it soonest first
#
# Usage: scripts/check-plants.sh [--apply] [plants; default: all]
#   --apply: only checks that all patches apply, which takes a second. Then something that they change was changed: mend them.
# RANGEIO_PLANT_SEEDS: how many seeds are tried. Default: 1000.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
# They are not copied.
unset RANGEIO_EXAMPLES
most=${RANGEIO_PLANT_SEEDS:-1000}

# Copies what is here into $1, with the plants. Files that are the same keep their times, so that little is built again.
plant_in() {
  local fresh file
  fresh=$(mktemp -d)
  git ls-files -z --cached --others --exclude-standard Package.swift Sources Tests Plugins scripts |
    while IFS= read -r -d '' file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
    tar --null -T - -cf - | tar -xf - -C "$fresh"
  # Not as a part of this repository, where git would look for the files in its root.
  for patch in Tests/Plants/*.patch; do
    (cd "$fresh" && GIT_CEILING_DIRECTORIES=$(dirname "$fresh") git apply "$root/$patch") || {
      echo "check-plants: $patch does not apply: mend it" >&2
      rm -rf "$fresh"
      return 1
    }
  done
  if [ -n "${1-}" ]; then
    mkdir -p "$1"
    (cd "$1" && find . -type f -not -path './.build/*' -not -name Package.resolved) |
      while IFS= read -r file; do if [ ! -f "$fresh/$file" ]; then rm "$1/$file"; fi; done
    (cd "$fresh" && find . -type f) | while IFS= read -r file; do
      if cmp -s "$fresh/$file" "$1/$file"; then continue; fi
      mkdir -p "$(dirname "$1/$file")"
      cp -p "$fresh/$file" "$1/$file"
      touch "$1/$file"
    done
  fi
  rm -rf "$fresh"
}

if [ "${1-}" = --apply ]; then
  plant_in
  exit
fi

head_of() { sed -n "s/^$1: //p" "$2" | head -n 1; }
patches=()
for patch in Tests/Plants/*.patch; do
  name=$(head_of Plant "$patch")
  [ -n "$name" ] || continue
  if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then patches+=("$patch"); fi
done
[ "${#patches[@]}" -gt 0 ] || { echo "check-plants: there are no such plants" >&2; exit 2; }

copy=$root/.build/plants
plant_in "$copy"
began=$SECONDS
export RANGEIO_TESTS=RangeIOModelTests RANGEIO_TRAITS=''
bundle=$(
  cd "$copy"
  source scripts/built.sh
  build --product swift-range-ioPackageTests >&2
  echo "$copy/$(realpath --relative-to="$copy" "$(bin_path)")/swift-range-ioPackageTests.xctest"
)
echo "check-plants: built in $((SECONDS - began)) s"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs the test $2 on $4 seeds from $3 on, with the plant $1. Fails if it does; a run that does not end has failed as well.
run() {
  RANGEIO_PLANT=$1 RANGEIO_SEED=$3 RANGEIO_SEEDS=$4 timeout -s KILL 300 \
    "$bundle" --testing-library swift-testing --no-parallel --filter "$2" >"$log" 2>&1 </dev/null
}

# The seed that $log tells of, or, of a process that went down, the last of the fewest seeds with which it does.
seed_of() {
  local plant=$1 test=$2 first=$3 step=$4 seed low=0 high=$4 middle
  seed=$(grep -aoE 'seed [0-9]+' "$log" | cut -d' ' -f2 | sort -n | head -n 1 || true)
  # Tests that take fewer seeds than RANGEIO_SEEDS says tell no more.
  if [ -n "$seed" ]; then echo "$seed"; return; fi
  if [ "$step" -lt 200 ]; then echo "$first to $((first + step - 1))"; return; fi
  while [ $((high - low)) -gt 1 ]; do
    middle=$(((low + high) / 2))
    if run "$plant" "$test" "$first" "$middle"; then low=$middle; else high=$middle; fi
  done
  echo "$((first + high - 1))"
}

# Of what fails without a plant nothing can be said.
while read -r _ test; do
  if ! run none "$test" 0 200; then
    tail -n 20 "$log" >&2
    echo "check-plants: '$test' fails without a plant" >&2
    exit 1
  fi
done < <(for patch in "${patches[@]}"; do sed -n 's/^Test: //p' "$patch"; done | sort -u)

missed=0
printf '%-22s %-50s %s\n' plant 'found by' seed
for patch in "${patches[@]}"; do
  plant=$(head_of Plant "$patch") found=''
  while read -r step test; do
    for ((first = 0; first < most; first += step)); do
      if ! run "$plant" "$test" "$first" 200; then
        found=$(seed_of "$plant" "$test" "$first" "$step")
        break 2
      fi
    done
  done < <(sed -n 's/^Test: //p' "$patch")
  printf '%-22s %-50s %s\n' "$plant" "${test%%/*}" "${found:-NOT FOUND in $most seeds}"
  [ -n "$found" ] || missed=$((missed + 1))
done
echo "check-plants: $((${#patches[@]} - missed)) of ${#patches[@]} found"
[ "$missed" = 0 ]
