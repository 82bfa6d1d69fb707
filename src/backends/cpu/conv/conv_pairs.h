// SPDX-License-Identifier: Apache-2.0
// Convolutions of bfloat16, and their adjoints, by dot products of pairs (AVX512_BF16). Two
// channels that are read lie side by side: a pair has the size of a float, so that pairs are
// copied, packed and read as floats are (convolve_shifted.c), and only tiles compute otherwise.
// Sums are of floats, in which subnormal numbers count as zero.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PAIRS_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PAIRS_H_

#include "backends/cpu/conv/conv_tiles.h"
#include "backends/cpu/conv/convolve.h"

// Whether |v|, which is of floats, takes longer than the same of pairs, and the machine can do
// these. Looks at sizes alone.
bool oyi_convolve_suits_pairs(const oyi_convolve* v, bool back);
// As oyi_convolve_maps, or with |back| oyi_convolve_images, where what is read is of bfloat16, and
// what is written of float, as |bias| is.
oy_status oyi_convolve_by_pairs(const oyi_convolve* v, bool back);

// For machines that have the instructions: of tiles for float, those that read pairs.
void oyi_conv_tiles_take_pairs(oyi_conv_tiles* tiles);
// Two lines as one of pairs; |second| NULL: zeros.
void oyi_conv_pair_lines(const uint16_t* first, const uint16_t* second, int64_t count,
                         uint32_t* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PAIRS_H_
