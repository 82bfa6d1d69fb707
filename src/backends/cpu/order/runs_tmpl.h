// SPDX-License-Identifier: Apache-2.0
// Runs of like elements of one type, T, whose name is ID, which UNLIKE(a, b) tells apart. Every
// element is written behind the last first one, and stays if it is one: no branch is to be
// foreseen.
static inline __attribute__((always_inline)) int64_t OYI_JOIN(take, ID)(
    const T* x, int64_t n, T* firsts, int64_t* inverse, int64_t* starts) {
  int64_t at = 0;
  if (n == 0) return 0;
  firsts[0] = x[0];
  if (inverse) inverse[0] = 0;
  if (starts) starts[0] = 0;
  for (int64_t i = 1; i < n; i++) {
    firsts[at + 1] = x[i];
    if (starts) starts[at + 1] = i;
    at += UNLIKE(x[i], x[i - 1]);
    if (inverse) inverse[i] = at;
  }
  return at + 1;
}

static int64_t OYI_JOIN(take_runs, ID)(const void* x, int64_t n, void* firsts,
                                       int64_t* inverse, int64_t* starts) {
  if (inverse && starts) return OYI_JOIN(take, ID)(x, n, firsts, inverse, starts);
  if (inverse) return OYI_JOIN(take, ID)(x, n, firsts, inverse, NULL);
  if (starts) return OYI_JOIN(take, ID)(x, n, firsts, NULL, starts);
  return OYI_JOIN(take, ID)(x, n, firsts, NULL, NULL);
}
#undef T
#undef ID
