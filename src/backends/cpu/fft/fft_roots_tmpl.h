// SPDX-License-Identifier: Apache-2.0
// The tables of a plan in one precision: T, and NAME(x), x with its suffix; R, COS and SIN,
// what roots are computed in, so that they are rounded once.

// Angles of an eighth of the circle: angle p * pi / (4 n) is the sum of one of |coarse| and
// one of |fine|, about sqrt(n) of each, and its cosine and sine a product of theirs.
typedef struct NAME(circle) {
  int64_t n;
  int shift;
  R *coarse, *fine;
} NAME(circle);

static R* NAME(angles)(int64_t n, int64_t count, int64_t step) {
  R* to = oyi_calloc((size_t)count, 2 * sizeof(R));
  for (int64_t i = 0; to && i < count; i++) {
    const R angle = (R)(i * step) / (R)n * (R)0.785398163397448309615660845819875721L;
    to[2 * i] = COS(angle), to[2 * i + 1] = SIN(angle);
  }
  return to;
}
static bool NAME(circle_begin)(NAME(circle) * c, int64_t n) {
  *c = (NAME(circle)){.n = n};
  while (INT64_C(1) << 2 * c->shift < n) c->shift++;
  c->fine = NAME(angles)(n, INT64_C(1) << c->shift, 1);
  c->coarse = NAME(angles)(n, (n >> c->shift) + 1, INT64_C(1) << c->shift);
  return c->fine && c->coarse;
}
static void NAME(circle_end)(const NAME(circle) * c) {
  oyi_free(c->fine);
  oyi_free(c->coarse);
}

// exp(-2 pi i k / n), 0 <= k < n, with |octant| 8 k / n: by the eighth of the circle, so
// that roots which mirror each other do so to the last bit.
static inline void NAME(root)(const NAME(circle) * circle, int64_t k, int octant, T* re,
                              T* im) {
  const int64_t eighths = 8 * k, n = circle->n;
  // How far into the octant, or before its end for odd ones.
  const int64_t part = octant & 1 ? (octant + 1) * n - eighths : eighths - octant * n;
  const R* a = circle->coarse + 2 * (part >> circle->shift);
  const R* b = circle->fine + 2 * (part & ((INT64_C(1) << circle->shift) - 1));
  const T c = (T)(a[0] * b[0] - a[1] * b[1]), s = (T)(a[1] * b[0] + a[0] * b[1]);
  // Octants that begin at the axes 0, i, -1, -i; odd ones end there.
  const T turn = octant & 1 ? -s : s;
  const T cosines[] = {c, -turn, -c, turn}, sines[] = {turn, c, -turn, -c};
  const int axis = (octant + 1) / 2 % 4;
  *re = cosines[axis];
  *im = -sines[axis];
}

// exp(-2 pi i k / n), k < count <= n.
static bool NAME(fill_roots)(int64_t n, int64_t count, T* roots) {
  NAME(circle) circle;
  const bool good = NAME(circle_begin)(&circle, n);
  int octant = 0;
  for (int64_t k = 0; good && k < count && 2 * k <= n; k++) {
    while (8 * k >= (octant + 1) * n) octant++;
    NAME(root)(&circle, k, octant, &roots[2 * k], &roots[2 * k + 1]);
  }
  for (int64_t k = n / 2 + 1; good && k < count; k++)
    roots[2 * k] = roots[2 * (n - k)], roots[2 * k + 1] = -roots[2 * (n - k) + 1];
  NAME(circle_end)(&circle);
  return good;
}

// exp(-pi i k k / n), k < n.
static bool NAME(fill_chirp)(int64_t n, T* chirp) {
  NAME(circle) circle;
  const bool good = NAME(circle_begin)(&circle, 2 * n);
  for (int64_t k = 0, square = 0; good && k < n; k++) {
    NAME(root)
    (&circle, square, (int)(8 * square / (2 * n)), &chirp[2 * k], &chirp[2 * k + 1]);
    square = (square + 2 * k + 1) % (2 * n);
  }
  NAME(circle_end)(&circle);
  return good;
}

// The transform of the conjugate of the chirp around 0 over the length, which the way back
// does not divide by. Without a chirp the plan is that of the passes.
static bool NAME(fill_filter)(const oyi_fft_plan* plan, const T* chirp, T* filter) {
  const int64_t n = plan->n, length = plan->length;
  T* work = oyi_calloc((size_t)length, 4 * sizeof(T));
  for (int64_t k = 0; work && k < n; k++) {
    const int64_t mirror = k ? length - k : 0;
    // NOLINT: the chirp comes before what is made of it
    work[k] = work[mirror] = chirp[2 * k] / (T)length;
    work[k + length] = work[mirror + length] = -chirp[2 * k + 1] / (T)length;
  }
  const T* made = work ? NAME(oyi_fft_lines)(plan, 1, work, work + 2 * length) : NULL;
  for (int64_t k = 0; made && k < length; k++)
    filter[2 * k] = made[k], filter[2 * k + 1] = made[k + length];
  oyi_free(work);
  return made != NULL;
}

// A table that was made before, or a new one. |chirp| is what a filter is made of.
static T* NAME(table_of)(const oyi_fft_plan* plan, const T* chirp, oyi_fft_table table) {
  table.is_float = sizeof(T) == sizeof(float);
  T* to = oyi_calloc((size_t)table.count, 2 * sizeof(T));
  const size_t size = (size_t)table.count * 2 * sizeof(T);
  if (!to || oyi_fft_recall(&table, to, size)) return to;
  const bool good = table.kind == OYI_FFT_ROOTS
                        ? NAME(fill_roots)(table.n, table.count, to)
                    : table.kind == OYI_FFT_CHIRP ? NAME(fill_chirp)(table.n, to)
                                                  : NAME(fill_filter)(plan, chirp, to);
  if (good) {
    oyi_fft_remember(&table, to, size);
    return to;
  }
  oyi_free(to);
  return NULL;
}
static T* NAME(make_roots)(const oyi_fft_plan* plan, int64_t n, int64_t count) {
  return NAME(table_of)(plan, NULL,
                        (oyi_fft_table){.kind = OYI_FFT_ROOTS, .n = n, .count = count});
}
static bool NAME(make_filter)(oyi_fft_plan* plan) {
  T* chirp = NAME(table_of)(
      plan, NULL, (oyi_fft_table){.kind = OYI_FFT_CHIRP, .n = plan->n, .count = plan->n});
  if (chirp)
    plan->filter = NAME(table_of)(
        plan, chirp,
        (oyi_fft_table){.kind = OYI_FFT_FILTER, .n = plan->n, .count = plan->length});
  plan->chirp = chirp;
  return chirp && plan->filter;
}

// exp(-2 pi i k / n), k < n, of |twist|, which has exp(-pi i k / n) up to k = n.
static T* NAME(every_second)(const T* twist, int64_t n) {
  T* roots = oyi_calloc((size_t)n, 2 * sizeof(T));
  for (int64_t k = 0; roots && k < n; k++) {
    const bool is_low = 2 * k <= n;
    const T* from = twist + 4 * (is_low ? k : n - k);
    roots[2 * k] = from[0], roots[2 * k + 1] = is_low ? from[1] : -from[1];
  }
  return roots;
}

static bool NAME(make_tables)(oyi_fft_plan* plan, bool by_passes) {
  if (plan->halved) {
    plan->twist = NAME(make_roots)(plan, 2 * plan->n, plan->n + 1);
    if (!plan->twist) return false;
  }
  plan->roots = plan->halved && by_passes
                    ? NAME(every_second)(plan->twist, plan->n)
                    : NAME(make_roots)(plan, plan->length, plan->length);
  return plan->roots && (by_passes || NAME(make_filter)(plan));
}
