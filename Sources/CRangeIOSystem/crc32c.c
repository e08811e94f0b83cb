// CRC-32C, the polynomial of Castagnoli, in the bit order of RFC 3720: bit 31 is the coefficient of x^0.
//
// Processors have an instruction for 8 bytes. One can begin each cycle, but its result comes after three: long inputs are
// cut into three lanes, whose sums are computed side by side and then joined.
#include "platform.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// MARK: software

/// slices[k][b]: the sum of the byte b and k zero bytes after it (Kounavis, Berry: "A systematic approach to building high
/// performance software-based CRC generators", 2005).
static uint32_t slices[8][256];
static pthread_once_t slices_once = PTHREAD_ONCE_INIT;

static void make_slices(void) {
  const uint32_t polynomial = 0x82f63b78;
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >> 1) ^ polynomial : sum >> 1;
    slices[0][byte] = sum;
  }
  for (int zeros = 1; zeros < 8; zeros++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      uint32_t sum = slices[zeros - 1][byte];
      slices[zeros][byte] = (sum >> 8) ^ slices[0][sum & 0xff];
    }
  }
}

uint32_t rio_crc32c_software(uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  uint32_t sum = ~crc;
  pthread_once(&slices_once, make_slices);
  for (; count >= 8; at += 8, count -= 8) {
    sum = slices[7][(sum ^ at[0]) & 0xff] ^ slices[6][((sum >> 8) ^ at[1]) & 0xff] ^
          slices[5][((sum >> 16) ^ at[2]) & 0xff] ^ slices[4][(sum >> 24) ^ at[3]] ^ slices[3][at[4]] ^
          slices[2][at[5]] ^ slices[1][at[6]] ^ slices[0][at[7]];
  }
  for (; count > 0; at++, count--) sum = (sum >> 8) ^ slices[0][(sum ^ *at) & 0xff];
  return ~sum;
}

// MARK: the processor's instruction

// What differs: `step`, the instruction for 8 bytes; `step_byte`; and `product`, which multiplies without carries.
#if defined(__x86_64__)

#define HAS_INSTRUCTION 1
#define USES_SUMS __attribute__((target("sse4.2")))
#define USES_PRODUCTS __attribute__((target("sse4.2,pclmul")))

USES_SUMS static inline uint32_t step(uint32_t sum, uint64_t word) { return (uint32_t)_mm_crc32_u64(sum, word); }
USES_SUMS static inline uint32_t step_byte(uint32_t sum, uint8_t byte) { return _mm_crc32_u8(sum, byte); }
USES_PRODUCTS static inline uint64_t product(uint32_t a, uint32_t b) {
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)a), _mm_cvtsi32_si128((int)b), 0));
}

static void detect(bool *sums, bool *products) {
  unsigned a, b, c = 0, d;
  *sums = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
  *products = *sums && (c & bit_PCLMUL);
}

#elif defined(__aarch64__)

#define HAS_INSTRUCTION 1
#define USES_SUMS __attribute__((target("crc")))
#define USES_PRODUCTS __attribute__((target("crc,aes")))

USES_SUMS static inline uint32_t step(uint32_t sum, uint64_t word) { return __builtin_arm_crc32cd(sum, word); }
USES_SUMS static inline uint32_t step_byte(uint32_t sum, uint8_t byte) { return __builtin_arm_crc32cb(sum, byte); }
USES_PRODUCTS static inline uint64_t product(uint32_t a, uint32_t b) {
  return vgetq_lane_u64(vreinterpretq_u64_p128(vmull_p64((poly64_t)a, (poly64_t)b)), 0);
}

static void detect(bool *sums, bool *products) { rio_platform_detect(sums, products); }

#endif

typedef uint32_t (*crc_function)(uint32_t crc, const void *bytes, size_t count);

#if HAS_INSTRUCTION

static inline uint64_t word_at(const uint8_t *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

USES_SUMS static inline uint32_t one_lane(uint32_t sum, const uint8_t *at, size_t count) {
  for (; count >= 8; at += 8, count -= 8) sum = step(sum, word_at(at));
  for (; count > 0; at++, count--) sum = step_byte(sum, *at);
  return sum;
}

/// The sum of three lanes of `lane` bytes each.
///
/// A sum followed by n zero bytes is the sum times x^(8n) mod P. The product of two sums stands one bit too low in its 64
/// bits, which is a factor of x, and `step` multiplies by x^32: the other factor is x^(8n - 33) mod P, with n = 2 * lane
/// for the first lane (`over_two`) and n = lane for the second (`over_one`).
USES_PRODUCTS static inline uint32_t three_lanes(
    uint32_t first, const uint8_t *at, size_t lane, uint32_t over_one, uint32_t over_two) {
  uint32_t second = 0, third = 0;
  for (size_t i = 0; i < lane; i += 8) {
    first = step(first, word_at(at + i));
    second = step(second, word_at(at + lane + i));
    third = step(third, word_at(at + 2 * lane + i));
  }
  return third ^ step(0, product(first, over_two) ^ product(second, over_one));
}

USES_SUMS static uint32_t by_instruction(uint32_t crc, const void *bytes, size_t count) {
  return ~one_lane(~crc, bytes, count);
}

USES_PRODUCTS static uint32_t in_three_lanes(uint32_t crc, const void *bytes, size_t count) {
  enum { long_lane = 2048, short_lane = 128 };
  const uint32_t over_long = 0xa51b6135, over_two_long = 0x82f89c77;  // x^(8n - 33) mod P for n = 2048, 4096,
  const uint32_t over_short = 0x0d3b6092, over_two_short = 0xb9e02b86;  // 128, 256
  const uint8_t *at = bytes;
  uint32_t sum = ~crc;
  for (; count >= 3 * long_lane; at += 3 * long_lane, count -= 3 * long_lane) {
    sum = three_lanes(sum, at, long_lane, over_long, over_two_long);
  }
  for (; count >= 3 * short_lane; at += 3 * short_lane, count -= 3 * short_lane) {
    sum = three_lanes(sum, at, short_lane, over_short, over_two_short);
  }
  return ~one_lane(sum, at, count);
}

static crc_function best(void) {
  bool sums, products;
  detect(&sums, &products);
  return products ? in_three_lanes : sums ? by_instruction : rio_crc32c_software;
}

#else

static crc_function best(void) { return rio_crc32c_software; }

#endif

static uint32_t choose(uint32_t crc, const void *bytes, size_t count);

/// At first the one that chooses. Threads that race for it choose the same.
static _Atomic(crc_function) chosen = choose;

static uint32_t choose(uint32_t crc, const void *bytes, size_t count) {
  crc_function function = best();
  atomic_store_explicit(&chosen, function, memory_order_relaxed);
  return function(crc, bytes, count);
}

uint32_t rio_crc32c(uint32_t crc, const void *bytes, size_t count) {
  return atomic_load_explicit(&chosen, memory_order_relaxed)(crc, bytes, count);
}
