// SPDX-License-Identifier: Apache-2.0
// Sums of one type: T, ID, and ACC, the type of the running sum. A long row goes
// into eight sums at a time, which is faster and loses less than one.
static void OYI_JOIN(sum, ID)(int64_t n, char* const* data, const int64_t* strides,
                              const void* args) {
  (void)args;
  char* out = data[0];
  const char* x = data[1];
  const int64_t so = strides[0], sx = strides[1];
  if (so != 0) {
    for (int64_t i = 0; i < n; i++, out += so, x += sx)
      *(ACC*)(void*)out += (ACC) * (const T*)(const void*)x;
    return;
  }
  ACC lanes[8] = {0};
  int64_t i = 0;
  if (sx == (int64_t)sizeof(T)) {
    const T* a = (const T*)(const void*)x;
    for (; i + 8 <= n; i += 8)
      for (int k = 0; k < 8; k++) lanes[k] += (ACC)a[i + k];
  }
  for (; i < n; i++) lanes[0] += (ACC) * (const T*)(const void*)(x + i * sx);
  for (int k = 4; k > 0; k /= 2)
    for (int j = 0; j < k; j++) lanes[j] += lanes[j + k];
  *(ACC*)(void*)out += lanes[0];
}
