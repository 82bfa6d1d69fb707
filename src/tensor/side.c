// SPDX-License-Identifier: Apache-2.0
// Versions of their own, weak references, attachments. All are rare, so they hang on a
// record that most tensors do not have.
#include "base/memory.h"
#include "tensor/impl.h"

// |tensor| is read and cleared under |lock|, so that whoever holds the lock may look at
// the tensor's count: it cannot be freed meanwhile.
struct oy_weak {
  int32_t references;  // atomic; the tensor holds one
  uint8_t lock;
  oyi_tensor* tensor;  // NULL: it is gone
};

oyi_side* oyi_side_get(oyi_tensor* t) {
  oyi_side* side = __atomic_load_n(&t->side, __ATOMIC_ACQUIRE);
  if (side) return side;
  oyi_side* made = oyi_zalloc(sizeof(*made));
  if (!made) return NULL;
  // Another thread may take a weak reference at the same time.
  if (__atomic_compare_exchange_n(&t->side, &side, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  oyi_free(made);
  return side;
}

static void counter_release(oyi_counter* c) {
  if (c && __atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL) == 0) oyi_free(c);
}

oy_status oyi_version_separate(oyi_tensor* t, uint32_t version) {
  oyi_side* side = oyi_side_get(t);
  oyi_counter* c = side ? oyi_malloc(sizeof(*c)) : NULL;
  if (!c) return OY_OUT_OF_MEMORY;
  *c = (oyi_counter){1, version};
  counter_release(side->counter);
  side->counter = c;
  return OY_OK;
}

void oyi_attachment_release(oyi_attachment* a) {
  if (a && __atomic_sub_fetch(&a->references, 1, __ATOMIC_ACQ_REL) == 0) a->destroy(a);
}

// |is_wrapped|: where what the tensor stands for is kept, else where its handler is.
static oy_status hang(oyi_tensor* t, oyi_attachment* attachment, bool is_wrapped) {
  if (!attachment && !t->side) return OY_OK;
  oyi_side* side = oyi_side_get(t);
  if (!side) return OY_OUT_OF_MEMORY;
  oyi_attachment** place = is_wrapped ? &side->wrapped : &side->attachment;
  oyi_attachment* before = *place;
  if (attachment) __atomic_fetch_add(&attachment->references, 1, __ATOMIC_RELAXED);
  *place = attachment;
  oyi_attachment_release(before);
  return OY_OK;
}

oy_status oyi_attach(oyi_tensor* t, oyi_attachment* attachment) {
  return hang(t, attachment, false);
}

oy_status oyi_wrap(oyi_tensor* t, oyi_attachment* wrapped) {
  return hang(t, wrapped, true);
}

oy_status oyi_side_share(oyi_tensor* view, const oyi_tensor* t) {
  oyi_counter* counter = t->side->counter;
  OY_TRY(oyi_attach(view, oyi_attached(t)));
  OY_TRY(oyi_wrap(view, oyi_wrapped_of(t)));
  if (!counter) return OY_OK;
  oyi_side* side = oyi_side_get(view);
  if (!side) return OY_OUT_OF_MEMORY;
  side->counter = counter;
  __atomic_fetch_add(&counter->references, 1, __ATOMIC_RELAXED);
  return OY_OK;
}

void oyi_weak_forget(oyi_tensor* t) {
  oy_weak* w = t->side->weak;
  if (!w) return;
  oyi_spin_lock(&w->lock);
  w->tensor = NULL;
  oyi_spin_unlock(&w->lock);
}

oyi_storage* oyi_side_end(oyi_tensor* t) {
  oyi_side* side = t->side;
  oyi_weak_forget(t);
  oy_weak_release(side->weak);
  oyi_storage* left_over = side->left_over;
  counter_release(side->counter);
  oyi_attachment *attachment = side->attachment, *wrapped = side->wrapped;
  oyi_free(side);
  oyi_attachment_release(attachment);
  oyi_attachment_release(wrapped);
  return left_over;
}

// ------------------------------------------------------------ weak references

oy_weak* oy_tensor_weak(oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  oyi_side* side = t ? oyi_side_get(t) : NULL;
  if (!side) return NULL;
  oyi_found_again(&t->header);
  oy_weak* w = __atomic_load_n(&side->weak, __ATOMIC_ACQUIRE);
  if (!w) {
    oy_weak* made = oyi_zalloc(sizeof(*made));
    if (!made) return NULL;
    made->references = 1;
    made->tensor = t;
    if (__atomic_compare_exchange_n(&side->weak, &w, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      w = made;
    else
      oyi_free(made);
  }
  __atomic_fetch_add(&w->references, 1, __ATOMIC_RELAXED);
  return w;
}

bool oyi_retain_if_any(oy_object* o) {
  int32_t now = __atomic_load_n(&o->references, __ATOMIC_ACQUIRE);
  while (now & ~OY_OBJECT_FOUND_AGAIN)
    if (__atomic_compare_exchange_n(&o->references, &now, now + 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
      return true;
  return false;
}

// A reference to |t|, which is not freed meanwhile, if somebody has one, or views keep it.
static bool retain_if_there(oyi_tensor* t) {
  if (oyi_retain_if_any(&t->header)) return true;
  const oyi_tensor_meta* meta = __atomic_load_n(&t->meta, __ATOMIC_ACQUIRE);
  return meta && meta->klass->find_again && meta->klass->find_again(t);
}

oy_tensor* oy_weak_lock(oy_weak* w) {
  oyi_spin_lock(&w->lock);
  oyi_tensor* t = w->tensor;
  if (t && !retain_if_there(t)) t = NULL;
  oyi_spin_unlock(&w->lock);
  return oyi_tensor_object(t);
}

void oy_weak_release(oy_weak* w) {
  if (w && __atomic_sub_fetch(&w->references, 1, __ATOMIC_ACQ_REL) == 0) oyi_free(w);
}
