// SPDX-License-Identifier: Apache-2.0
// Biased locking: what nearly always one thread alone does, it does without locked
// instructions, each of which takes up to twenty cycles and lets nothing pass. One thread
// has the bias. It marks that it is inside, looks whether the bias is still there, and does
// what it came for; the fence between the two is bought by who takes the bias away, with
// membarrier(2), as in dispatch/epoch.h. Each thread that comes anew takes it from the one
// that has it. After a few such changes nobody has it any more, and all use locks and atomic
// operations:
//
//   if (oyi_bias_enter()) { plainly; oyi_bias_leave(); } else { atomically }
//
// Between the two: a few instructions that enter nothing and wait for nobody. It guards
// whatever all sides enter for. Under ThreadSanitizer nobody has it, ever.
#ifndef OPYARD_SRC_TENSOR_BIAS_H_
#define OPYARD_SRC_TENSOR_BIAS_H_

#include "opyard/base.h"

enum oyi_bias_state {
  OYI_BIAS_UNKNOWN,  // this thread has to ask
  OYI_BIAS_OWN,
  OYI_BIAS_OVER  // nobody has it, for good
};
typedef struct oyi_bias_block {
  uint32_t inside;  // written by its thread alone
  uint32_t state;   // atomic
} oyi_bias_block;

extern __thread oyi_bias_block oyi_bias __attribute__((tls_model("initial-exec")));

// Of a thread that does not have it, and is not inside: gets it, or learns that it is over.
bool oyi_bias_ask(void);

// Whether the thread has it, and is inside now, as the only one. OYI_BIAS_UNKNOWN: it has to
// ask, or to leave it to a slower way that does.
static inline enum oyi_bias_state oyi_bias_try(void) {
  __atomic_store_n(&oyi_bias.inside, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const uint32_t state = __atomic_load_n(&oyi_bias.state, __ATOMIC_ACQUIRE);
  if (OY_UNLIKELY(state != OYI_BIAS_OWN))
    __atomic_store_n(&oyi_bias.inside, 0, __ATOMIC_RELEASE);
  return (enum oyi_bias_state)state;
}
// The same with asking. False from some time on: then all use atomic operations.
static inline bool oyi_bias_enter(void) {
  const enum oyi_bias_state state = oyi_bias_try();
  return OY_LIKELY(state == OYI_BIAS_OWN) ||
         (state == OYI_BIAS_UNKNOWN && oyi_bias_ask());
}
// Harmless where the thread is not inside.
static inline void oyi_bias_leave(void) {
  __atomic_store_n(&oyi_bias.inside, 0, __ATOMIC_RELEASE);
}

// Counting; all of a word's is done so, or inside by atomic operations. Without the bias in a
// call, so that who has it need not save registers.
void oyi_bias_count_slow(uint32_t* word);
static inline void oyi_bias_count(uint32_t* word) {
  if (OY_UNLIKELY(oyi_bias_try() != OYI_BIAS_OWN)) {
    oyi_bias_count_slow(word);
    return;
  }
  __atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
  oyi_bias_leave();
}
static inline void oyi_bias_retain(int32_t* references) {
  oyi_bias_count((uint32_t*)(void*)references);
}
// Gives a reference up. Whether it was the last; the only one goes as it is.
bool oyi_bias_drop_slow(int32_t* references);
static inline bool oyi_bias_drop(int32_t* references) {
  if (__atomic_load_n(references, __ATOMIC_ACQUIRE) == 1) return true;
  if (OY_UNLIKELY(oyi_bias_try() != OYI_BIAS_OWN)) return oyi_bias_drop_slow(references);
  const int32_t left = __atomic_load_n(references, __ATOMIC_RELAXED) - 1;
  __atomic_store_n(references, left, __ATOMIC_RELEASE);
  oyi_bias_leave();
  return left == 0;
}

// A spin lock, for a few instructions; the bias stands in for it while a thread has that.
void oyi_spin_lock_slow(uint8_t* lock);
static inline void oyi_spin_lock(uint8_t* lock) {
  if (OY_UNLIKELY(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)))
    oyi_spin_lock_slow(lock);
}
static inline bool oyi_spin_try(uint8_t* lock) {
  return !__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE);
}
static inline void oyi_spin_unlock(uint8_t* lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
static inline void oyi_biased_lock(uint8_t* lock) {
  if (OY_UNLIKELY(!oyi_bias_enter())) oyi_spin_lock(lock);
}
// False: somebody has it, or it is not known who has the bias; then oyi_biased_lock.
static inline bool oyi_biased_try(uint8_t* lock) {
  const enum oyi_bias_state state = oyi_bias_try();
  return OY_LIKELY(state == OYI_BIAS_OWN) ||
         (state == OYI_BIAS_OVER && oyi_spin_try(lock));
}
// Whichever of the two it was: who has the bias finds the lock open, and leaves it so.
static inline void oyi_biased_unlock(uint8_t* lock) {
  oyi_spin_unlock(lock);
  oyi_bias_leave();
}

#endif  // OPYARD_SRC_TENSOR_BIAS_H_
