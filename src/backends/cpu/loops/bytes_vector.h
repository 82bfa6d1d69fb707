// SPDX-License-Identifier: Apache-2.0
// Products of bytes by vectors. There is no instruction for them: compilers widen both operands
// and narrow what comes out. Here every other byte is multiplied in the low half of a word, and
// those between in the high half, so that nothing moves. Signs do not matter to the low bits.
// Rows shorter than a vector, or with other steps, go through what the line made.
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

// |n| bytes, at least a vector; |q| may be the same everywhere. The last vector lies over those
// before it and is read first, because the output may be an operand.
static inline __attribute__((always_inline)) void multiply_bytes(int64_t n, uint8_t* o,
                                                                 const uint8_t* p,
                                                                 const uint8_t* q,
                                                                 const bool same) {
  const byte_pairs zero = {0}, first = zero + (uint16_t)(*q * 0x0101);
#define AT(x, i)   ((byte_pairs) * (const byte_pairs_anywhere*)(const void*)((x) + (i)))
#define PRODUCT(i) byte_products(AT(p, i), same ? first : AT(q, i))
  const byte_pairs last = PRODUCT(n - BYTES);
  OYI_UNROLL_BY(2)
  for (int64_t i = 0; i + BYTES <= n; i += BYTES)
    *(byte_pairs_anywhere*)(void*)(o + i) = (byte_pairs_anywhere)PRODUCT(i);
  *(byte_pairs_anywhere*)(void*)(o + n - BYTES) = (byte_pairs_anywhere)last;
#undef PRODUCT
#undef AT
}

// False: it is no such row.
static bool mul_bytes(int64_t n, char* const* data, const int64_t* strides) {
  uint8_t* o = (uint8_t*)data[0];
  const uint8_t *p = (const uint8_t*)data[1], *q = (const uint8_t*)data[2];
  if (n < BYTES || strides[0] != 1) return false;
  if (strides[1] == 1 && strides[2] == 1)
    multiply_bytes(n, o, p, q, false);
  else if (strides[1] == 1 && strides[2] == 0)
    multiply_bytes(n, o, p, q, true);
  else if (strides[1] == 0 && strides[2] == 1)
    multiply_bytes(n, o, q, p, true);
  else
    return false;
  return true;
}
static void mul_vector_u8(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  if (!mul_bytes(n, data, strides)) mul_u8(n, data, strides, args);
}
static void mul_vector_i8(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  if (!mul_bytes(n, data, strides)) mul_i8(n, data, strides, args);
}
