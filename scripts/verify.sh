#!/usr/bin/env bash
# What takes longer than a test run should: all tests on each engine, long stress, many seeds, sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== verify: %s\n' "$*"; }

step "all tests on every engine"
RANGEIO_ENGINE_TESTS=. scripts/test.sh

step "a million reads, a hundred thousand seeds"
RANGEIO_ENGINE_TESTS='' RANGEIO_STRESS=1000000 RANGEIO_SEEDS=100000 scripts/test.sh

step "twenty thousand seeds of two tiers, a million operations"
RANGEIO_SEEDS=160000 swift test --skip-build --disable-xctest --filter TieredSimulation
RANGEIO_STRESS=1000000 swift test --skip-build --disable-xctest --filter TieredModel

step "a million operations on three tiers in ten histories, with restarts, kills and losses of power"
RANGEIO_STRESS=1000000 swift test --skip-build --disable-xctest --filter SpilledModel

step "twenty thousand seeds of three tiers on a disk that fails"
RANGEIO_SEEDS=160000 swift test --skip-build --disable-xctest --filter SpilledSimulation

step "a million operations through all stages, with faults and cancellations"
RANGEIO_STRESS=1000000 swift test --skip-build --disable-xctest --filter StagesModel

step "ten minutes of churn through two tiers: memory"
Benchmarks/run.sh --churn "${RANGEIO_CHURN:-600}"

step "every bit and every length of a spill segment, every call to the disk under it"
RANGEIO_FLIPS=all swift test --skip-build --disable-xctest --filter 'SpillDamageTests|SpillFailureTests|SpillRoomTests'

step "three hundred processes killed while they write to a spill directory"
RANGEIO_KILLS=300 swift test --skip-build --disable-xctest --filter SpillKillTests

step "processes killed at each system call"
scripts/crash.sh

# Each in a directory of its own, so that builds do not undo each other.
step "thread sanitizer"
# Fewer seeds: under a sanitizer everything takes ten times as long.
RANGEIO_SEEDS=${RANGEIO_SEEDS:-500} scripts/test.sh --sanitize=thread --scratch-path .build/thread-sanitizer

step "address sanitizer"
# Leaks are looked for by tests that count; what Swift's runtime keeps for good would be reported as well.
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} RANGEIO_SEEDS=${RANGEIO_SEEDS:-500} \
  scripts/test.sh --sanitize=address --scratch-path .build/address-sanitizer

step "done"
