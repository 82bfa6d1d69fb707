// SPDX-License-Identifier: Apache-2.0
// One reduction. Before this text stand S, the type that is accumulated in, IN and OUT,
// the dtypes of input and result, one of REDUCE_*, and ORDER for norms of any order.

typedef struct walk {
  int ndim, pad;
  long size[12];
  long stride[12];
} walk;

static inline long offset_of(const walk* w, ulong i) {
  long offset = 0;
  for (int d = 0; d + 1 < w->ndim; d++) {
    const ulong next = over(i, (ulong)w->size[d]);
    offset += (long)(i - next * (ulong)w->size[d]) * w->stride[d];
    i = next;
  }
  return w->ndim ? offset + (long)i * w->stride[w->ndim - 1] : 0;
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
// Of equal ones the first; parts come in any order.
#define FIRST      {0, 0, -1}
#define TAKE(p, v, i) \
  if (p.at < 0 || ABOVE(v, p.x)) p.x = v, p.at = i
#define MERGE(p, q) \
  if (q.at >= 0 && (p.at < 0 || ABOVE(q.x, p.x) || (q.at < p.at && !ABOVE(p.x, q.x)))) p = q
#elif defined(REDUCE_MIN)
#define FIRST      {0, 0, -1}
#define TAKE(p, v, i) \
  if (p.at < 0 || BELOW(v, p.x)) p.x = v, p.at = i
#define MERGE(p, q) \
  if (q.at >= 0 && (p.at < 0 || BELOW(q.x, p.x) || (q.at < p.at && !BELOW(p.x, q.x)))) p = q
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

#ifdef TEAMS
// Of the elements [i, end) that lie |by| apart each |step|-th; |first| is the index of
// element 0. Four at a time, so that several are on their way.
static inline part line_part(part p, __global const char* in, long at, long by, long i, long end,
                             long step, long first, S number) {
  for (; i + 3 * step < end; i += 4 * step) {
    const S a = LD(IN, in, at + i * by), b = LD(IN, in, at + (i + step) * by);
    const S c = LD(IN, in, at + (i + 2 * step) * by), d = LD(IN, in, at + (i + 3 * step) * by);
    { TAKE(p, a, first + i); }
    { TAKE(p, b, first + i + step); }
    { TAKE(p, c, first + i + 2 * step); }
    { TAKE(p, d, first + i + 3 * step); }
  }
  for (; i < end; i += step) {
    const S v = LD(IN, in, at + i * by);
    TAKE(p, v, first + i);
  }
  return p;
}

#if W > 1
// The same of elements that lie side by side, in vectors from the first that memory has at
// a multiple of their size.
static inline part dense_part(part p, __global const char* in, long at, long i, long end, int lane,
                              int lanes, long first, S number) {
  const long from = (long)((ulong)(in + (at + i) * (long)IN_SIZE) / IN_SIZE % W);
  const long begin = min(i + (W - from) % W, end);
  p = line_part(p, in, at, 1, i + lane, begin, lanes, first, number);
  long j = begin + (long)lane * W;
  const long next = (long)lanes * W;
  for (; j + next + W <= end; j += 2 * next) {
    S v[2 * W];
    LANES_OF(LDV(IN, in, at + j), v);
    LANES_OF(LDV(IN, in, at + j + next), v + W);
    for (int k = 0; k < W; k++) {
      TAKE(p, v[k], first + j + k);
    }
    for (int k = 0; k < W; k++) {
      TAKE(p, v[W + k], first + j + next + k);
    }
  }
  for (; j + W <= end; j += next) {
    S v[W];
    LANES_OF(LDV(IN, in, at + j), v);
    for (int k = 0; k < W; k++) {
      TAKE(p, v[k], first + j + k);
    }
  }
  // The last vector is not whole: its lane has it.
  return line_part(p, in, at, 1, j, end, 1, first, number);
}
#endif

// What a lane has of the elements [i, end).
static inline part shared_part(part p, __global const char* in, long base, const walk* w, ulong i,
                               ulong end, int lane, int lanes, S number) {
  if (w->ndim > 1 && w->size[0] < 4 * (long)lanes) {
    for (i += (ulong)lane; i < end; i += (ulong)lanes) {
      const S v = LD(IN, in, base + offset_of(w, i));
      TAKE(p, v, (long)i);
    }
    return p;
  }
  // Along the first dimension in rows.
  long at = i < end ? (long)(i - over(i, (ulong)w->size[0]) * (ulong)w->size[0]) : 0;
  while (i < end) {
    const long row = base + offset_of(w, i - (ulong)at), first = (long)i - at;
    const long stop = min(w->size[0], at + (long)(end - i));
#if W > 1
    if (w->stride[0] == 1)
      p = dense_part(p, in, row, at, stop, lane, lanes, first, number);
    else
#endif
      p = line_part(p, in, row, w->stride[0], at + lane, stop, lanes, first, number);
    i += (ulong)(stop - at);
    at = 0;
  }
  return p;
}
#else
// Elements [i, end), along the first dimension in rows.
static inline part whole_part(part p, __global const char* in, long base, const walk* w, ulong i,
                              ulong end, S number) {
  long at = i < end ? (long)(i - over(i, (ulong)w->size[0]) * (ulong)w->size[0]) : 0;
  while (i < end) {
    const long row = base + offset_of(w, i - (ulong)at);
    const long stop = min(w->size[0], at + (long)(end - i));
    const long step = w->stride[0];
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
  return p;
}
#endif

static inline part both_of(part p, part q) {
  MERGE(p, q);
  return p;
}

// A row of a team is one part of what makes one result; results lie beside each other.
//   mode 0: writes the result    mode 1: keeps the part    mode 2: joins the parts
kernel void run(PARAMETERS, ulong outputs, ulong count, ulong pieces, ulong length,
                int mode, S number, walk kept, walk reduced, int lanes, int along) {
  TEAM(part, lanes, along);
  const bool is_row = (ulong)ROW < (mode == 2 ? outputs : outputs * pieces);
  const ulong piece = over((ulong)ROW, outputs), o = (ulong)ROW - piece * outputs;
  part p = FIRST;
  if (is_row && mode == 2) {
    for (ulong k = LANE; k < pieces; k += lanes) {
      const part q = parts[o * pieces + k];
      MERGE(p, q);
    }
  } else if (is_row) {
    const ulong i = piece * length, end = min(i + length, count);
    const long base = offset_of(&kept, o);
#ifdef TEAMS
    p = shared_part(p, in_p + in_o, base, &reduced, i, end, LANE, lanes, number);
#else
    p = whole_part(p, in_p + in_o, base, &reduced, i, end, number);
#endif
  }
  JOIN_LANES(p, both_of);
  if (!is_row || LANE > 0) return;
  if (mode == 1)
    parts[o * pieces + piece] = p;
  else
    finish(out_p + out_o, more_p + more_o, o, p, count, number);
}
