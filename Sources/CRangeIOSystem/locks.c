// Only in builds that count what locks cost: Docs/Decisions/0006-locks.md.
#ifdef RANGEIO_COUNT_LOCKS
#include "platform.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// How many powers of two of nanoseconds a lock may be held.
enum { most_sites = 256, buckets = 40 };

struct rio_lock_site {
  const char *file;
  uint32_t line;
  // Apart, so that counting the one lock does not make the other's line move.
  _Alignas(128) _Atomic uint64_t taken;
  _Atomic uint64_t contended;
  _Atomic uint64_t slept;
  _Atomic uint64_t held[buckets];
};

static struct rio_lock_site sites[most_sites];
static _Atomic uint32_t site_count = 0;
static _Atomic bool is_adding = false;
// Asks the kernel before and after each holding, which makes it longer: in a run of its own.
static _Atomic int asks_for_sleep = -1;

struct rio_lock_site *rio_lock_site(const char *file, uint32_t line) {
  while (atomic_exchange(&is_adding, true)) rio_relax();
  uint32_t count = site_count, index = 0;
  while (index < count && (sites[index].line != line || strcmp(sites[index].file, file) != 0)) index++;
  if (index == count && count < most_sites - 1) {
    sites[index].file = file;
    sites[index].line = line;
    site_count = count + 1;
  }
  atomic_store(&is_adding, false);
  return &sites[index];
}

static uint64_t sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return (uint64_t)usage.ru_nvcsw;
}

struct rio_lock_hold rio_lock_taken(struct rio_lock_site *site, bool contended) {
  int asks = atomic_load_explicit(&asks_for_sleep, memory_order_relaxed);
  if (asks < 0) {
    asks = getenv("RANGEIO_LOCK_SLEEPS") != NULL;
    atomic_store(&asks_for_sleep, asks);
  }
  atomic_fetch_add_explicit(&site->taken, 1, memory_order_relaxed);
  if (contended) atomic_fetch_add_explicit(&site->contended, 1, memory_order_relaxed);
  return (struct rio_lock_hold){rio_continuous_ns(), asks ? sleeps() : UINT64_MAX};
}

void rio_lock_released(struct rio_lock_site *site, struct rio_lock_hold hold) {
  if (hold.sleeps != UINT64_MAX && sleeps() != hold.sleeps)
    atomic_fetch_add_explicit(&site->slept, 1, memory_order_relaxed);
  uint64_t held = (uint64_t)(rio_continuous_ns() - hold.begun), bucket = 0;
  while (held > 1 && bucket < buckets - 1) held >>= 1, bucket++;
  atomic_fetch_add_explicit(&site->held[bucket], 1, memory_order_relaxed);
}

// In how many nanoseconds all but one in `part` holdings ended, rounded up to a power of two.
static uint64_t held_by_all_but(const struct rio_lock_site *site, uint64_t part) {
  uint64_t beyond = 0;
  for (int bucket = buckets - 1; bucket >= 0; bucket--) {
    beyond += site->held[bucket];
    if (beyond * part > site->taken) return 2ull << bucket;
  }
  return 0;
}

static int by_contention(const void *a, const void *b) {
  const struct rio_lock_site *const *first = a, *const *second = b;
  uint64_t x = (*first)->contended, y = (*second)->contended;
  if (x == y) x = (*first)->taken, y = (*second)->taken;
  return x == y ? 0 : x < y ? 1 : -1;
}

__attribute__((destructor)) static void print_locks(void) {
  const struct rio_lock_site *sorted[most_sites];
  uint32_t count = site_count;
  for (uint32_t i = 0; i < count; i++) sorted[i] = &sites[i];
  qsort(sorted, count, sizeof *sorted, by_contention);
  fprintf(stderr, "%-58s %12s %10s %9s %9s %9s %6s\n", "lock", "taken", "contended", "99.9% ns", "longest", "percent", "slept");
  for (uint32_t i = 0; i < count; i++) {
    const struct rio_lock_site *site = sorted[i];
    if (site->taken == 0) continue;
    char name[64];
    snprintf(name, sizeof name, "%s:%u", site->file, site->line);
    fprintf(
      stderr, "%-58s %12llu %10llu %9llu %9llu %9.3f %6llu\n", name, (unsigned long long)site->taken,
      (unsigned long long)site->contended, (unsigned long long)held_by_all_but(site, 1000),
      (unsigned long long)held_by_all_but(site, UINT64_MAX / (site->taken + 1)),
      100.0 * (double)site->contended / (double)site->taken, (unsigned long long)site->slept);
  }
}
#endif
