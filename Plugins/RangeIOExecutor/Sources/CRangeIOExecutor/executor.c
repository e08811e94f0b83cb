#include "platform.h"

#include "CRangeIOExecutor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct start {
  void (*body)(void *);
  void *context;
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
  rie_name_thread("rangeio-tasks");
  start.body(start.context);
  return NULL;
}

int rie_thread_start(void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (start == NULL) return -ENOMEM;
  start->body = body;
  start->context = context;

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Programs run here, not this library alone: what the system gives, and on Apple platforms twice that.
  const size_t least = 1024 * 1024;
  size_t stack = 0;
  if (pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < least)
    pthread_attr_setstacksize(&attributes, least);

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

static _Thread_local void *kept = NULL;

void *rie_thread_kept(void) { return kept; }
void rie_thread_keep(void *value) { kept = value; }

struct rie_lock {
  pthread_mutex_t mutex;
};

struct rie_lock *rie_lock_create(void) {
  struct rie_lock *lock = malloc(sizeof *lock);
  if (lock == NULL || pthread_mutex_init(&lock->mutex, NULL) != 0) abort();
  return lock;
}

void rie_lock_destroy(struct rie_lock *lock) {
  pthread_mutex_destroy(&lock->mutex);
  free(lock);
}

void rie_lock_lock(struct rie_lock *lock) { pthread_mutex_lock(&lock->mutex); }
void rie_lock_unlock(struct rie_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

struct rie_bed {
  pthread_cond_t woken;
};

struct rie_bed *rie_bed_create(void) {
  struct rie_bed *bed = malloc(sizeof *bed);
  if (bed == NULL || pthread_cond_init(&bed->woken, NULL) != 0) abort();
  return bed;
}

void rie_bed_destroy(struct rie_bed *bed) {
  pthread_cond_destroy(&bed->woken);
  free(bed);
}

bool rie_bed_doze(struct rie_bed *bed, struct rie_lock *lock, int64_t nanoseconds) {
  // A wall clock that is set makes an idle thread end earlier or later.
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  const int64_t nsec = end.tv_nsec + nanoseconds;
  end.tv_sec += nsec / 1000000000;
  end.tv_nsec = nsec % 1000000000;
  return pthread_cond_timedwait(&bed->woken, &lock->mutex, &end) != 0;
}

void rie_bed_wake(struct rie_bed *bed) { pthread_cond_signal(&bed->woken); }

int rie_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

int64_t rie_now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
