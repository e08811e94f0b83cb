#!/usr/bin/env bash
# What takes longer than a test run should: long stress, many seeds, every flip, kills, sanitizers. Each step does what no
# other does, says how long it took, and a table of all stands at the end.
#
# A step that fails does not keep the next from running.
#
# Usage: scripts/verify.sh [steps, by their names; all of them unless given]
set -euo pipefail
cd "$(dirname "$0")/.."

# In the order in which they run: what is most likely to fail, first.
all=(tests plugins examples plain dist situations strangers containers ticker seeds plants stress damage kills runs crash churn fuzz coverage threads addresses)

# Every engine, the one past the page cache included.
export RANGEIO_ENGINES=${RANGEIO_ENGINES-dispatchIO positional direct}

# MARK: steps

what_tests="all tests, and what depends on the engine again on each of the others"
run_tests() { scripts/test.sh; }

# Long runs on a machine that does something else beside take their time.
export RANGEIO_LIMIT=${RANGEIO_LIMIT:-7200}

# Tests of which a run does as much as the environment says. Nothing but these: the others ran above.
long() { scripts/test.sh --filter "$1"; }

# Builds all plugins from here on, and wants the servers that their tests read from.
with_plugins() {
  RANGEIO_TRAITS=$(scripts/traits.sh)
  export RANGEIO_SERVERS=required RANGEIO_TRAITS
  scripts/setup-servers.sh
}

what_plugins="plugins that need a trait, against nginx, Apache and moto: 50,000 reads of lying servers, 1,000 runs of replacement, 100,000 cancelled reads, 100,000 seeds"
run_plugins() {
  with_plugins
  RANGEIO_READS=50000 RANGEIO_RUNS=1000 RANGEIO_CANCELS=100000 RANGEIO_SEEDS=100000 RANGEIO_CONNECTIONS=10000 \
    long 'RangeIO(Remote|HTTP|S3|Azure|GCS|SharedCache|Encrypted|Telemetry|NIO|Serve|Tool)Tests'
  RANGEIO_FLIPS=all long 'RangeIOEncryptedSpillTests'
  RANGEIO_KILLS=300 long 'SpillKillTests'
  Examples/RemoteFormats/check.sh --http
  export RANGEIO_CLIENTS=required
  scripts/setup-clients.sh
  scripts/check-clients.sh
  scripts/check-guides.sh Docs/Guides/HexViewer.md
}

what_examples="the examples, each built as the package that it is"
run_examples() { scripts/check-examples.sh; }

what_plain="swift build, build -c release, build --build-tests and test, in a fresh clone of the last commit"
run_plain() { scripts/plain.sh; }

what_dist="the tool as users of Linux download it: built, used in an empty root and in a new Debian, small, quick to begin"
run_dist() { [ "$(uname -s)" != Linux ] || scripts/dist.sh; }

what_situations="what servers, mounts and disks were seen to do, in small: right bytes, right errors, no request too many"
run_situations() {
  with_plugins
  scripts/check-situations.sh
}

what_strangers="what others wrote for this job: fsspec's tests, and cases after obstore, s3-tests, web-platform-tests, curl, httpx"
run_strangers() {
  with_plugins
  RANGEIO_CLIENTS=required scripts/check-strangers.sh
}

what_containers="programs that choose no sizes, in control groups of 32 to 200 MB: all live, and hit"
run_containers() {
  with_plugins
  scripts/check-containers.sh
}

what_ticker="for each way to read, how long another task of the same actor waits: 5 ms at most"
run_ticker() { RANGEIO_TICKER=${RANGEIO_TICKER:-5} long KeptActorTests; }

what_seeds="100,000 seeds of readers and of caches, 20,000 of two tiers and of three, 5,000 to 25,000 of the other simulations and models"
run_seeds() {
  RANGEIO_SEEDS=100000 long \
    'SpineSimulation|CacheSimulation|MergingSimulation|CachedReadsModel|FlightsModel|PolicyModel|EvictionPolicyTests|HangTests'
  # An eighth of these.
  RANGEIO_SEEDS=160000 long 'TieredSimulation|SpilledSimulation'
}

what_plants="twelve planted faults, of which the simulations and models find each within 1,000 seeds"
run_plants() { scripts/check-plants.sh; }

what_stress="100,000 sessions of players, a million operations of each stress test and of each model, in three tiers with restarts, kills and losses of power; 10,000 runs of file events; a million sources looked up"
run_stress() {
  RANGEIO_STRESS=1000000 long \
    'StressTests/|HostileReadTests|EstimatesTests|AdaptiveTests|TunedLoadTests|RefreshingTests|FileEventsTests|SpillManySourcesTests|MemoryStoreModel|TieredModel|SpilledModel|StagesModel|SessionModel|ShardingTests|ReplaySpill|ReplayTool|RangeIOToolTests\.ToolTests/'
}

what_damage="every bit and every length of a spill segment, every call to the disk under it; a hundred times the mutations of what takes bytes of strangers"
run_damage() { RANGEIO_FLIPS=all RANGEIO_FUZZ_TIMES=100 long 'SpillDamageTests|SpillFailureTests|FuzzTests|ForgeryTests|NonceTests'; }

what_kills="three hundred processes killed while they write to a spill directory"
run_kills() { RANGEIO_KILLS=300 long SpillKillTests; }

what_runs="two thousand short runs that each write a little to one spill directory"
run_runs() { RANGEIO_RUNS=2000 long SpillDescriptorsTests; }

what_crash="processes killed at each system call"
run_crash() { scripts/crash.sh; }

what_churn="ten minutes of churn through two tiers: memory stays within its bound"
run_churn() { Benchmarks/run.sh --churn "${RANGEIO_CHURN:-600}"; }

what_fuzz="what takes bytes of strangers, fed by libFuzzer: two minutes for each target, or as RANGEIO_FUZZ_SECONDS says"
run_fuzz() {
  with_plugins
  scripts/fuzz.sh --seconds "${RANGEIO_FUZZ_SECONDS:-120}"
}

what_coverage="which lines all tests run: 92% of the core's, 97% of those that parse strangers' bytes"
run_coverage() {
  with_plugins
  RANGEIO_ENGINES='' RANGEIO_SEEDS=${RANGEIO_SEEDS:-100} scripts/coverage.sh
}

# Each in a directory of its own, so that builds do not undo each other. Fewer seeds: under a sanitizer everything takes
# ten times as long.
what_threads="all tests, plugins' among them, under the thread sanitizer"
run_threads() {
  with_plugins
  RANGEIO_SEEDS=${RANGEIO_SEEDS:-500} scripts/test.sh --sanitize=thread --scratch-path .build/thread-sanitizer
}

# Leaks are looked for by tests that count; what Swift's runtime keeps for good would be reported as well.
what_addresses="all tests, plugins' among them, under the address sanitizer"
run_addresses() {
  with_plugins
  ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} RANGEIO_SEEDS=${RANGEIO_SEEDS:-500} \
    scripts/test.sh --sanitize=address --scratch-path .build/address-sanitizer
}

# MARK: times

step=''
began=0
failed=0
table=()

duration() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# Ends the step that runs, if one does.
ended() {
  [ -n "$step" ] || return 0
  local took
  took=$(duration $((SECONDS - began)))
  printf '== verify: %s %s after %s\n' "$step" "$1" "$took"
  table+=("$(printf '%12s  %-10s %s' "$took" "$step" "$1")")
  step=''
}

finish() {
  local status=$?
  [ "$status" = 0 ] || ended 'was cut short'
  printf '\n== verify: %s\n' "$(duration "$SECONDS") in all"
  [ "${#table[@]}" = 0 ] || printf '%s\n' "${table[@]}"
  exit "$status"
}
trap finish EXIT

# MARK: all of it

if [ $# -gt 0 ]; then steps=("$@"); else steps=("${all[@]}"); fi
for name in "${steps[@]}"; do
  case " ${all[*]} " in
  *" $name "*) ;;
  *)
    echo "verify: no step is called '$name': there are ${all[*]}" >&2
    exit 2
    ;;
  esac
done
for step in "${steps[@]}"; do
  what=what_$step
  began=$SECONDS
  printf '\n== verify: %s: %s\n' "$step" "${!what}"
  # In a process of its own, which ends with the first command that fails: what a step exports is its own.
  set +e
  (set -e && "run_$step")
  status=$?
  set -e
  if [ "$status" = 0 ]; then ended passed; else failed=1 && ended failed; fi
done
exit "$failed"
