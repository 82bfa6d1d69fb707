// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions without columns. A tile is |rows| maps times |columns|
// neighbouring places, or fewer maps times more places, each element of a kernel reading the
// image where its offset says.
#ifndef OPYARD_SRC_BACKENDS_CPU_CONV_CONV_TILES_H_
#define OPYARD_SRC_BACKENDS_CPU_CONV_CONV_TILES_H_

#include "ops/rules/convolution.h"
#include "opyard/value.h"

// Elements of a tile, and of one of its rows.
enum {
  OYI_CONV_TILE_MAX = 8 * 48,
  OYI_CONV_COLUMNS_MAX = 96,
  OYI_CONV_ROW_MAX = 64,        // bytes of |rows| elements, or of |lanes|
  OYI_CONV_MAPS_MAX = 32 * 16,  // of one of |maps|
  OYI_CONV_FAR_PLACES = 12      // of those, at most, where windows are more than 2 apart
};

// Places of windows: |width| of each of |lines| of each of |planes|, and how far apart, in
// the image, lines and planes are. |rest|: places of maps between two planes.
typedef struct oyi_conv_area {
  int64_t planes, lines, width, line_step, plane_step, rest;
} oyi_conv_area;

// Kernel elements: |run| that follow each other, of each of |planes| of each of |channels|.
typedef struct oyi_conv_taps {
  int64_t channels, channel_step, planes, plane_step, run;
  int64_t apart;  // windows, in elements
  // Of each |line| of them, what the first window sees, and the last one; others see all.
  int64_t line, first_from, first_count, last_from, last_count;
  // For |maps_by_line|: a line's elements are |width| neighbours in the image, in this order if
  // |tap_step| is positive, which is from the weights of one to those of the next in the
  // image. Of what windows see there, elements |before| to |after| are not padding.
  int64_t width, tap_step, before, after;
  // From the weights of a block of maps to those of the next; 0: one block.
  int64_t other;
  bool more;  // go on from the sums that are there
} oyi_conv_taps;

// Kernel elements: |height| lines, below each other in the image, of |width|, |dilation|
// apart, of each of |blocks|. |step|: 1, or -1 where they follow each other from the last one
// of the window on.
typedef struct oyi_conv_window {
  int64_t blocks, height, width, dilation, step;
} oyi_conv_window;

typedef struct oyi_conv_tiles {
  int64_t rows, columns;
  int64_t few_rows, few_columns;  // of a tile of no more than |few_rows|
  int64_t lanes;                  // elements of a vector
  int64_t taps;    // kernel elements of |gradient|, and twice as many of one or two rows
  int64_t places;  // of |maps|, at most
  int64_t tall;    // lines of |tall_lines|
  int64_t line_room;   // of |maps_by_line|
  int64_t other_sums;  // of |maps|, from those of one block to those of the other
  // |weights|: of each of |rows|, which are all or no more than |few_rows|, for each of |depth|
  // kernel elements. |offsets| in elements. |sums|: rows |pitch| elements apart, of which the
  // first |vectors| of |lanes| are computed, or with |more| go on from what is there; then a
  // |bias| for each row is added, NULL: none.
  void (*tile)(int64_t rows, int64_t depth, const void* weights, const void* image,
               const int64_t* offsets, int64_t vectors, bool more, const void* bias,
               int64_t pitch, void* sums);
  // The same of |places| neighbouring windows by a vector of maps. |weights|: a vector for
  // each kernel element; |sums|: one for each window. Or by a vector of each of two blocks
  // of maps, of up to half as many places: the sums of the second, |other_sums| behind.
  void (*maps)(const oyi_conv_taps* taps, const void* weights, const void* image,
               const int64_t* offsets, int64_t places, void* sums);
  // The same of lines of 3 or 5 elements. Reads no padding along the line, of which windows
  // see no more than a kernel less one at either end. Needs blocks x (|places| + |width|) to be
  // no more than |line_room|, which is 0 where there is no such function.
  void (*maps_by_line)(const oyi_conv_taps* taps, const void* weights, const void* image,
                       const int64_t* offsets, int64_t places, void* sums);
  // Windows |from| to |from| + |count| of |maps|, and |bias|, NULL for none, to |out|,
  // |step| elements from one map to the next. Reads whole vectors of windows.
  void (*put_maps)(const void* sums, int64_t maps, int64_t from, int64_t count,
                   const void* bias, int64_t step, void* out);
  // The same of two, |other| elements apart, in turns: windows are numbered through both.
  void (*put_pairs)(const void* sums, int64_t other, int64_t maps, int64_t from,
                    int64_t count, const void* bias, int64_t step, void* out);
  // |count| rows of |length| elements, |step| apart, as columns of |lanes|, or of |rows|;
  // zeros fill up.
  void (*pack_lanes)(const void* in, int64_t count, int64_t step, int64_t length,
                     void* out);
  void (*pack_rows)(const void* in, int64_t count, int64_t step, int64_t length,
                    void* out);
  // |count| neighbouring sums of each of |lines|, |pitch| elements apart in the image and
  // |count| in |sums|, with one weight for each kernel element, from |bias| on; NULL: zero.
  // May read |lanes| elements more.
  void (*lines)(int64_t depth, const void* weights, const void* image,
                const int64_t* offsets, int64_t lines, int64_t pitch, int64_t count,
                const void* bias, void* sums);
  // |tall| lines of them, each of |count|, where the elements of the kernel are lines as
  // the image's are: those of one see what others see of the next.
  void (*tall_lines)(const oyi_conv_window* window, const void* weights,
                     const void* image, const int64_t* offsets, int64_t pitch,
                     int64_t count, const void* bias, void* sums);
  // |count| neighbouring sums of |lanes| channels, which are side by side for each place, as
  // weights are for each element of the kernel. |offsets| in places; windows are
  // |apart|.
  void (*channels)(int64_t apart, int64_t depth, const void* weights, const void* image,
                   const int64_t* offsets, int64_t count, void* sums);
  // Adds to |sums|, a vector for each of |depth| weights, what windows in |area| of one plane,
  // |apart| in a line, give the gradient of each, of |lanes| channels that are side by side.
  void (*channel_dots)(const oyi_conv_area* area, int64_t apart, const void* maps,
                       const void* image, int64_t depth, const int64_t* offsets,
                       double* sums);
  // Adds to |sums|, which are |rows|, as |tile| has them, x |taps| x |lanes|, what windows in
  // |area|, |apart| in a line, give the gradient of weights. |maps|: |rows| of them for each
  // place. |image|: |lanes| channels for each place; |offsets|, of the kernel elements, and
  // steps are in places.
  void (*gradient)(int64_t rows, const oyi_conv_area* area, int64_t apart,
                   const void* maps, const void* image, const int64_t* offsets,
                   double* sums);
  // The same of vectors of maps, |wide| up to |taps|, |block| elements apart, by |rows| kernel
  // elements of an image whose channels are planes: |sums|, |wide| vectors for each of them.
  // |offsets|, and steps, in elements; one plane.
  void (*few)(const oyi_conv_area* area, int64_t wide, const void* maps, int64_t block,
              const void* image, const int64_t* offsets, double* sums);
  // Adds to |sums| what windows in |area| of one channel give the gradient of each of
  // |depth| weights. May read |lanes| elements more of |maps| and |image|.
  void (*dots)(const oyi_conv_area* area, const void* maps, const void* image,
               int64_t depth, const int64_t* offsets, double* sums);
  // Adds what each map element gives its window, |rows| |pitch| elements apart, to an image
  // whose |lanes| channels are side by side, as the kernel's elements have them in a row.
  void (*spread)(const oyi_conv* conv, const void* rows, int64_t pitch, void* image);
  // The rows of what windows see of such an image.
  void (*gather)(const oyi_conv* conv, const void* image, int64_t pitch, void* rows);
  double (*sum)(const void* from, int64_t count);
  // Places |first| to |first| + |count| of the row of columns that the kernel's element |k| has,
  // of each of |channels|: of every line those from |inside[0]| to |inside[1]| are. For strides
  // of a line of no more than |column_stride|, which is 0 where there is no such function.
  int64_t column_stride;
  void (*column)(const oyi_conv* conv, const void* images, int64_t channels,
                 const int64_t* k, const int64_t* inside, int64_t first, int64_t count,
                 void* row);
  // |rows| of |count| elements, |step| elements apart, to rows |pitch| apart: each element,
  // or every second one. Reads no further than the last.
  void (*copy)(const void* from, int64_t step, int64_t rows, int64_t count, void* to,
               int64_t pitch);
  void (*halve)(const void* from, int64_t step, int64_t rows, int64_t count, void* to,
                int64_t pitch);
  // The same of every |apart|-th element.
  void (*pick)(const void* from, int64_t step, int64_t rows, int64_t count, int64_t apart,
               void* to, int64_t pitch);
  // Of |rows| of |count| pairs of elements, |step| elements apart, the first ones to
  // |first| and the others to |second|, in rows |pitch| apart.
  void (*split)(const void* from, int64_t step, int64_t rows, int64_t count, void* first,
                void* second, int64_t pitch);
  // The other way round, of |rows| lines |pitch| apart: elements |from| to |from| + |count|
  // of both in turns, to rows |step| apart. Reads no further than that.
  void (*zip)(const void* first, const void* second, int64_t pitch, int64_t rows,
              int64_t from, int64_t count, void* out, int64_t step);
  // Of three or more lines |pitch| apart, |count| elements each in turns.
  void (*mix)(const void* lines, int64_t pitch, int64_t together, int64_t count,
              void* out);
} oyi_conv_tiles;

// Rows of tiles of so many maps; of a tile of these, windows, and kernel elements.
static inline int64_t oyi_conv_tile_rows(const oyi_conv_tiles* t, int64_t maps) {
  return maps <= t->few_rows ? maps : t->rows;
}
static inline int64_t oyi_conv_tile_taps(const oyi_conv_tiles* t, int64_t rows) {
  return rows <= 2 ? 2 * t->taps : t->taps;
}
static inline int64_t oyi_conv_tile_columns(const oyi_conv_tiles* t, int64_t rows) {
  return rows <= t->few_rows ? t->few_columns : t->columns;
}

// For F32 or F64, at the level of this machine.
const oyi_conv_tiles* oyi_conv_tiles_for(oy_dtype dtype);

// By level: float, then double.
extern const oyi_conv_tiles oyi_conv_tiles_base[2];
extern const oyi_conv_tiles oyi_conv_tiles_v3[2];
extern const oyi_conv_tiles oyi_conv_tiles_v4[2];

#endif  // OPYARD_SRC_BACKENDS_CPU_CONV_CONV_TILES_H_
