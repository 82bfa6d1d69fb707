// SPDX-License-Identifier: Apache-2.0
// Indexing. Before this text stand DTYPE and S, INDEX, the dtype of indices, and one of
// the names below. Elements are moved as they are, so S is an integer of their size where
// nothing is added. |report| is told of an index out of range; see launch.h.

#define WRAPPED(i, size, which)         \
  if (i < -(size) || i >= (size)) {     \
    report[0] = 1;                      \
    report[1] = i;                      \
    report[2] = which;                  \
    return;                             \
  }                                     \
  if (i < 0) i += (size)
#define CHECKED(i, size)          \
  if (i < 0 || i >= (size)) {     \
    report[0] = 1;                \
    report[1] = i;                \
    return;                       \
  }

// Sizes of the dimensions that are indexed.
typedef struct extents {
  long s0, s1, s2, s3;
} extents;

#ifdef ADDS
// Sums with memory that other work-items add to.
#if defined(IS_CUDA)
static inline void add_to(char* p, long i, S x) {
  add_at((S*)p + i, x);
}
#elif defined(S_IS_F32)
static inline void add_to(__global char* p, long i, float x) {
  volatile __global uint* at = (volatile __global uint*)p + i;
  uint before = *at, seen;
  for (;;) {
    seen = atomic_cmpxchg(at, before, as_uint(as_float(before) + x));
    if (seen == before) return;
    before = seen;
  }
}
#elif defined(S_IS_F64)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline void add_to(__global char* p, long i, double x) {
  volatile __global ulong* at = (volatile __global ulong*)p + i;
  ulong before = *at, seen;
  for (;;) {
    seen = atom_cmpxchg(at, before, as_ulong(as_double(before) + x));
    if (seen == before) return;
    before = seen;
  }
}
#elif defined(S_IS_I64)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline void add_to(__global char* p, long i, long x) {
  atom_add((volatile __global long*)p + i, x);
}
#else
static inline void add_to(__global char* p, long i, int x) {
  atomic_add((volatile __global int*)p + i, x);
}
#endif
#define PUT(p, i, x) add_to(p, i, x)
#else
#define PUT(p, i, x) ST(DTYPE, p, i, x)
#endif

#if defined(SELECT)
// index_select and embedding: out[outer, j, inner] = a[outer, index[j], inner].
kernel void run(__global const char* a_p, long a_o, __global const char* x_p, long x_o,
                __global char* c_p, long c_o, __global long* report, long outer, long size,
                long count, long inner) {
  const long id = (long)get_global_id(0);
  if (id >= outer * count) return;
  const long o = (long)over((ulong)id, (ulong)count), j = id - o * count;
  long i = AT(const INDEX, x_p + x_o)[j];
  CHECKED(i, size)
  a_p += a_o;
  c_p += c_o;
  for (long k = 0; k < inner; k++)
    ST(DTYPE, c_p, id * inner + k, LD(DTYPE, a_p, (o * size + i) * inner + k));
}

#elif defined(ADD_ROWS)
// index_add: out[outer, index[j], inner] += alpha * a[outer, j, inner].
kernel void run(__global const char* a_p, long a_o, __global const char* x_p, long x_o,
                __global char* c_p, long c_o, __global long* report, long outer, long size,
                long count, long inner, S alpha, long skipped) {
  const long id = (long)get_global_id(0);
  if (id >= outer * count) return;
  const long o = (long)over((ulong)id, (ulong)count), j = id - o * count;
  long i = AT(const INDEX, x_p + x_o)[j];
  if (i == skipped) return;
  CHECKED(i, size)
  a_p += a_o;
  c_p += c_o;
  for (long k = 0; k < inner; k++)
    PUT(c_p, (o * size + i) * inner + k, alpha * LD(DTYPE, a_p, id * inner + k));
}

#elif defined(GATHER) || defined(SCATTER)
// gather: c[..., i, ...] = a[..., x[..., i, ...], ...] over the shape of the index.
// scatter: c[..., x[..., i, ...], ...] = a[..., i, ...], or |value|, or their sum.
// Strides of g: of the index, of the one it goes with, of the other one without |dim|.
kernel void run(__global const char* a_p, long a_o, __global const char* x_p, long x_o,
                __global char* c_p, long c_o, __global long* report, ulong n, long size,
                long step, S value, int has_value, geometry g) {
  ulong rest = (ulong)get_global_id(0);
  if (rest >= n) return;
  long place[3] = {0, 0, 0};
  for (int d = 0; d < g.ndim; d++) {
    const ulong next = over(rest, (ulong)g.size[d]);
    const long at = (long)(rest - next * (ulong)g.size[d]);
    rest = next;
    for (int k = 0; k < 3; k++) place[k] += at * g.stride[k][d];
  }
  long i = AT(const INDEX, x_p + x_o)[place[0]];
  CHECKED(i, size)
#ifdef GATHER
  ST(DTYPE, c_p + c_o, place[1], LD(DTYPE, a_p + a_o, place[2] + i * step));
#else
  const S x = has_value ? value : LD(DTYPE, a_p + a_o, place[1]);
  PUT(c_p + c_o, place[2] + i * step, x);
#endif
}

#elif defined(INDEX_GET) || defined(INDEX_PUT)
// index and index_put_: up to four indices of one shape, contiguous, for |of| consecutive
// dimensions. a or c: outer x sizes of the dimensions x inner, the other one: outer x
// count x inner.
kernel void run(__global const char* a_p, long a_o, __global char* c_p, long c_o,
                __global long* report, __global const char* x_p, long x_o,
                __global const char* y_p, long y_o, __global const char* z_p, long z_o,
                __global const char* w_p, long w_o, long outer, long count, long inner,
                int of, extents sizes) {
  const long id = (long)get_global_id(0);
  if (id >= outer * count) return;
  const long o = (long)over((ulong)id, (ulong)count), j = id - o * count;
  long i = AT(const INDEX, x_p + x_o)[j];
  WRAPPED(i, sizes.s0, 0);
  long at = o * sizes.s0 + i;
  if (of > 1) {
    i = AT(const INDEX, y_p + y_o)[j];
    WRAPPED(i, sizes.s1, 1);
    at = at * sizes.s1 + i;
  }
  if (of > 2) {
    i = AT(const INDEX, z_p + z_o)[j];
    WRAPPED(i, sizes.s2, 2);
    at = at * sizes.s2 + i;
  }
  if (of > 3) {
    i = AT(const INDEX, w_p + w_o)[j];
    WRAPPED(i, sizes.s3, 3);
    at = at * sizes.s3 + i;
  }
  a_p += a_o;
  c_p += c_o;
#ifdef INDEX_GET
  for (long k = 0; k < inner; k++)
    ST(DTYPE, c_p, id * inner + k, LD(DTYPE, a_p, at * inner + k));
#else
  for (long k = 0; k < inner; k++)
    PUT(c_p, at * inner + k, LD(DTYPE, a_p, id * inner + k));
#endif
}
#endif
