// SPDX-License-Identifier: Apache-2.0
// Runs of like elements of one type, T, whose name is ID: how many there are, then the first
// of each, the runs of the elements, and their lengths, where these are asked for. Every
// element is written behind the last first one, and stays if it is one: no branch is to be
// foreseen.
static int64_t OYI_JOIN(count_runs, ID)(const void* from, int64_t n) {
  const T* x = from;
  int64_t count = n > 0;
  for (int64_t i = 1; i < n; i++) count += x[i] != x[i - 1];
  return count;
}

static void OYI_JOIN(fill_runs, ID)(const void* from, int64_t n, int64_t count, void* to,
                                    int64_t* inverse, int64_t* counts) {
  const T* x = from;
  T* o = to;
  if (count > 0) o[0] = x[0];
  for (int64_t i = 1, at = 1; at < count; i++) {
    o[at] = x[i];
    at += x[i] != x[i - 1];
  }
  if (inverse && n > 0) inverse[0] = 0;
  for (int64_t i = 1; inverse && i < n; i++)
    inverse[i] = inverse[i - 1] + (x[i] != x[i - 1]);
  if (!counts || count == 0) return;
  // Where they begin, and how far it is from there to the next.
  counts[0] = 0;
  for (int64_t i = 1, at = 1; at < count; i++) {
    counts[at] = i;
    at += x[i] != x[i - 1];
  }
  for (int64_t k = 0; k < count; k++)
    counts[k] = (k + 1 < count ? counts[k + 1] : n) - counts[k];
}
#undef T
#undef ID
