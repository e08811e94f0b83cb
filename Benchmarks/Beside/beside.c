// beside FILE: reads 4 KiB at random places of FILE, one after the other, until it is told to end (SIGTERM). Prints how many reads
// a second that were, and the share of FILE that the page cache has at the end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { block = 4096 };
static volatile sig_atomic_t is_over;
static void end(int number) { is_over = number; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  signal(SIGTERM, end);
  int file = open(arguments[1], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return perror(arguments[1]), 1;
  uint64_t blocks = status.st_size / block, number = 88172645463325252u, reads = 0;
  static char bytes[block];
  double begun = now();
  while (!is_over) {
    number ^= number << 13, number ^= number >> 7, number ^= number << 17;
    if (pread(file, bytes, block, (off_t)(number % blocks * block)) != block) return perror("pread"), 1;
    reads++;
  }
  double taken = now() - begun;
  void *mapped = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED, file, 0);
  unsigned char *resident = malloc(blocks);
  if (mapped == MAP_FAILED || !resident || mincore(mapped, status.st_size, resident) < 0) return perror("mincore"), 1;
  uint64_t held = 0;
  for (uint64_t i = 0; i < blocks; i++) held += resident[i] & 1;
  printf("%f %f\n", reads / taken, (double)held / blocks);
}
