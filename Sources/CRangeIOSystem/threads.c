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

uint32_t rio_thread_number_assign(void) {
  static _Atomic uint32_t last = 0;
  do rio_thread_number_kept = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
  while (rio_thread_number_kept == 0);
  return rio_thread_number_kept;
}

// ABI-stable entry points of Swift's concurrency runtime (stdlib/public/Concurrency, Task.swift calls both), which every
// program that links this library has.
__attribute__((swiftcall)) extern void *swift_task_getCurrent(void);
__attribute__((swiftcall)) extern bool swift_task_isCancelled(void *task);

bool rio_task_is_cancelled(void) {
  void *task = swift_task_getCurrent();
  return task != NULL && swift_task_isCancelled(task);
}
