// SPDX-License-Identifier: Apache-2.0
// A store into memory reads the line first, beside what the inputs read. A loop computes into
// a buffer that stays in the first cache, and whole lines of that go to memory without being
// read: a sum of two takes 0.75 of the time. Nothing else is computed meanwhile, as it is beside
// stores that go by the caches, so that one input gains nothing, and what computes for longer,
// as exp, loses. So does one thread on some machines, from one process to the next, where two ask
// for more than memory gives. A copy, which computes nothing, takes 0.65 to 0.8 of the time.
#include "tensor/iterator_stream.h"

#include "opyard/threads.h"
#include "tensor/move.h"

enum { BLOCK = 1024, LINE = 64 };

typedef struct streamed {
  oyi_loop loop;
  const void* args;
  int count;
  int64_t item;
} streamed;

static bool has_great_output(const oyi_iter* it) {
  const int64_t item = oyi_item(it->tensors[0]);
  return oyi_moves_of_machine()->stream && it->ndim == 1 && it->strides[0][0] == item &&
         it->sizes[0] * item >= OYI_STREAM_LEAST &&
         (uintptr_t)it->data[0] % (uintptr_t)item == 0;
}

bool oyi_iter_streams(const oyi_iter* it) {
  const int64_t item = oyi_item(it->tensors[0]);
  if (oy_get_num_threads() == 1 || !has_great_output(it)) return false;
  int as_great = 0;
  for (int k = 1; k < it->count; k++) {
    if (it->data[k] == it->data[0]) return false;
    as_great += it->strides[0][k] == item;
  }
  return as_great >= 2;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Where everybody is after |steps|. Pointers that were just written are not read again: two of
// them read at once wait for all stores before them, those into memory too.
static void place(const streamed* s, char* const* data, const int64_t* strides,
                  int64_t steps, char** at) {
  for (int k = 0; k < s->count; k++) at[k] = data[k] + steps * strides[k];
}

static void stream_loop(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  const streamed* s = args;
  const int64_t item = s->item, some = BLOCK / item;
  _Alignas(LINE) char buffer[BLOCK];
  char* at[OYI_ITER_MAX];
  int64_t done = least((int64_t)(-(uintptr_t)data[0] % LINE) / item, n);
  if (done > 0) s->loop(done, data, strides, s->args);
  for (; n - done >= some; done += some) {
    place(s, data, strides, done, at);
    at[0] = buffer;
    s->loop(some, at, strides, s->args);
    oyi_moves_of_machine()->stream(data[0] + done * item, buffer, BLOCK);
  }
  if (done < n) {
    place(s, data, strides, done, at);
    s->loop(n - done, at, strides, s->args);
  }
  oyi_moves_of_machine()->end_stream();
}

// What is copied needs no buffer.
static void stream_copy(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  (void)args;
  char* to = data[0];
  const char* from = data[1];
  const int64_t bytes = n * strides[0];
  const int64_t head = least((int64_t)(-(uintptr_t)to % LINE), bytes);
  const int64_t whole = (bytes - head) / LINE * LINE, tail = bytes - head - whole;
  oyi_move_copy(to, from, (size_t)head);
  oyi_moves_of_machine()->stream(to + head, from + head, (size_t)whole);
  oyi_move_copy(to + head + whole, from + head + whole, (size_t)tail);
  oyi_moves_of_machine()->end_stream();
}

bool oyi_iter_stream_move(const oyi_iter* it) {
  if (!has_great_output(it) || it->strides[0][1] != it->strides[0][0] ||
      it->data[0] == it->data[1])
    return false;
  oyi_iter_run_dims(it, stream_copy, NULL);
  return true;
}

void oyi_iter_stream(const oyi_iter* it, oyi_loop loop, const void* args) {
  const streamed s = {loop, args, it->count, oyi_item(it->tensors[0])};
  oyi_iter_run_dims(it, stream_loop, &s);
}
