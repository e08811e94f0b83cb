// Searching memory for a few bytes in their order.

#include "platform.h"

#include <string.h>

const void *rio_find(const void *memory, size_t count, const void *pattern, size_t length) {
  return memmem(memory, count, pattern, length);
}

const void *rio_find_last(const void *memory, size_t count, const void *pattern, size_t length) {
  const unsigned char *first = memory, *wanted = pattern;
  if (length > count) return NULL;
  for (const unsigned char *place = first + (count - length);; place--) {
    if (*place == *wanted && memcmp(place, wanted, length) == 0) return place;
    if (place == first) return NULL;
  }
}
