// What another kernel, or the program that the library is part of, does: loaded before the tool, by LD_PRELOAD.
//
// FLOCK_ERRNO: flock fails with that number, as where a mount or a sandbox has none.
// Otherwise SIGUSR1 has the process fork a child that never ends, and holds all that it had open, as a worker does. The child
// says its number.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

int flock(int descriptor, int operation) {
  const char *number = getenv("FLOCK_ERRNO");
  if (!number) return syscall(SYS_flock, descriptor, operation);
  errno = atoi(number);
  return -1;
}

static void forkChild(int signal) {
  if (fork() != 0) return;
  char line[32];
  int count = snprintf(line, sizeof line, "child %d\n", getpid());
  if (write(2, line, count) < 0) _exit(1);
  for (;;) pause();
}

__attribute__((constructor)) static void begin(void) { signal(SIGUSR1, forkChild); }
