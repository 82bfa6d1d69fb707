// SPDX-License-Identifier: Apache-2.0
// Rows of columns, part of conv_tiles_tmpl.h: lines of an image, of which some is padding, are
// moved as whole vectors with a mask, since to find the ends of a short one takes longer. Where
// lines are is found once for all channels.

// What a kernel element, at |right|, |down| and |behind| from a window's place, sees of
// |channels|, whose rows are |next| elements apart.
typedef struct JOIN(seen, ID) {
  const oyi_conv* conv;
  int64_t channels, volume, next;
  int64_t right, down, behind;
  int64_t low, high;  // of a line of the map, what is inside
} JOIN(seen, ID);

// Some lines of one channel: from |from| to |to|, behind which there are |room| elements.
typedef struct JOIN(move, ID) {
  const T* from;
  T* to;
  int64_t lines, room;
  uint64_t reads;  // which of the elements that a vector spans are there
} JOIN(move, ID);

static inline __attribute__((always_inline)) void JOIN(move_zeros, ID)(T* to,
                                                                       int64_t count) {
  const JOIN(vec, ID) none = {0};
  for (; count >= LANES; count -= LANES, to += LANES) memcpy(to, &none, TILE_BYTES);
  JOIN(put_some, ID)(none, 0, count, to);
}

// A vector of each line. It may write behind it, where the next line is going to be.
static inline __attribute__((always_inline)) void JOIN(move_lines,
                                                       ID)(const int apart,
                                                           const JOIN(seen, ID) * s,
                                                           const JOIN(move, ID) * m) {
  const int64_t step = s->conv->stride[1] * s->conv->image[2], pitch = s->conv->map[2];
  __mmask16 masks[4];
  for (int j = 0; j < apart; j++) masks[j] = (__mmask16)(m->reads >> (j * LANES));
  for (int64_t i = 0; i < s->channels; i++) {
    const T* from = m->from + i * s->volume;
    T* to = m->to + i * s->next;
    int64_t room = m->room;
    for (int64_t y = 0; y < m->lines; y++, from += step, to += pitch, room -= pitch) {
      JOIN(vec, ID) x;
      if (apart > 1)
        x = JOIN(pick_some, ID)(apart, from, masks);
      else if (sizeof(T) == sizeof(float))
        x = (JOIN(vec, ID))_mm512_maskz_loadu_epi32(masks[0], from);
      else
        x = (JOIN(vec, ID))_mm512_maskz_loadu_epi64((__mmask8)masks[0], from);
      if (room >= LANES)
        memcpy(to, &x, TILE_BYTES);
      else
        JOIN(put_some, ID)(x, 0, room, to);
    }
  }
}

// Places |first| to |end| of each line, which are no more than a vector.
static void JOIN(move_vector, ID)(const JOIN(seen, ID) * s, int64_t first, int64_t end,
                                  JOIN(move, ID) m) {
  const int64_t apart = s->conv->stride[2];
  const int64_t low = s->low > first ? s->low - first : 0;
  const int64_t high = (s->high < end ? s->high : end) - first;
  if (low < high) m.reads = ((2ull << (high - 1 - low) * apart) - 1) << low * apart;
  m.from += first * apart;
  switch (apart) {
    case 1: JOIN(move_lines, ID)(1, s, &m); break;
    case 2: JOIN(move_lines, ID)(2, s, &m); break;
    case 3: JOIN(move_lines, ID)(3, s, &m); break;
    default: JOIN(move_lines, ID)(4, s, &m);
  }
}

// Places |first| to |end| of |lines| lines of plane |z|, from |y| on.
static void JOIN(move_part, ID)(const JOIN(seen, ID) * s, const T* image, int64_t z,
                                int64_t y, int64_t lines, int64_t first, int64_t end,
                                int64_t room, T* to) {
  const oyi_conv* c = s->conv;
  const int64_t step = c->stride[1], width = c->map[2], below = c->image[1] - s->down;
  const int64_t plane = z * c->stride[0] + s->behind;
  int64_t from = s->down < 0 ? -s->down : 0, stop = below > 0 ? below : 0;
  if (step > 1) from = (from + step - 1) / step, stop = (stop + step - 1) / step;
  if (from < y) from = y;
  if (stop > y + lines) stop = y + lines;
  if (stop <= from || plane < 0 || plane >= c->image[0]) from = stop = y + lines;
  const int64_t all = (lines - 1) * width + end - first;
  const int64_t before = (from - y) * width < all ? (from - y) * width : all;
  for (int64_t i = 0; i < s->channels && before > 0; i++)
    JOIN(move_zeros, ID)(to + i * s->next, before);
  const int64_t line = plane * c->image[1] + from * step + s->down;
  for (int64_t x = first; x < end && from < stop; x += LANES) {
    const int64_t at = x + LANES <= end || end - first < LANES ? x : end - LANES;
    const int64_t skip = before + at - first;
    const JOIN(move, ID) m = {.from = image + line * c->image[2] + s->right,
                              .to = to + skip,
                              .lines = stop - from,
                              .room = room - skip};
    JOIN(move_vector, ID)(s, at, at + LANES < end ? at + LANES : end, m);
  }
  const int64_t after = (stop - y) * width;
  for (int64_t i = 0; i < s->channels && after < all; i++)
    JOIN(move_zeros, ID)(to + i * s->next + after, all - after);
}

// Whole planes, between what of one is before the first of them and what is after the last.
static void JOIN(column, ID)(const oyi_conv* c, const void* image, int64_t channels,
                             const int64_t* k, const int64_t* inside, int64_t first,
                             int64_t count, void* row) {
  const int64_t width = c->map[2];
  JOIN(seen, ID)
  s = {.conv = c, .channels = channels, .low = inside[0], .high = inside[1]};
  s.volume = oyi_volume(c->image), s.next = oyi_volume(c->kernel) * count;
  s.right = k[2] * c->dilation[2] - c->padding[2];
  s.down = k[1] * c->dilation[1] - c->padding[1];
  s.behind = k[0] * c->dilation[0] - c->padding[0];
  int64_t z = 0, y = 0, x = 0;
  if (first > 0) z = first / width, x = first - z * width, y = z;
  if (first > 0) z /= c->map[1], y -= z * c->map[1];
  for (int64_t left = count, some; left > 0; left -= some, x = 0) {
    T* to = (T*)row + count - left;
    int64_t lines = c->map[1] - y, end = width;
    if (x > 0 || left < width)
      lines = 1, end = x + left < width ? x + left : width;
    else if (left < lines * width)
      lines = left / width;
    some = (lines - 1) * width + end - x;
    JOIN(move_part, ID)(&s, image, z, y, lines, x, end, left, to);
    y += lines;
    if (y == c->map[1]) y = 0, z++;
  }
}
