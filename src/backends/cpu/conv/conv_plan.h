// SPDX-License-Identifier: Apache-2.0
// A convolution, or its adjoint, as sums over copies of what it reads (conv_phases.h).
//
// A convolution is one pass: windows step over the image, and each sum is an element of
// the maps. The adjoint is one pass for each phase of the image: elements that are
// |stride| apart see the same elements of the kernel, and over these a pass is a
// convolution of the maps with stride 1.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PLAN_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PLAN_H_

#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/conv/convolve.h"

// Along a dimension, how far the elements of a kernel are from the first of the image that
// a window sees: |count| of them, |step| apart from |first| on.
typedef struct oyi_conv_reach {
  int64_t count, first, step;
} oyi_conv_reach;

typedef struct oyi_conv_pass {
  int64_t taps, depth;     // elements of the kernel, and over all channels
  const int64_t* tap;      // which ones
  const int64_t* offsets;  // |depth|
  const char* weights;     // group, block of rows, |depth|, row; zeros behind the last
  int64_t first[OYI_SPATIAL], step[OYI_SPATIAL];  // where its sums go, in each dimension
  oyi_conv_reach reach[OYI_SPATIAL];
} oyi_conv_pass;

// Puts |count| lines of |length| elements, |step| apart, in columns of a block's rows, with
// zeros behind the last line.
typedef void oyi_conv_pack(const void* in, int64_t count, int64_t step, int64_t length,
                           void* out);

// The same of a few |rows|, of elements of |item| bytes, without zeros.
void oyi_conv_pack_few(int64_t item, int64_t rows, const char* in, int64_t count,
                       int64_t step, int64_t length, char* out);

typedef struct oyi_conv_plan {
  const oyi_convolve* v;
  oyi_conv conv;           // that the copies are for: its map has the sums of a pass
  oyi_conv_phases phases;  // of |conv|
  bool back;
  int64_t in, out;            // channels of a group that are read, and written
  const char* from;           // |in| channels of each group
  char* to;                   // |out| of each group
  int64_t size[OYI_SPATIAL];  // of a channel of |to|
  int64_t rows, blocks;       // of a block, and of a group
  oyi_conv_pack* pack;        // of the weights of a block
  bool by_line;             // tiles of maps go over lines of the kernel, without padding
  int64_t count, together;  // passes
  oyi_conv_pass* passes;
  int64_t *taps, *offsets;
  char* weights;
  void* block;
} oyi_conv_plan;

// Not for other types than F32 and F64, or where padding would be most of a copy: false.
bool oyi_conv_plan_begin(oyi_conv_plan* p, const oyi_convolve* v, bool back);
// Fills |passes|, with weights in blocks of |rows|, by |pack|; NULL: few rows.
oy_status oyi_conv_plan_fill(oyi_conv_plan* p, int64_t rows, oyi_conv_pack* pack);
void oyi_conv_plan_end(oyi_conv_plan* p);

// Passes whose sums are neighbours, side by side: |together| of them, from the
// |together| x i-th on. Then those of neighbouring windows, put together by
// oyi_conv_plan_mix, are a stretch of a line of |to|.
enum { OYI_CONV_TOGETHER = 4 };

// Of the sums of |count| windows from |at| on, put together: those that fall inside, from
// |from| on, |count| of them, go to |out|, |step| apart.
typedef struct oyi_conv_stretch {
  int64_t from, count, out, step;
} oyi_conv_stretch;

oyi_conv_stretch oyi_conv_plan_stretch(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                       const int64_t at[OYI_SPATIAL], int64_t count);
// Which of the elements of the kernel fall on the image along dimension |d|, for windows
// at |at|: the others fall on padding. None: |to| is |from|.
typedef struct oyi_conv_part {
  int64_t from, to;
} oyi_conv_part;

oyi_conv_part oyi_conv_plan_inside(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                   size_t d, int64_t at);
// Whether no element of the kernel falls on what passes that are together write.
bool oyi_conv_plan_is_empty(const oyi_conv_plan* p, const oyi_conv_pass* passes);
// |sums|: |count| of each pass, |pitch| elements apart.
void oyi_conv_plan_mix(const oyi_conv_plan* p, const char* sums, int64_t pitch,
                       int64_t count, char* mixed);
// Stores a stretch of |sums| in |channel|, of |to|; |bias| NULL: none.
void oyi_conv_plan_store(const oyi_conv_plan* p, const oyi_conv_stretch* s,
                         const char* sums, const char* bias, char* channel);

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PLAN_H_
