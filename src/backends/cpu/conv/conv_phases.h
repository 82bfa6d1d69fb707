// SPDX-License-Identifier: Apache-2.0
// A copy of an image's channels with their padding, and by phases: elements that are
// |stride| apart become neighbours. What an element of the kernel sees of all windows of
// a plane is then one stretch of that copy, shifted by an offset. Between the windows of
// one line and those of the next there may be some that begin in the padding. Phases that
// no element of the kernel falls on are left out.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PHASES_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PHASES_H_

#include "ops/rules/convolution.h"

// Elements of a channel of the image, and where they go in its copy.
typedef struct oyi_conv_move {
  int32_t from, to;
} oyi_conv_move;

typedef struct oyi_conv_phases {
  const oyi_conv* conv;
  int64_t item;  // bytes of an element: 4 or 8
  const struct oyi_conv_tiles* tiles;
  bool is_clear;  // padding is zeros in copies already, since one like it was there
  bool is_image;  // none are copied
  int64_t size[OYI_SPATIAL];  // of a phase
  int64_t step[OYI_SPATIAL];  // from a window to the next one
  int64_t count, volume;      // how many phases there are, and elements of each
  int64_t channel;            // elements of the copy of one channel
  int64_t plane;              // from the first window of a plane to the last
  oyi_conv_move* moves;       // NULL: line by line
  int64_t moved;              // of them
} oyi_conv_phases;

// For F32 or F64. False where padding would be most of the copy, or there are no windows.
bool oyi_conv_phases_begin(oyi_conv_phases* p, const oyi_conv* conv, oy_dtype dtype);
// Of what was begun so: those of |part|, which has fewer windows.
void oyi_conv_phases_cut(oyi_conv_phases* p, const oyi_conv* part);
// Whether the image could be read without a copy: neither padding nor strides.
bool oyi_conv_phases_are_image(const oyi_conv* conv);
// Whether no windows of a line but the first and the last see padding.
bool oyi_conv_has_thin_padding(const oyi_conv* conv);
// Then, sizes and offsets as they are in the image itself.
void oyi_conv_phases_use_image(oyi_conv_phases* p);
// |channels| that lie one after another, from and to the first element.
void oyi_conv_phases_copy(const oyi_conv_phases* p, const char* image, int64_t channels,
                          char* copy);
// Makes |moves|, where |channels| of lines so short are copied that these take less; to be
// freed by oyi_free. For copies of |conv| as it is: not of parts.
oy_status oyi_conv_phases_list(oyi_conv_phases* p, int64_t channels);
// What the kernel's element |k| reads, in the copy of a channel, for the first window.
int64_t oyi_conv_phases_place(const oyi_conv_phases* p, const int64_t k[OYI_SPATIAL]);
// The same of all its elements, over |channels| that lie one after another.
void oyi_conv_phases_offsets(const oyi_conv_phases* p, int64_t channels,
                             int64_t* out_offsets);

static inline int64_t oyi_at_most(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t oyi_divide_up(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONV_PHASES_H_
