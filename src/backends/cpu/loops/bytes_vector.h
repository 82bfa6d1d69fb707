// SPDX-License-Identifier: Apache-2.0
// Products of bytes by vectors, and sums and differences of what is multiplied by 1. There is no
// instruction for products: compilers widen both operands and narrow what comes out. Here every
// other byte is multiplied in the low half of a word, and those between in the high half, so
// that nothing moves. Signs do not matter to the low bits. Rows shorter than a vector, or with
// other steps, go through what the line made.
#if defined(__AVX512BW__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
typedef uint16_t byte_pairs __attribute__((vector_size(BYTES)));
typedef uint16_t byte_pairs_anywhere
    __attribute__((vector_size(BYTES), aligned(1), may_alias));

static inline byte_pairs byte_products(byte_pairs a, byte_pairs b) {
  const byte_pairs low = a * b & 0x00ff, high = (a >> 8) * (b & 0xff00);
  return low | high;
}

typedef uint8_t bytes __attribute__((vector_size(BYTES)));
typedef enum byte_result { PRODUCT, SUM, DIFFERENCE } byte_result;

static inline __attribute__((always_inline)) byte_pairs bytes_of(byte_result what,
                                                                 byte_pairs a,
                                                                 byte_pairs b) {
  if (what == PRODUCT) return byte_products(a, b);
  return (byte_pairs)(what == SUM ? (bytes)a + (bytes)b : (bytes)a - (bytes)b);
}

// |n| bytes, at least a vector; an operand may be the same everywhere. Vectors are written where
// a line begins; the first and the last lie over those, and are read before, because the output
// may be an operand.
static inline __attribute__((always_inline)) void bytes_row(byte_result what, int64_t n,
                                                            uint8_t* o, const uint8_t* p,
                                                            bool p_same, const uint8_t* q,
                                                            bool q_same) {
  const byte_pairs zero = {0};
  const byte_pairs a = zero + (uint16_t)(*p * 0x0101), b = zero + (uint16_t)(*q * 0x0101);
#define AT(x, i)  ((byte_pairs) * (const byte_pairs_anywhere*)(const void*)((x) + (i)))
#define RESULT(i) bytes_of(what, p_same ? a : AT(p, i), q_same ? b : AT(q, i))
  const byte_pairs first = RESULT(0), last = RESULT(n - BYTES);
  OYI_UNROLL_BY(2)
  for (int64_t i = (int64_t)(-(uintptr_t)o % BYTES); i + BYTES <= n; i += BYTES)
    *(byte_pairs_anywhere*)(void*)(o + i) = (byte_pairs_anywhere)RESULT(i);
  *(byte_pairs_anywhere*)(void*)o = (byte_pairs_anywhere)first;
  *(byte_pairs_anywhere*)(void*)(o + n - BYTES) = (byte_pairs_anywhere)last;
#undef RESULT
#undef AT
}

// False: it is no such row.
static inline __attribute__((always_inline)) bool bytes_by(byte_result what, int64_t n,
                                                           char* const* data,
                                                           const int64_t* strides) {
  uint8_t* o = (uint8_t*)data[0];
  const uint8_t *p = (const uint8_t*)data[1], *q = (const uint8_t*)data[2];
  if (n < BYTES || strides[0] != 1) return false;
  if (strides[1] == 1 && strides[2] == 1)
    bytes_row(what, n, o, p, false, q, false);
  else if (strides[1] == 1 && strides[2] == 0)
    bytes_row(what, n, o, p, false, q, true);
  else if (strides[1] == 0 && strides[2] == 1)
    bytes_row(what, n, o, p, true, q, false);
  else
    return false;
  return true;
}

static bool mul_bytes(int64_t n, char* const* data, const int64_t* strides) {
  return bytes_by(PRODUCT, n, data, strides);
}
static void mul_vector_u8(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  if (!mul_bytes(n, data, strides)) mul_u8(n, data, strides, args);
}
static void mul_vector_i8(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  if (!mul_bytes(n, data, strides)) mul_i8(n, data, strides, args);
}

// What the second operand is multiplied by comes first in |args|.
static bool is_by_one(const void* args) {
  return args && *(const uint8_t*)args == 1;
}
static bool add_bytes(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  return is_by_one(args) && bytes_by(SUM, n, data, strides);
}
static bool sub_bytes(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  return is_by_one(args) && bytes_by(DIFFERENCE, n, data, strides);
}
#define BYTES_BY_ONE(name, id)                                                         \
  static void name##_vector_##id(int64_t n, char* const* data, const int64_t* strides, \
                                 const void* args) {                                   \
    if (!name##_bytes(n, data, strides, args)) name##_##id(n, data, strides, args);    \
  }
BYTES_BY_ONE(add, u8)
BYTES_BY_ONE(add, i8)
BYTES_BY_ONE(sub, u8)
BYTES_BY_ONE(sub, i8)
#undef BYTES_BY_ONE
