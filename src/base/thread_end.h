// SPDX-License-Identifier: Apache-2.0
// What runs when a thread ends, until this library is unloaded: a thread may well
// outlive it, and must not jump to where it was.
#ifndef OPYARD_SRC_BASE_THREAD_END_H_
#define OPYARD_SRC_BASE_THREAD_END_H_

#include <pthread.h>
#include <stdbool.h>

// Static, and of one use: {.run = function}.
typedef struct oyi_thread_end {
  void (*run)(void* data);
  struct oyi_thread_end* next;
  pthread_key_t key;
  bool armed;
} oyi_thread_end;

// Calls run(|data|) when the calling thread ends; the last |data| counts, and NULL is
// no call. The thread that unloads the library makes its calls then; what other threads
// still hold stays allocated. False if the system has no room for it, or when the
// library is already being unloaded. Thread-safe.
bool oyi_thread_end_set(oyi_thread_end* end, void* data);

#endif  // OPYARD_SRC_BASE_THREAD_END_H_
