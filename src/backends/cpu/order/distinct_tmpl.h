// SPDX-License-Identifier: Apache-2.0
// Elements of one type, T, whose name is ID, by KEY(x), integers in the same order: in a table of
// all from the least of these to the greatest.
static void OYI_JOIN(bounds, ID)(const void* x, int64_t n, int64_t* least,
                                 int64_t* greatest) {
  const T* p = x;
  T low = KEY(p[0]), high = low;
  for (int64_t i = 1; i < n; i++) {
    const T key = KEY(p[i]);
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  *least = (int64_t)low;
  *greatest = (int64_t)high;
}

// The place of the first of several, and 1. Most often all of |range| are soon found.
static void OYI_JOIN(mark, ID)(const void* x, int64_t n, int64_t least, int64_t range,
                               int64_t* table) {
  const T* p = x;
  for (int64_t i = 0, left = range; i < n && left > 0; i++) {
    int64_t* const mark = &table[(uint64_t)KEY(p[i]) - (uint64_t)least];
    if (*mark) continue;
    *mark = i + 1;
    left--;
  }
}

static void OYI_JOIN(number, ID)(const void* x, int64_t n, int64_t least,
                                 const int64_t* table, int64_t* numbers) {
  const T* p = x;
  for (int64_t i = 0; i < n; i++)
    numbers[i] = table[(uint64_t)KEY(p[i]) - (uint64_t)least];
}

static void OYI_JOIN(count, ID)(const void* x, int64_t n, int64_t least,
                                const int64_t* table, int64_t* counts) {
  const T* p = x;
  for (int64_t i = 0; i < n; i++) counts[table[(uint64_t)KEY(p[i]) - (uint64_t)least]]++;
}
