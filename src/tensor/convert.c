// SPDX-License-Identifier: Apache-2.0
// Copies between dtypes, in pieces that stay in the first-level cache. Elements that
// are apart are brought together by size alone; the loops see adjacent ones. Complex
// numbers are two rows of their parts.
#include "tensor/convert_loops.h"
#include "tensor/element.h"
#include "tensor/half.h"
#include "tensor/iterator.h"
#include "tensor/move.h"

enum { PIECE = 512 };  // elements; two buffers of 4 kB

static void move_row(size_t item, char* out, int64_t out_stride, const char* in,
                     int64_t in_stride, int64_t n) {
  if (out_stride == (int64_t)item && in_stride == (int64_t)item) {
    memmove(out, in, (size_t)n * item);
    return;
  }
  oyi_move_rows(&(oyi_move){.item = item,
                            .n = n,
                            .rows = 1,
                            .to = out,
                            .from = in,
                            .to_along = out_stride,
                            .from_along = in_stride});
}

// The dtype of the parts of a complex number; real ones are their own.
static oy_dtype part_of(oy_dtype d) {
  if (d == OY_DTYPE_C128) return OY_DTYPE_F64;
  if (d == OY_DTYPE_C64) return OY_DTYPE_F32;
  return d == OY_DTYPE_C32 ? OY_DTYPE_F16 : d;
}

// At most PIECE elements.
static void run_chain(const oyi_convert_chain* chain, void* out, const void* in,
                      int64_t n) {
  _Alignas(64) uint64_t middle[2][PIECE];
  for (int k = 0; k < chain->count; k++) {
    void* to = k + 1 == chain->count ? out : middle[k & 1];
    chain->loops[k](to, in, n);
    in = to;
  }
}

static void convert_real(oy_dtype to, char* out, int64_t out_stride, oy_dtype from,
                         const char* in, int64_t in_stride, int64_t n) {
  const int64_t to_item = oyi_dtype_bytes[to], from_item = oyi_dtype_bytes[from];
  if (to == from) {
    move_row((size_t)to_item, out, out_stride, in, in_stride, n);
    return;
  }
  const oyi_convert_chain chain = oyi_convert_chain_of(to, from);
  if (chain.count == 0) {
    move_row((size_t)to_item, out, out_stride, in, in_stride, n);
    return;
  }
  if (chain.count == 1 && out_stride == to_item && in_stride == from_item) {
    chain.loops[0](out, in, n);
    return;
  }
  _Alignas(64) uint64_t together[PIECE], apart[PIECE];
  while (n > 0) {
    int64_t count = n < PIECE ? n : PIECE;
    const void* source = in;
    void* target = out_stride == to_item ? (void*)out : apart;
    if (in_stride != from_item) {
      move_row((size_t)from_item, (char*)together, from_item, in, in_stride, count);
      source = together;
    }
    run_chain(&chain, target, source, count);
    if (target == apart)
      move_row((size_t)to_item, out, out_stride, (char*)apart, to_item, count);
    out += count * out_stride;
    in += count * in_stride;
    n -= count;
  }
}

// A complex number is true if either part is not zero.
static void complex_to_bool(char* out, int64_t out_stride, oy_dtype part, const char* in,
                            int64_t in_stride, int64_t n) {
  const int64_t size = oyi_dtype_bytes[part];
  uint8_t re[PIECE], im[PIECE];
  for (int64_t done = 0; done < n; done += PIECE) {
    int64_t count = n - done < PIECE ? n - done : PIECE;
    const char* at = in + done * in_stride;
    convert_real(OY_DTYPE_BOOL, (char*)re, 1, part, at, in_stride, count);
    convert_real(OY_DTYPE_BOOL, (char*)im, 1, part, at + size, in_stride, count);
    for (int64_t i = 0; i < count; i++)
      // NOLINT: both were converted
      out[(done + i) * out_stride] = (char)(re[i] | im[i]);
  }
}

// Real numbers into complex ones that are adjacent, whose parts are of dtype |part|.
static void real_to_complex(oy_dtype to, char* out, oy_dtype part, oy_dtype from,
                            const char* in, int64_t in_stride, int64_t n) {
  const oyi_convert_loop spread = oyi_convert_to_complex(to);
  const int64_t item = oyi_dtype_bytes[to], size = oyi_dtype_bytes[part];
  if (from == part && in_stride == size) {
    spread(out, in, n);
    return;
  }
  _Alignas(64) uint64_t parts[PIECE];
  for (int64_t some; n > 0; n -= some, in += some * in_stride, out += some * item) {
    some = n < PIECE ? n : PIECE;
    convert_real(part, (char*)parts, size, from, in, in_stride, some);
    spread(out, parts, some);
  }
}

// What lies apart is brought together for a loop that takes it in one step.
static void convert_apart(oyi_convert_loop at_once, char* out, int64_t to_item,
                          const char* in, int64_t in_stride, int64_t item, int64_t n) {
  _Alignas(64) uint64_t together[PIECE];
  const int64_t most = (int64_t)sizeof(together) / item;
  for (int64_t some; n > 0; n -= some, in += some * in_stride, out += some * to_item) {
    some = n < most ? n : most;
    move_row((size_t)item, (char*)together, item, in, in_stride, some);
    at_once(out, together, some);
  }
}

static void convert_complex(oy_dtype to, char* out, int64_t out_stride, oy_dtype from,
                            const char* in, int64_t in_stride, int64_t n) {
  const oy_dtype a = part_of(from), b = part_of(to);
  const int64_t in_part = oyi_dtype_bytes[a], out_part = oyi_dtype_bytes[b];
  if (a != from && b != to && in_stride == 2 * in_part && out_stride == 2 * out_part) {
    convert_real(b, out, out_part, a, in, in_part, 2 * n);
    return;
  }
  const oyi_convert_loop at_once = oyi_convert_complex_at_once(to, from);
  const int64_t item = oyi_dtype_bytes[from], to_item = oyi_dtype_bytes[to];
  if (at_once && out_stride == to_item) {
    if (in_stride == item)
      at_once(out, in, n);
    else
      convert_apart(at_once, out, to_item, in, in_stride, item, n);
    return;
  }
  if (to == OY_DTYPE_BOOL) {
    complex_to_bool(out, out_stride, a, in, in_stride, n);
    return;
  }
  if (a == from && out_stride == 2 * out_part) {
    real_to_complex(to, out, b, a, in, in_stride, n);
    return;
  }
  convert_real(b, out, out_stride, a, in, in_stride, n);
  if (b == to) return;  // the imaginary part is dropped, as PyTorch does with a warning
  if (a != from) {
    convert_real(b, out + out_part, out_stride, a, in + in_part, in_stride, n);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    memset(out + i * out_stride + out_part, 0, (size_t)out_part);
}

void oyi_convert_row(oy_dtype to, char* out, int64_t out_stride, oy_dtype from,
                     const char* in, int64_t in_stride, int64_t n) {
  if (to == from) {
    move_row(oyi_dtype_bytes[to], out, out_stride, in, in_stride, n);
  } else if (n == 1 && to == OY_DTYPE_F32 && from == OY_DTYPE_F64) {
    // What a reduction of few elements comes to.
    double wide;
    memcpy(&wide, in, sizeof(wide));
    const float narrow = (float)wide;
    memcpy(out, &narrow, sizeof(narrow));
  } else if (oy_dtype_is_complex(to) || oy_dtype_is_complex(from)) {
    convert_complex(to, out, out_stride, from, in, in_stride, n);
  } else {
    convert_real(to, out, out_stride, from, in, in_stride, n);
  }
}

typedef struct pair {
  oy_dtype to, from;
  oyi_convert_loop at_once;  // of what lies together; NULL: there is none
  int64_t to_item, from_item;
} pair;

// Rows may be short: what converts them is found once.
static pair pair_of(oy_dtype to, oy_dtype from) {
  pair p = {to, from, NULL, oyi_dtype_bytes[to], oyi_dtype_bytes[from]};
  if (oy_dtype_is_complex(to) || oy_dtype_is_complex(from)) {
    const bool both = oy_dtype_is_complex(to) && oy_dtype_is_complex(from);
    if (!both) p.at_once = oyi_convert_complex_at_once(to, from);
    return p;
  }
  const oyi_convert_chain chain = oyi_convert_chain_of(to, from);
  if (chain.count == 1) p.at_once = chain.loops[0];
  return p;
}

static void convert_loop(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const pair* p = args;
  if (p->at_once && strides[0] == p->to_item && strides[1] == p->from_item)
    p->at_once(data[0], data[1], n);
  else
    oyi_convert_row(p->to, data[0], strides[0], p->from, data[1], strides[1], n);
}

// Rows that a loop takes as they lie.
static void convert_block(int64_t n, int64_t rows, char* const* data,
                          const int64_t* along, const int64_t* down, const void* args) {
  const pair* p = args;
  (void)along;
  char *out = data[0], *in = data[1];
  for (int64_t row = 0; row < rows; row++, out += down[0], in += down[1])
    p->at_once(out, in, n);
}

// Rows apart that are long enough for that: what brings many together first reads and writes them
// once more. Loops of narrow elements have more of them left over at the end of each row.
static bool goes_by_rows(const oyi_iter* it, const pair* p) {
  enum { LONG = 16, LONG_NARROW = 96, NARROW = 2 };
  const bool narrow = p->to_item <= NARROW || p->from_item <= NARROW;
  return it->runs && it->ndim > 1 && p->at_once &&
         it->sizes[0] >= (narrow ? LONG_NARROW : LONG) &&
         it->strides[0][0] == p->to_item && it->strides[0][1] == p->from_item;
}

void oyi_convert_walk(const oyi_iter* it, oy_dtype to, oy_dtype from) {
  if (to == from) {
    oyi_iter_move(it);
    return;
  }
  const pair p = pair_of(to, from);
  if (goes_by_rows(it, &p))
    oyi_iter_run_blocks(it, convert_block, &p);
  else
    oyi_iter_run(it, convert_loop, &p);
}

void oyi_convert(oyi_tensor* to, const oyi_tensor* from) {
  oyi_iter it;
  const oyi_tensor* tensors[2] = {to, from};
  oyi_iter_plain(&it, tensors, 2);
  oyi_convert_walk(&it, to->header.dtype, from->header.dtype);
}

oyi_tensor* oyi_converted(const oyi_tensor* t, oy_dtype dtype) {
  if (t->numel > 0 && !oyi_data(t) && !oyi_is_meta(t)) {
    OY_FAIL(NOT_IMPLEMENTED, "a kernel was given a tensor without data");
    return NULL;
  }
  oyi_tensor* copy = oyi_tensor_new(oyi_sizes_view(t), dtype, oyi_tensor_device(t));
  if (copy) oyi_convert(copy, t);
  return copy;
}
