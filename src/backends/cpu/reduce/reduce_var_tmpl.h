// SPDX-License-Identifier: Apache-2.0
// Variance and mean of one type; T, A (of means), ID and SQUARE(a), a double,
// are given. Each piece is gone through twice, while it is in the cache: for
// its mean, and for its squared distances from that. Pieces are joined by the
// formula of Chan and others, so that a large mean costs no digits.
#define VAR(what) OYI_JOIN(var, OYI_JOIN(what, ID))

typedef struct VAR(state) {
  A mean[OYI_REDUCE_BLOCK];
  double squares[OYI_REDUCE_BLOCK];
  double count[OYI_REDUCE_BLOCK];
} VAR(state);

enum { VAR(RUNNING) = 0, VAR(HELD) = 0 };
static void VAR(start)(void* state, int64_t n, const void* args) {
  VAR(state)* s = state;
  (void)args;
  for (int64_t i = 0; i < n; i++) {
    s->mean[i] = 0;
    s->squares[i] = s->count[i] = 0;
  }
}

static inline void VAR(join)(VAR(state) * s, int64_t at, double count, A mean,
                             double squares) {
  const A far = mean - s->mean[at];
  const double total = s->count[at] + count, part = count / total;
  s->squares[at] += squares + SQUARE(far) * s->count[at] * part;
  s->mean[at] += far * part;
  s->count[at] = total;
}

enum { VAR(LANES) = 16, VAR(FEW) = 512 };

// Elements that lie apart are brought together, a few at a time: |n| of them, at |x| or |few|.
static inline const T* VAR(bring)(T* few, const char* x, int64_t n, int64_t step) {
  enum { EVERY_OTHER = 2 };
  const T* p = (const T*)(const void*)x;
  if (step == (int64_t)sizeof(T)) return p;
  if (step == EVERY_OTHER * (int64_t)sizeof(T))
    for (int64_t i = 0; i < n; i++) few[i] = p[EVERY_OTHER * i];
  else
    for (int64_t i = 0; i < n; i++) few[i] = *(const T*)(const void*)(x + i * step);
  return few;
}

static inline void VAR(add)(A* sums, const T* p, int64_t n) {
  int64_t i = 0;
  for (; i + VAR(LANES) <= n; i += VAR(LANES))
    for (int k = 0; k < VAR(LANES); k++) sums[k] += (A)p[i + k];
  for (int k = 0; i < n; i++, k++) sums[k] += (A)p[i];
}
static inline void VAR(add_squares)(double* squares, const T* p, int64_t n, A mean) {
  int64_t i = 0;
  for (; i + VAR(LANES) <= n; i += VAR(LANES))
    for (int k = 0; k < VAR(LANES); k++) squares[k] += SQUARE((A)p[i + k] - mean);
  for (int k = 0; i < n; i++, k++) squares[k] += SQUARE((A)p[i] - mean);
}

static void VAR(row)(void* state, int64_t at, const char* x, int64_t n, int64_t step,
                     int64_t first, const void* args) {
  (void)first, (void)args;
  enum { LANES = VAR(LANES) };
  A sums[LANES] = {0};
  double squares[LANES] = {0};
  T few[VAR(FEW)];
  const int64_t most = step == (int64_t)sizeof(T) ? n : VAR(FEW);
  for (int64_t i = 0, some; i < n; i += some) {
    some = n - i < most ? n - i : most;
    VAR(add)(sums, VAR(bring)(few, x + i * step, some, step), some);
  }
  for (int k = LANES / 2; k > 0; k /= 2)
    for (int j = 0; j < k; j++) sums[j] += sums[j + k];
  const A mean = sums[0] / (double)n;
  for (int64_t i = 0, some; i < n; i += some) {
    some = n - i < most ? n - i : most;
    VAR(add_squares)(squares, VAR(bring)(few, x + i * step, some, step), some, mean);
  }
  for (int k = LANES / 2; k > 0; k /= 2)
    for (int j = 0; j < k; j++) squares[j] += squares[j + k];
  VAR(join)(state, at, (double)n, mean, squares[0]);
}

static void VAR(columns)(void* state, int64_t n, const char* x, int64_t rows,
                         int64_t row_step, int64_t first, const void* args) {
  (void)first, (void)args;
  A mean[OYI_REDUCE_BLOCK];
  double squares[OYI_REDUCE_BLOCK];
  for (int64_t i = 0; i < n; i++) mean[i] = squares[i] = 0;
  for (int64_t r = 0; r < rows; r++) {
    const T* p = (const T*)(const void*)(x + r * row_step);
    for (int64_t i = 0; i < n; i++) mean[i] += (A)p[i];
  }
  for (int64_t i = 0; i < n; i++) mean[i] /= (double)rows;
  for (int64_t r = 0; r < rows; r++) {
    const T* p = (const T*)(const void*)(x + r * row_step);
    for (int64_t i = 0; i < n; i++) squares[i] += SQUARE((A)p[i] - mean[i]);
  }
  for (int64_t i = 0; i < n; i++) VAR(join)(state, i, (double)rows, mean[i], squares[i]);
}

static void VAR(merge)(void* state, const void* later, int64_t n, const void* args) {
  (void)args;
  VAR(state)* s = state;
  const VAR(state)* from = later;
  for (int64_t i = 0; i < n; i++)
    if (from->count[i] > 0)
      VAR(join)(s, i, from->count[i], from->mean[i], from->squares[i]);
}

static void VAR(finish)(const void* state, int64_t n, void* const* out,
                        const void* args) {
  const VAR(state)* s = state;
  const oyi_var_args* a = args;
  double* var = out[0];
  A* mean = out[1];
  for (int64_t i = 0; i < n; i++) {
    const double freedom = s->count[i] - a->correction;
    const double v = s->squares[i] / (freedom > 0 ? freedom : 0);
    var[i] = a->is_std ? sqrt(v) : v;
    mean[i] = s->count[i] > 0 ? s->mean[i] : s->mean[i] / s->count[i];
  }
}
#undef VAR
#undef T
#undef A
#undef ID
#undef SQUARE
