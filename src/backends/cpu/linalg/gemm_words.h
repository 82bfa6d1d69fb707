// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 and of bytes by the dot products of AVX512_BF16 and AVX512_VNNI,
// as variants beside the portable kernels where the machine has these instructions.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_WORDS_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_WORDS_H_

#include "backends/cpu/linalg/gemm.h"
#include "opyard/library.h"

// Registers what the machine can do.
oy_status oyi_register_gemm_words(oy_library* library);
// Products of int8 as int32; NULL where the machine has no instruction for bytes.
oyi_gemm_fn oyi_gemm_i8_i32(void);
// Products of bfloat16 as float, likewise; as oyi_gemm_words_bf16 has them before they are rounded.
oyi_gemm_fn oyi_gemm_bf16_f32(void);

// For every machine of level 2: what the portable kernel of float is there.
oy_status oyi_gemm_words_f32(const oyi_gemm* g);
// For those too, where rows of a and columns of b lie together; |by_row| is NULL or that of
// oyi_gemm_by_row.
void oyi_gemm_inner_f32(const oyi_gemm* g, const float* by_row);
// For those too: oyi_gemm_f32_reads_added, of at least four rows and columns.
bool oyi_gemm_words_f32_reads_added(const oyi_gemm* g, int64_t results);
// For those too: oyi_gemm_by_row.
bool oyi_gemm_words_f32_by_row(const oyi_gemm* g, const float* by_row);
// For machines that have the instructions. Sums in float, in an order that depends on the sizes of
// the operands alone; products are exact. Subnormal numbers count as zero, in operands,
// sums and results.
oy_status oyi_gemm_words_bf16(const oyi_gemm* g);
oy_status oyi_gemm_words_bf16_f32(const oyi_gemm* g);  // c is of float
// Those of short rows, and of few columns, with sums in the order of k: false where it is no such
// product, and nothing is written.
bool oyi_gemm_short_bf16(const oyi_gemm* g);
// Of rows of up to 16 numbers, likewise. It reads what |g| has added where that is.
bool oyi_gemm_wide_bf16(const oyi_gemm* g);
// Whether the registered product of bfloat16 takes such as |added| with |g|, of rows of c that lie
// together; a part of them may do too.
bool oyi_gemm_bf16_reads_added(const oyi_gemm* g);
// Sums wrap.
oy_status oyi_gemm_words_i8(const oyi_gemm* g);
oy_status oyi_gemm_words_u8(const oyi_gemm* g);
oy_status oyi_gemm_words_i8_i32(const oyi_gemm* g);  // c is of int32

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_WORDS_H_
