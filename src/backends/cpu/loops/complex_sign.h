// SPDX-License-Identifier: Apache-2.0
// sgn of complex floats, a piece at a time: first how far each is from 0, then its parts
// divided by that. Compilers make vectors of loops over parts, but not over numbers.
// For loops_arith_body.h, which has sizef().

// |n| numbers, at most as many as |size| holds.
static void divide_by_sizes(float* o, const float* p, float* restrict size, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    const double x = (double)p[2 * i], y = (double)p[2 * i + 1];
    const bool infinite =
        (fabsf(p[2 * i]) == INFINITY) | (fabsf(p[2 * i + 1]) == INFINITY);
    size[i] = infinite ? INFINITY : (float)sqrt(x * x + y * y);
  }
  OYI_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    const float x = p[2 * i] / size[i], y = p[2 * i + 1] / size[i];
    o[2 * i] = size[i] == 0 ? 0 : x;
    o[2 * i + 1] = size[i] == 0 ? 0 : y;
  }
}

static void sgn_parts_c64(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  enum { PIECE = 256, PARTS = 2, BYTES = PARTS * sizeof(float) };
  (void)args;
  float size[PIECE], in[PARTS * PIECE], out[PARTS * PIECE];
  char* o = data[0];
  const char* x = data[1];
  for (int64_t done = 0; done < n; done += PIECE) {
    const int64_t some = n - done < PIECE ? n - done : PIECE;
    if (strides[0] == BYTES && strides[1] == BYTES) {
      divide_by_sizes((float*)(void*)(o + done * BYTES),
                      (const float*)(const void*)(x + done * BYTES), size, some);
      continue;
    }
    for (int64_t i = 0; i < some; i++)
      memcpy(in + PARTS * i, x + (done + i) * strides[1], BYTES);
    divide_by_sizes(out, in, size, some);
    for (int64_t i = 0; i < some; i++)
      memcpy(o + (done + i) * strides[0], out + PARTS * i, BYTES);
  }
}
