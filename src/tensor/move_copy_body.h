// SPDX-License-Identifier: Apache-2.0
// Copies of bytes that follow each other. For move_body.h.

// Two moves that may overlap, of a constant size that is half of |n| or more.
#define MOVE_ENDS(size)                    \
  do {                                     \
    char head[size], tail[size];           \
    memcpy(head, from, size);              \
    memcpy(tail, from + n - (size), size); \
    memcpy(to, head, size);                \
    memcpy(to + n - (size), tail, size);   \
  } while (0)

static inline void copy_short(char* to, const char* from, size_t n) {
  if (n >= 16)
    MOVE_ENDS(16);
  else if (n >= 8)
    MOVE_ENDS(8);
  else if (n >= 4)
    MOVE_ENDS(4);
  else
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

// A vector or more, the last one over the end of the one before.
static inline void copy_row(char* to, const char* from, size_t n) {
  size_t i = 0;
  for (; i + BLOCK <= n; i += BLOCK) move_block(to + i, from + i);
  for (; i + VECTOR <= n; i += VECTOR) move_vector(to + i, from + i);
  if (i < n) move_vector(to + n - VECTOR, from + n - VECTOR);
}

static inline void copy_vectors(char* to, const char* from, size_t n) {
  size_t i = 0;
  for (; i + VECTOR < n; i += VECTOR) move_vector(to + i, from + i);
  move_vector(to + n - VECTOR, from + n - VECTOR);
}

// By an instruction for copies, which does not read the lines that it fills; slow where the target
// lies a little above the source, modulo a page. The C library knows which processors have it, but
// takes it only for what caches of the second level hold.
static bool copy_at_once(char* to, const char* from, size_t n) {
  enum { PAGE = 4096, LEAST = 24 << 10 };
  const uintptr_t above = ((uintptr_t)to - (uintptr_t)from) % PAGE;
  if (n < LEAST || to == from || (above > 0 && above < LINE)) return false;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 1) {
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return true;
  }
#endif
  memcpy(to, from, n);
  return true;
}

// From a line on that the target begins: a vector across two lines is written twice.
static void copy_long(char* to, const char* from, size_t n) {
  if (copy_at_once(to, from, n)) return;
  size_t i = LINE - ((uintptr_t)to & (LINE - 1));
  copy_row(to, from, i < VECTOR ? VECTOR : i);
  for (; i + BLOCK <= n; i += BLOCK) move_block(to + i, from + i);
  if (i < n) move_block(to + n - BLOCK, from + n - BLOCK);
}

static void copy(char* to, const char* from, size_t n) {
  if (n <= 32)
    copy_short(to, from, n);
  else if (n < 4 * BLOCK)
    copy_row(to, from, n);
  else
    copy_long(to, from, n);
}
