// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/gemm_words.h"

#include <string.h>

#include "backends/cpu/linalg/matrix.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "ops/kernel.h"
#include "ops/library.h"

#if defined(__x86_64__)
#include <cpuid.h>

// Not every machine of level 2 has these.
static bool has_bf16(void) {
  unsigned a, b, c, d;
  return oyi_cpu_level() == 2 && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
         (a & 1u << 5) != 0;
}
static bool has_vnni(void) {
  unsigned a, b, c, d;
  return oyi_cpu_level() == 2 && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
         (c & bit_AVX512VNNI) != 0;
}

// Asked once: under a hypervisor cpuid takes longer than a small product. |known| is -1 before.
static bool once(int* known, bool (*ask)(void)) {
  int has = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (has < 0) {
    has = ask();
    __atomic_store_n(known, has, __ATOMIC_RELAXED);
  }
  return has;
}

oyi_gemm_fn oyi_gemm_i8_i32(void) {
  static int known = -1;
  return once(&known, has_vnni) ? oyi_gemm_words_i8_i32 : NULL;
}
oyi_gemm_fn oyi_gemm_bf16_f32(void) {
  static int known = -1;
  return once(&known, has_bf16) ? oyi_gemm_words_bf16_f32 : NULL;
}

// Products with vectors, and what is smaller than a tile, are not worth packing, but for long rows
// and columns, which take longer one by one.
static inline bool fills_tiles(const oyi_gemm* g) {
  enum { LONG = 16, MANY = 512 };
  if (g->n >= 4 && g->m >= 4) return g->k >= 4;
  return g->n > 1 && g->m > 1 && g->k >= LONG && g->n * g->m >= MANY / LONG &&
         g->a_column == 1 && g->b_row == 1;
}

// Rows that are added, in c itself, for kernels that read it there.
static oyi_gemm with_added(const oyi_gemm* given) {
  oyi_gemm g = *given;
  const uint16_t* from = g.added;
  uint16_t* to = g.c;
  for (int64_t i = 0; i < g.n; i++, from += g.added_row, to += g.c_row)
    memcpy(to, from, (size_t)g.m * sizeof(*to));
  g.added = NULL;
  return g;
}

static oy_status multiply_bf16(const oyi_gemm* given) {
  const bool turns = given->n == 1 && given->m > 1;
  const oyi_gemm flipped = oyi_gemm_flipped(given), *g = turns ? &flipped : given;
  if (g->added && !oyi_number_is_zero(g->beta)) {
    // Of a part of the rows others may take less.
    if (oyi_gemm_bf16_reads_added(g) && oyi_gemm_wide_bf16(g)) return OY_OK;
    const oyi_gemm whole = with_added(given);
    return multiply_bf16(&whole);
  }
  if (oyi_gemm_short_bf16(g) || oyi_gemm_wide_bf16(g)) return OY_OK;
  return g->n > 1 && g->m > 1 && g->k > 1 ? oyi_gemm_words_bf16(g)
                                          : oyi_gemm_portable(OY_DTYPE_BF16)(g);
}
static oy_status multiply_i8(const oyi_gemm* g) {
  return fills_tiles(g) ? oyi_gemm_words_i8(g) : oyi_gemm_portable(OY_DTYPE_I8)(g);
}
static oy_status multiply_u8(const oyi_gemm* g) {
  return fills_tiles(g) ? oyi_gemm_words_u8(g) : oyi_gemm_portable(OY_DTYPE_U8)(g);
}

static oyi_gemm_fn pick(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BF16: return multiply_bf16;
    case OY_DTYPE_I8: return multiply_i8;
    case OY_DTYPE_U8: return multiply_u8;
    default: return oyi_gemm_portable(dtype);
  }
}

#define KERNEL(id)          static OYI_TYPED_KERNEL(id, words_##id)
#define PICK                pick
#define RUN(function, call) function(call)
#include "backends/cpu/linalg/matrix_rows_tmpl.h"

enum { PRIORITY = 100 };  // above the portable ones
#define ROW(id, dtype)                                               \
  {                                                                  \
    OYI_OP_##id, OY_FOR_DTYPE(OY_DTYPE_##dtype), PRIORITY, __LINE__, \
        (oy_typed_fn)words_##id, __FILE__                            \
  }
#define ROWS(dtype)                                                                      \
  ROW(mm, dtype), ROW(mm_out, dtype), ROW(bmm, dtype), ROW(bmm_out, dtype),              \
      ROW(addmm, dtype), ROW(addmm_out, dtype), ROW(addmm_, dtype), ROW(baddbmm, dtype), \
      ROW(baddbmm_out, dtype), ROW(baddbmm_, dtype), ROW(addbmm, dtype),                 \
      ROW(addbmm_out, dtype), ROW(addbmm_, dtype)
static const oyi_kernel_row g_bf16[] = {ROWS(BF16)};
static const oyi_kernel_row g_bytes[] = {ROWS(I8), ROWS(U8)};

oy_status oyi_register_gemm_words(oy_library* library) {
  if (has_bf16())
    OY_TRY(oyi_register_rows(library, OY_KEY_CPU, g_bf16, OY_ARRAY_SIZE(g_bf16)));
  if (has_vnni())
    OY_TRY(oyi_register_rows(library, OY_KEY_CPU, g_bytes, OY_ARRAY_SIZE(g_bytes)));
  return OY_OK;
}
#else
oyi_gemm_fn oyi_gemm_i8_i32(void) {
  return NULL;
}
oyi_gemm_fn oyi_gemm_bf16_f32(void) {
  return NULL;
}
bool oyi_gemm_bf16_reads_added(const oyi_gemm* g) {
  (void)g;
  return false;
}
oy_status oyi_register_gemm_words(oy_library* library) {
  (void)library;
  return OY_OK;
}
#endif
