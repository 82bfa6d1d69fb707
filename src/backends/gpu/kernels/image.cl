// SPDX-License-Identifier: Apache-2.0
// Images under windows of two dimensions. Before this text stand DTYPE, S and one of the
// names below. Images are contiguous: batch x channels x height x width. Rows are shared
// as team.cl has it.
typedef struct window {
  long channels, height, width;     // of an image
  long down, across;                // places of the window
  long extent[2], stride[2], padding[2], dilation[2];
} window;

#if defined(IM2COL)
// columns[image, channel, kh, kw, place] of |images| images, of |channels| channels from
// |first| on; |all| channels lie in an image. 0 outside.
kernel void run(__global const char* a_p, long a_o, __global char* c_p, long c_o, long images,
                long all, long first, window w, int lanes, int along) {
  TEAM(S, lanes, along);
  const long kernels = w.extent[0] * w.extent[1];
  const long row = ROW;
  if (row >= images * w.channels * kernels) return;
  const long plane = (long)over((ulong)row, (ulong)kernels), k = row - plane * kernels;
  const long image = (long)over((ulong)plane, (ulong)w.channels);
  const long channel = plane - image * w.channels;
  const long kh = (long)over((ulong)k, (ulong)w.extent[1]), kw = k - kh * w.extent[1];
  a_p += a_o, c_p += c_o;
  const long from = (image * all + first + channel) * w.height * w.width;
  const long to = row * w.down * w.across;
  for (long at = LANE; at < w.down * w.across; at += lanes) {
    const long i = (long)over((ulong)at, (ulong)w.across), j = at - i * w.across;
    const long y = i * w.stride[0] - w.padding[0] + kh * w.dilation[0];
    const long x = j * w.stride[1] - w.padding[1] + kw * w.dilation[1];
    const bool inside = y >= 0 && y < w.height && x >= 0 && x < w.width;
    ST(DTYPE, c_p, to + at, inside ? LD(DTYPE, a_p, from + y * w.width + x) : (S)0);
  }
}

#elif defined(COL2IM)
// The adjoint: each element of the images is the sum of those of the columns that it is in.
kernel void run(__global const char* a_p, long a_o, __global char* c_p, long c_o, long images,
                long all, long first, window w, int lanes, int along) {
  TEAM(S, lanes, along);
  const long id = ROW, area = w.height * w.width;
  if (id >= images * w.channels * w.height) return;
  const long plane = (long)over((ulong)id, (ulong)w.height), y = id - plane * w.height;
  const long image = (long)over((ulong)plane, (ulong)w.channels);
  const long channel = plane - image * w.channels, places = w.down * w.across;
  const long kernels = w.extent[0] * w.extent[1];
  a_p += a_o + (image * w.channels + channel) * kernels * places * (long)SIZE;
  c_p += c_o;
  const long to = (image * all + first + channel) * area + y * w.width;
  for (long x = LANE; x < w.width; x += lanes) {
    S sum = 0;
    for (long kh = 0; kh < w.extent[0]; kh++) {
      const long i = y + w.padding[0] - kh * w.dilation[0];
      const long down = i < 0 ? 0 : (long)over((ulong)i, (ulong)w.stride[0]);
      if (i < 0 || down * w.stride[0] != i || down >= w.down) continue;
      for (long kw = 0; kw < w.extent[1]; kw++) {
        const long j = x + w.padding[1] - kw * w.dilation[1];
        const long across = j < 0 ? 0 : (long)over((ulong)j, (ulong)w.stride[1]);
        if (j < 0 || across * w.stride[1] != j || across >= w.across) continue;
        sum += LD(DTYPE, a_p,
                  ((kh * w.extent[1] + kw) * w.down + down) * w.across + across);
      }
    }
    ST(DTYPE, c_p, to + x, sum);
  }
}

#elif defined(MAX_POOL)
// a: images, c: the greatest elements, d: where they are in their image; the first one
// counts, and NaN is the greatest. A window that lies outside has -inf, and names the
// place that it would begin at.
kernel void run(__global const char* a_p, long a_o, __global char* c_p, long c_o,
                __global char* d_p, long d_o, long planes, window w, int lanes, int along) {
  TEAM(S, lanes, along);
  const long row = ROW;
  if (row >= planes * w.down) return;
  const long plane = (long)over((ulong)row, (ulong)w.down), i = row - plane * w.down;
  a_p += a_o + plane * w.height * w.width * (long)SIZE;
  for (long j = LANE; j < w.across; j += lanes) {
    S best = -(S)INFINITY;
    long top = i * w.stride[0] - w.padding[0], left = j * w.stride[1] - w.padding[1];
    while (top < 0) top += w.dilation[0];
    while (left < 0) left += w.dilation[1];
    long at = top * w.width + left;
    for (long kh = 0; kh < w.extent[0]; kh++)
      for (long kw = 0; kw < w.extent[1]; kw++) {
        const long y = i * w.stride[0] - w.padding[0] + kh * w.dilation[0];
        const long x = j * w.stride[1] - w.padding[1] + kw * w.dilation[1];
        if (y < 0 || y >= w.height || x < 0 || x >= w.width) continue;
        const S v = LD(DTYPE, a_p, y * w.width + x);
        if (v > best || v != v) best = v, at = y * w.width + x;
      }
    ST(DTYPE, c_p + c_o, row * w.across + j, best);
    AT(long, d_p + d_o)[row * w.across + j] = at;
  }
}

#elif defined(MAX_POOL_BACKWARD)
// a: gradient of the result, d: where the elements were, c: gradient of the images.
kernel void run(__global const char* a_p, long a_o, __global char* c_p, long c_o,
                __global const char* d_p, long d_o, long planes, window w, int lanes, int along) {
  TEAM(S, lanes, along);
  const long plane = ROW, places = w.down * w.across;
  if (plane >= planes) return;
  a_p += a_o, d_p += d_o;
  c_p += c_o + plane * w.height * w.width * (long)SIZE;
  for (long i = 0; i < w.height * w.width; i++) ST(DTYPE, c_p, i, (S)0);
  for (long i = 0; i < places; i++) {
    const long at = AT(const long, d_p)[plane * places + i];
    if (at < 0 || at >= w.height * w.width) continue;
    ST(DTYPE, c_p, at, LD(DTYPE, c_p, at) + LD(DTYPE, a_p, plane * places + i));
  }
}
#endif
