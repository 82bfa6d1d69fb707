// SPDX-License-Identifier: Apache-2.0
// One reduction. Before this text stand S, the type that is accumulated in, IN and OUT,
// the dtypes of input and result, one of REDUCE_*, and ORDER for norms of any order.
// A work-item takes one part of what makes one result.
//   mode 0: writes the result    mode 1: keeps its part    mode 2: joins the parts

typedef struct walk {
  int ndim, pad;
  long size[12];
  long stride[12];
} walk;

static inline long offset_of(const walk* w, ulong i) {
  long offset = 0;
  for (int d = 0; d < w->ndim; d++) {
    offset += (long)(i % (ulong)w->size[d]) * w->stride[d];
    i /= (ulong)w->size[d];
  }
  return offset;
}

#define IS_NAN(v)  ((v) != (v))
#define ABOVE(a, b) ((a) > (b) || (IS_NAN(a) && !IS_NAN(b)))
#define BELOW(a, b) ((a) < (b) || (IS_NAN(a) && !IS_NAN(b)))

typedef struct part {
  S x;      // sum, product, extreme, mean
  S y;      // sum of squared differences
  long at;  // elements taken in; of an extreme, its index, -1 without one
} part;

#if defined(REDUCE_SUM) || defined(REDUCE_MEAN)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += v
#define MERGE(p, q) p.x += q.x
#define VALUE(v)   v
#elif defined(REDUCE_NANSUM)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += IS_NAN(v) ? 0 : v
#define MERGE(p, q) p.x += q.x
#elif defined(REDUCE_PROD)
#define FIRST      {1, 0, 0}
#define TAKE(p, v, i) p.x *= v
#define MERGE(p, q) p.x *= q.x
#elif defined(REDUCE_ANY)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x = p.x || v != 0
#define MERGE(p, q) p.x = p.x || q.x
#elif defined(REDUCE_ALL)
#define FIRST      {1, 0, 0}
#define TAKE(p, v, i) p.x = p.x && v != 0
#define MERGE(p, q) p.x = p.x && q.x
#elif defined(REDUCE_COUNT)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.at += v != 0
#define MERGE(p, q) p.at += q.at
#elif defined(REDUCE_MAX)
#define FIRST      {0, 0, -1}
#define TAKE(p, v, i) \
  if (p.at < 0 || ABOVE(v, p.x)) p.x = v, p.at = i
#define MERGE(p, q) \
  if (q.at >= 0 && (p.at < 0 || ABOVE(q.x, p.x))) p = q
#elif defined(REDUCE_MIN)
#define FIRST      {0, 0, -1}
#define TAKE(p, v, i) \
  if (p.at < 0 || BELOW(v, p.x)) p.x = v, p.at = i
#define MERGE(p, q) \
  if (q.at >= 0 && (p.at < 0 || BELOW(q.x, p.x))) p = q
#elif defined(REDUCE_VAR)
// Welford's recurrence; parts are joined by Chan's.
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i)              \
  const S before = v - p.x;        \
  p.at++;                          \
  p.x += before / (S)p.at;         \
  p.y += before * (v - p.x)
static inline part joined(part p, part q) {
  if (q.at == 0) return p;
  if (p.at == 0) return q;
  part all = {0, 0, p.at + q.at};
  S apart = q.x - p.x;
  all.x = p.x + apart * (S)q.at / (S)all.at;
  all.y = p.y + q.y + apart * apart * (S)p.at * (S)q.at / (S)all.at;
  return all;
}
#define MERGE(p, q) p = joined(p, q)
#elif defined(REDUCE_NORM_0)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += v != 0 ? 1 : 0
#define MERGE(p, q) p.x += q.x
#elif defined(REDUCE_NORM_1)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += fabs(v)
#define MERGE(p, q) p.x += q.x
#define VALUE(v)   fabs(v)
#elif defined(REDUCE_NORM_2)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += v * v
#define MERGE(p, q) p.x += q.x
#define VALUE(v)   ((v) * (v))
#elif defined(REDUCE_NORM_MAX)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) \
  if (ABOVE(fabs(v), p.x)) p.x = fabs(v)
#define MERGE(p, q) \
  if (ABOVE(q.x, p.x)) p.x = q.x
#elif defined(REDUCE_NORM_MIN)
#define FIRST      {INFINITY, 0, 0}
#define TAKE(p, v, i) \
  if (BELOW(fabs(v), p.x)) p.x = fabs(v)
#define MERGE(p, q) \
  if (BELOW(q.x, p.x)) p.x = q.x
#elif defined(REDUCE_NORM)
#define FIRST      {0, 0, 0}
#define TAKE(p, v, i) p.x += pow(fabs(v), number)
#define MERGE(p, q) p.x += q.x
#endif

#define PARAMETERS                                                                       \
  __global const char *in_p, long in_o, __global char *out_p, long out_o, __global char *more_p, \
      long more_o, __global part *parts

static inline void finish(__global char* out, __global char* more, ulong o, part p, ulong count,
                   S number) {
#if defined(REDUCE_MEAN)
  ST(OUT, out, o, p.x / (S)count);
#elif defined(REDUCE_VAR)
  S divisor = (S)p.at - number;
  S variance = p.y / (divisor > 0 ? divisor : (S)0);
  if (p.at == 0) variance = (S)NAN;
#ifdef ROOT
  variance = sqrt(variance);
#endif
  ST(OUT, out, o, variance);
#ifdef WITH_MEAN
  ST(OUT, more, o, p.at == 0 ? (S)NAN : p.x);
#endif
#elif defined(REDUCE_NORM_2)
  ST(OUT, out, o, sqrt(p.x));
#elif defined(REDUCE_NORM)
  ST(OUT, out, o, pow(p.x, (S)1 / number));
#elif defined(REDUCE_COUNT) || defined(INDEX_ONLY)
  AT(long, out)[o] = p.at;
#else
  ST(OUT, out, o, p.x);
#ifdef WITH_INDEX
  AT(long, more)[o] = p.at;
#endif
#endif
}

kernel void run(PARAMETERS, ulong outputs, ulong count, ulong pieces, ulong length,
                int mode, S number, walk kept, walk reduced) {
  const ulong id = get_global_id(0);
  const ulong o = mode == 2 ? id : id / pieces;
  if (o >= outputs) return;
  part p = FIRST;
  if (mode == 2) {
    for (ulong k = 0; k < pieces; k++) {
      const part q = parts[o * pieces + k];
      MERGE(p, q);
    }
    finish(out_p + out_o, more_p + more_o, o, p, count, number);
    return;
  }
  ulong i = (id % pieces) * length;
  const ulong end = min(i + length, count);
  __global const char* in = in_p + in_o;
  const long base = offset_of(&kept, o);
  if (i < end) {
    // Along the first dimension in rows.
    long at = (long)(i % (ulong)reduced.size[0]);
    while (i < end) {
      const long row = base + offset_of(&reduced, i - (ulong)at);
      const long stop = min(reduced.size[0], at + (long)(end - i));
      const long step = reduced.stride[0];
      long j = at;
#if defined(VALUE) && W > 1
      if (step == 1) {
        V sum = (V)(S)0;
        for (; j + W <= stop; j += W) {
          const V v = LDV(IN, in, row + j);
          sum += VALUE(v);
        }
        S lanes[W];
        VSTORE(sum, 0, lanes);
        for (int k = 0; k < W; k++) p.x += lanes[k];
      }
#endif
      for (; j < stop; j++) {
        const S v = LD(IN, in, row + j * step);
        TAKE(p, v, (long)i + (j - at));
      }
      i += (ulong)(stop - at);
      at = 0;
    }
  }
  if (mode == 1)
    parts[id] = p;
  else
    finish(out_p + out_o, more_p + more_o, o, p, count, number);
}
