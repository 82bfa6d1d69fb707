// SPDX-License-Identifier: Apache-2.0
// Fills tables of windows for elements T, named by ID; INT is an integer of its size.

// The elements of a window, |lanes| from one to the next.
static void JOIN(list, ID)(const cursor* c, int64_t lanes, INT* to) {
  const windows* w = c->w;
  const range rd = w->ranges[0][c->place[0]], rh = w->ranges[1][c->place[1]],
              rw = w->ranges[2][c->place[2]];
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t line = c->base + (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += w->step[2], to += lanes)
        *to = (INT)(line + k);
    }
}

// The place |c| is at, in lane |at| of all vectors.
static void JOIN(put, ID)(const cursor* c, oyi_pool_places* p, int64_t at) {
  const windows* w = c->w;
  const int64_t by = oyi_pool_divisor(
      w, w->ranges[0][c->place[0]], w->ranges[1][c->place[1]], w->ranges[2][c->place[2]]);
  ((INT*)p->counts)[at] = (INT)(c->counts[0] * c->counts[1] * c->counts[2]);
  ((INT*)p->bases)[at] = (INT)c->base;
  ((T*)p->divisors)[at] = (T)by;
}

// One vector, at |c|, which has moved behind it then; gives where the next one begins.
static int64_t JOIN(fill_vector, ID)(cursor* c, oyi_pool_places* p, int64_t v,
                                     int64_t lanes) {
  const INT* counts = (const INT*)p->counts + v * lanes;
  INT *to = (INT*)p->offsets + p->begin[v] * lanes, most = 0;
  for (int64_t lane = 0; lane < lanes; lane++, next(c)) {
    JOIN(put, ID)(c, p, v * lanes + lane);
    JOIN(list, ID)(c, lanes, to + lane);
    if (counts[lane] > most) most = counts[lane];
  }
  for (int64_t lane = 0; lane < lanes; lane++)
    for (int64_t k = counts[lane]; k < most; k++)
      to[k * lanes + lane] = to[(k - 1) * lanes + lane];
  return p->begin[v] + most;
}

static void JOIN(fill, ID)(const windows* w, oyi_pool_places* p, int64_t lanes) {
  cursor c = cursor_at(w, 0);
  p->begin[0] = 0;
  for (int64_t v = 0; v < p->vectors; v++) {
    // The last vector lies over places of the one before it.
    const int64_t first = (v + 1) * lanes <= p->count ? v * lanes : p->count - lanes;
    if (first < v * lanes) c = cursor_at(w, first);
    p->begin[v + 1] = JOIN(fill_vector, ID)(&c, p, v, lanes);
  }
}
