#!/usr/bin/env bash
# Runs programs that choose no sizes in control groups of 32 to 200 MB, at full rate: 'rangeio serve', a reader of a file,
# readers of remote objects with the default store, and with tiers as the guides have them; and stores larger than the group
# that 32 tasks fill at once. All must live to the end, and still hit. Control groups of both versions will do. Where none can be made, it says so and checks nothing.
#
# Usage: scripts/check-containers.sh [runs of each, 2 unless given]
# RANGEIO_TRAITS must have Tool, HTTP and Serve.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-2}

# MARK: groups

if [ -w /sys/fs/cgroup/memory/cgroup.procs ]; then
  group=/sys/fs/cgroup/memory/rangeio-$$ limit=memory.limit_in_bytes
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null && [ -w /sys/fs/cgroup/cgroup.procs ]; then
  group=/sys/fs/cgroup/rangeio-$$ limit=memory.max
fi
if [ -z "${group-}" ] || ! mkdir "$group" 2>/dev/null; then
  echo "check-containers: skipped: this user may make no control groups here"
  exit 0
fi
work=$(mktemp -d)
servers=()
finish() {
  for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
  wait
  rmdir "$group" || true
  rm -rf "$work"
}
trap finish EXIT
# What a group of version 2 could swap would hide what it takes.
[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"

# What stands before a program that is to run in the group.
inside=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")

# MARK: programs

scripts/setup.sh --programs curl
source scripts/built.sh
build --product rangeio
build --product Contained
bin=$(bin_path)
export SWIFT_BACKTRACE=enable=no
head -c 400000000 /dev/urandom >"$work/object"

# Starts a server of the object, by the words that stand before it, and sets `url` and `server`.
serve() {
  : >"$work/said"  # of the server before
  "$@" "$bin/rangeio" serve "$work/object" --far --listen 127.0.0.1:0 >"$work/out" 2>"$work/said" &
  server=$!
  servers+=("$server")
  local tries=0
  until url=$(grep -o 'http://127[0-9.:]*' "$work/said"); do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { cat "$work/said" >&2 && return 1; }
    sleep 0.1
  done
  url=$url/object
}

# Two clients one after the other, eight at once, and one that wants the same megabyte again and again. Sets `said`.
served() {
  local i clients=() hits
  serve "${inside[@]}"
  for i in 1 2; do curl -sf "$url" | cmp - "$work/object" || return 1; done
  for i in 1 2 3 4 5 6 7 8; do
    curl -sf "$url" -o /dev/null & clients+=($!)
  done
  for i in $(seq 20); do curl -sf -r 0-999999 "$url" -o /dev/null || return 1; done
  for i in "${clients[@]}"; do wait "$i" || return 1; done
  hits=$(curl -sf "${url%/object}/-/stats" | grep -o '"cacheHits" *: *[0-9]*' | head -n 1 | grep -o '[0-9]*$')
  kill "$server"
  wait "$server" || return 1
  said="requests 30 hits $hits"
}

# MARK: all of it

serve env  # outside of the group
origin=$url
lived=0 all=0
for size in 32 64 128 200; do
  echo "$((size * 1000000))" >"$group/$limit"
  ways=(serve local remote tiers listening)
  # What 32 tasks read at once takes 32 MB alone.
  [ "$size" = 32 ] || ways+=('many pieces' 'many whole' 'manyTiers whole')
  for way in "${ways[@]}"; do
    for _ in $(seq "$runs"); do
      all=$((all + 1))
      # Out of the page cache, so that its pages are charged to the group.
      dd if="$work/object" iflag=nocache count=0 status=none
      case $way in
      serve)
        served || { said=died && kill "$server" 2>/dev/null && wait "$server" || true; }
        ;;
      many*) said=$("${inside[@]}" "$bin/Contained" $way) || said=died ;;
      local) said=$("${inside[@]}" "$bin/Contained" local "$work/object") || said=died ;;
      *) said=$("${inside[@]}" "$bin/Contained" "$way" "$origin") || said=died ;;
      esac
      echo "check-containers: $size MB, $way: $said"
      case $said in
      *' hits 0' | *died) ;;
      *) lived=$((lived + 1)) ;;
      esac
    done
  done
done
echo "check-containers: $lived of $all lived and hit"
[ "$lived" = "$all" ]
