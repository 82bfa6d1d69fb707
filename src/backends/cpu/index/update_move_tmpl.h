// SPDX-License-Identifier: Apache-2.0
// Moving elements of one size: T and ID are given, and undefined here.
static void OYI_JOIN(set_row, ID)(int64_t n, char* to, int64_t to_step, const char* from,
                                  int64_t from_step) {
  if (to_step == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T)) {
    memcpy(to, from, (size_t)n * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)
    *(T*)(void*)to = *(const T*)(const void*)from;
}

static void OYI_JOIN(set_at, ID)(int64_t n, char* to, int64_t scale, const char* index,
                                 int64_t index_step, const char* from,
                                 int64_t from_step) {
  if (scale == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T) &&
      index_step == (int64_t)sizeof(int64_t)) {
    const int64_t* places = (const int64_t*)(const void*)index;
    const T* values = (const T*)(const void*)from;
    OYI_UNROLL
    for (int64_t i = 0; i < n; i++) ((T*)(void*)to)[places[i]] = values[i];
    return;
  }
  for (int64_t i = 0; i < n; i++, index += index_step, from += from_step)
    *(T*)(void*)(to + *(const int64_t*)(const void*)index * scale) =
        *(const T*)(const void*)from;
}

static void OYI_JOIN(take, ID)(int64_t n, char* to, int64_t to_step, const char* from,
                               int64_t scale, const char* index, int64_t index_step) {
  if (scale == (int64_t)sizeof(T) && to_step == (int64_t)sizeof(T) &&
      index_step == (int64_t)sizeof(int64_t)) {
    const int64_t* places = (const int64_t*)(const void*)index;
    T* taken = (T*)(void*)to;
    OYI_UNROLL
    for (int64_t i = 0; i < n; i++) taken[i] = ((const T*)(const void*)from)[places[i]];
    return;
  }
  for (int64_t i = 0; i < n; i++, index += index_step, to += to_step)
    *(T*)(void*)to =
        *(const T*)(const void*)(from + *(const int64_t*)(const void*)index * scale);
}
#undef T
#undef ID
