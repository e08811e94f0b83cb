// shared_cost CLIENT PORT SIZE COUNT [DEPTH]: what a hit costs in C, DEPTH values at a time over one connection. Fills the
// engine with 1,024 values first. Prints what SharedCost prints. CLIENT is one of
//   libmemcached  memcached_mget of DEPTH keys, memcached_fetch_result
//   pipelined     meta commands by hand, DEPTH under way at any time, each value received where it stays
//   hiredis       DEPTH commands appended, DEPTH replies got
// shared-cost.sh builds it: cc -O2 shared_cost.c -o shared_cost -lmemcached -lhiredis
#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <libmemcached/memcached.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { VALUES = 1024, KEY = 44, MOST = 1024 };
static size_t size;
static int port, depth = 32;
static char keys[VALUES][KEY + 1];

static void fail(const char *what) {
  fprintf(stderr, "shared_cost: %s\n", what);
  exit(1);
}

// Each value holds its own number.
static int value_of(int number) { return (int)((uint64_t)number * 7919 % VALUES); }

static void check(const char *value, size_t count, int number) {
  int64_t first, last;
  if (count != size) fail("a value of another size");
  memcpy(&first, value, 8);
  memcpy(&last, value + size - 8, 8);
  if (first != number || last != number) fail("another value");
}

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int connected(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int socket_ = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof address)) fail("no connection");
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket_;
}

// MARK: libmemcached

static void with_libmemcached(int count) {
  memcached_st *client = memcached_create(NULL);
  memcached_server_add(client, "127.0.0.1", port);
  memcached_behavior_set(client, MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
  const char *names[MOST];
  size_t lengths[MOST];
  for (int done = 0; done < count; done += depth) {
    int batch = count - done < depth ? count - done : depth;
    for (int place = 0; place < batch; place++) {
      names[place] = keys[value_of(done + place)];
      lengths[place] = KEY;
    }
    if (memcached_failed(memcached_mget(client, names, lengths, batch))) fail("mget");
    int got = 0;
    memcached_return_t status;
    memcached_result_st *result;
    while ((result = memcached_fetch_result(client, NULL, &status))) {
      int number = atoi(memcached_result_key_value(result) + KEY - 7);
      check(memcached_result_value(result), memcached_result_length(result), number);
      memcached_result_free(result);
      got++;
    }
    if (got != batch) fail("a value is missing");
  }
  memcached_free(client);
}

// MARK: by hand

static void with_pipelining(int count) {
  int connection = connected(), sent = 0, done = 0;
  char text[128 * MOST], head[65536];
  size_t held = 0;
  while (done < count) {
    int length = 0;
    // Half of the depth at once, so that commands share a system call.
    if (sent - done <= depth / 2) {
      for (; sent < count && sent - done < depth; sent++) length += sprintf(text + length, "mg %s v\r\n", keys[value_of(sent)]);
      if (length && send(connection, text, length, 0) != length) fail("send");
    }
    // The line, and what follows it.
    char *end;
    while (!(end = memchr(head, '\n', held))) {
      ssize_t got = recv(connection, head + held, sizeof head - held, 0);
      if (got <= 0) fail("recv");
      held += got;
    }
    size_t announced;
    if (sscanf(head, "VA %zu", &announced) != 1 || announced != size) fail("a value is missing");
    size_t line = end + 1 - head, filled = held - line, whole = size + 2;
    char *value = malloc(whole);
    if (filled > whole) filled = whole;
    memcpy(value, head + line, filled);
    memmove(head, head + line + filled, held - line - filled);
    held -= line + filled;
    while (filled < whole) {
      ssize_t got = recv(connection, value + filled, whole - filled, 0);
      if (got <= 0) fail("recv");
      filled += got;
    }
    check(value, size, value_of(done));
    free(value);
    done++;
  }
  close(connection);
}

// MARK: hiredis

static void with_hiredis(int count) {
  redisContext *client = redisConnect("127.0.0.1", port);
  if (!client || client->err) fail("no connection");
  for (int done = 0; done < count; done += depth) {
    int batch = count - done < depth ? count - done : depth;
    for (int place = 0; place < batch; place++) redisAppendCommand(client, "GET %s", keys[value_of(done + place)]);
    for (int place = 0; place < batch; place++) {
      redisReply *reply;
      if (redisGetReply(client, (void **)&reply) != REDIS_OK || reply->type != REDIS_REPLY_STRING) fail("a value is missing");
      check(reply->str, reply->len, value_of(done + place));
      freeReplyObject(reply);
    }
  }
  redisFree(client);
}

static void fill(int is_redis) {
  char *value = calloc(1, size);
  int connection = connected();
  for (int64_t number = 0; number < VALUES; number++) {
    memcpy(value, &number, 8);
    memcpy(value + size - 8, &number, 8);
    char text[512], answer[64];
    int length = is_redis ? snprintf(text, sizeof text, "*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%zu\r\n", KEY, keys[number], size)
                          : snprintf(text, sizeof text, "set %s 0 0 %zu\r\n", keys[number], size);
    send(connection, text, length, 0);
    for (size_t sent = 0; sent < size;) sent += send(connection, value + sent, size - sent, 0);
    send(connection, "\r\n", 2, 0);
    if (recv(connection, answer, sizeof answer, 0) <= 0 || (answer[0] != 'S' && answer[0] != '+')) fail("a value is not stored");
  }
  close(connection);
  free(value);
}

int main(int argc, char **argv) {
  if (argc < 5) fail("usage: shared_cost libmemcached|pipelined|hiredis PORT SIZE COUNT [DEPTH]");
  port = atoi(argv[2]);
  size = strtoul(argv[3], NULL, 10);
  int count = atoi(argv[4]);
  if (argc > 5) depth = atoi(argv[5]);
  if (depth < 1 || depth > MOST || size < 16) fail("the depth is 1 to 1,024, the size at least 16");
  for (int number = 0; number < VALUES; number++) sprintf(keys[number], "a-key-of-the-usual-length-for-a-block%07d", number);
  void (*run)(int) = !strcmp(argv[1], "hiredis") ? with_hiredis : !strcmp(argv[1], "pipelined") ? with_pipelining : with_libmemcached;
  fill(run == with_hiredis);
  run(count / 10);
  double wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
  run(count);
  wall = now(CLOCK_MONOTONIC) - wall;
  processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
  printf("%f %f %f\n", wall / count, processor / count, (double)size * count / wall);
}
