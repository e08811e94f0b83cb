#include "platform.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

struct start {
  void (*body)(void *);
  void *context;
  char name[16];
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  rio_platform_name_thread(start.name);
  start.body(start.context);
  return NULL;
}

int rio_thread_start(void (*body)(void *), void *context, const char *name) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return -ENOMEM;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);
  start->name[sizeof start->name - 1] = 0;

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 512 * 1024);

  // The thread must not be the one that a signal of the host program lands on.
  sigset_t all, before;
  sigfillset(&all);
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error != 0) free(start);
  return -error;
}

_Thread_local uint32_t rio_thread_number_kept = 0;
_Thread_local uint32_t rio_beginnings = 0;


struct rio_thread_line rio_thread_lines[RIO_MOST_NUMBERED];

// A bit for each number that a thread has.
static _Atomic uint64_t numbers[RIO_MOST_NUMBERED / 64];
static _Atomic uint32_t highest_number = 0;
static pthread_key_t number_key;
static pthread_once_t number_key_once = PTHREAD_ONCE_INIT;

// Another thread may have the number from now on. What this one wrote as its owner is visible to that one.
static void number_ended(void *value) {
  uint32_t index = (uint32_t)(uintptr_t)value - 1;
  rio_thread_number_kept = 0;
  atomic_fetch_and_explicit(&numbers[index / 64], ~(UINT64_C(1) << index % 64), memory_order_release);
}

static void make_number_key(void) { pthread_key_create(&number_key, number_ended); }

static uint32_t free_number(void) {
  for (uint32_t word = 0; word < RIO_MOST_NUMBERED / 64; word++) {
    uint64_t used = atomic_load_explicit(&numbers[word], memory_order_relaxed);
    while (used != UINT64_MAX) {
      uint32_t bit = (uint32_t)__builtin_ctzll(~used);
      if (atomic_compare_exchange_weak_explicit(
            &numbers[word], &used, used | UINT64_C(1) << bit, memory_order_acquire, memory_order_relaxed)) {
        return word * 64 + bit + 1;
      }
    }
  }
  return 0;
}

uint32_t rio_thread_number_assign(void) {
  static _Atomic uint32_t last = RIO_MOST_NUMBERED;
  pthread_once(&number_key_once, make_number_key);
  uint32_t number = free_number();
  if (number != 0) {
    pthread_setspecific(number_key, (void *)(uintptr_t)number);
    uint32_t highest = atomic_load(&highest_number);
    while (highest < number && !atomic_compare_exchange_weak(&highest_number, &highest, number)) {}
  } else {
    do number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    while (number <= RIO_MOST_NUMBERED);
  }
  rio_thread_number_kept = number;
  return number;
}

uint32_t rio_highest_thread_number(void) { return atomic_load(&highest_number); }

extern void *swift_retain(void *object);

void rio_retain(void *object) { swift_retain(object); }

// ABI-stable entry points of Swift's concurrency runtime (stdlib/public/Concurrency, Task.swift calls both), which every
// program that links this library has.
__attribute__((swiftcall)) extern void *swift_task_getCurrent(void);
__attribute__((swiftcall)) extern bool swift_task_isCancelled(void *task);

bool rio_task_is_cancelled(void) {
  void *task = swift_task_getCurrent();
  return task != NULL && swift_task_isCancelled(task);
}
