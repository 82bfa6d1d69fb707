// SPDX-License-Identifier: Apache-2.0
// One update of one type: NAME and EXPR(a, b) are given and undefined here; T, ID, DTYPE,
// LOAD(x) and STORE(v) are the including file's. LOOP, where given, is the elementwise
// operation that long rows go through if it has a loop of the dtype: by wider vectors. Its
// arguments are of type NUMBER.
static void OYI_JOIN(NAME, OYI_JOIN(row, ID))(int64_t n, char* to, int64_t to_step,
                                              const char* from, int64_t from_step) {
#ifdef LOOP
  const oyi_loop loop = oyi_cpu_loops[OYI_JOIN(OYI_LOOP, LOOP)][DTYPE];
  if (loop && n >= LONG_ROW && to_step == (int64_t)sizeof(T)) {
    const NUMBER one[] = {1, 0, 0};  // what sums multiply by
    loop(n, (char*[]){to, to, (char*)(uintptr_t)from},
         (int64_t[]){to_step, to_step, from_step}, one);
    return;
  }
#endif
  if (to_step == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T)) {
    T* o = (T*)(void*)to;
    const T* x = (const T*)(const void*)from;
    for (int64_t i = 0; i < n; i++) o[i] = STORE(EXPR(LOAD(o[i]), LOAD(x[i])));
    return;
  }
  for (int64_t i = 0; i < n; i++, to += to_step, from += from_step) {
    T* o = (T*)(void*)to;
    *o = STORE(EXPR(LOAD(*o), LOAD(*(const T*)(const void*)from)));
  }
}

static void OYI_JOIN(NAME, OYI_JOIN(at, ID))(int64_t n, char* to, int64_t to_step,
                                             int64_t scale, const char* index,
                                             int64_t index_step, const char* from,
                                             int64_t from_step) {
  // Arrays, which most are: no element waits for where it lies. Eight at known distances take
  // the fewest instructions.
  if (to_step == 0 && scale == (int64_t)sizeof(T) &&
      index_step == (int64_t)sizeof(int64_t) && from_step == (int64_t)sizeof(T)) {
    T* o = (T*)(void*)to;
    const T* x = (const T*)(const void*)from;
    const int64_t* at = (const int64_t*)(const void*)index;
    enum { SOME = 8 };
    int64_t i = 0;
    for (; i + SOME <= n; i += SOME) {
      OYI_UNROLL_BY(8)
      for (int k = 0; k < SOME; k++) {
        T* here = o + at[i + k];
        *here = STORE(EXPR(LOAD(*here), LOAD(x[i + k])));
      }
    }
    for (; i < n; i++) o[at[i]] = STORE(EXPR(LOAD(o[at[i]]), LOAD(x[i])));
    return;
  }
  OYI_UNROLL
  for (int64_t i = 0; i < n; i++, to += to_step, index += index_step, from += from_step) {
    T* o = (T*)(void*)(to + *(const int64_t*)(const void*)index * scale);
    *o = STORE(EXPR(LOAD(*o), LOAD(*(const T*)(const void*)from)));
  }
}

UPDATE_LINES(OYI_JOIN(NAME, OYI_JOIN(lines, ID)), T,
             STORE(EXPR(LOAD(o[index[i]]), LOAD(x[i]))))
#undef NAME
#undef EXPR
#undef LOOP
