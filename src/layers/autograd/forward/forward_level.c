// SPDX-License-Identifier: Apache-2.0
// The level and the tangents. They stand in a table by tensor, not in its record: that is
// full, and only dual tensors look. Such a tensor's record has another class, whose destroy
// takes the tangent out first.
#include "base/memory.h"
#include "layers/autograd/forward/forward.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

typedef struct entry {
  struct entry* next;
  oyi_tensor* tensor;
  oy_object* tangent;
} entry;

enum { BUCKETS = 1024 };
static entry* g_buckets[BUCKETS];
static uint8_t g_lock;        // of the table
static int64_t g_level = -1;  // atomic

int64_t oy_dual_level(void) {
  return __atomic_load_n(&g_level, __ATOMIC_RELAXED);
}

oy_status oy_dual_level_enter(int64_t* out_level) {
  int64_t none = -1;
  bool is_first = __atomic_compare_exchange_n(&g_level, &none, 0, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_RELAXED);
  OY_CHECK(is_first, FAILED_PRECONDITION,
           "Nested forward mode AD is not supported at the moment");
  *out_level = 0;
  return OY_OK;
}

// ------------------------------------------------------------------------ the table

static entry** bucket_of(const oyi_tensor* t) {
  return &g_buckets[((uintptr_t)t >> 6) % BUCKETS];
}

// Under the lock: where the pointer to the entry of |t| is.
static entry** place_of(const oyi_tensor* t) {
  entry** at = bucket_of(t);
  while (*at && (*at)->tensor != t) at = &(*at)->next;
  return at;
}

static entry* take(const oyi_tensor* t) {
  oyi_spin_lock(&g_lock);
  entry** at = place_of(t);
  entry* e = *at;
  if (e) *at = e->next;
  oyi_spin_unlock(&g_lock);
  return e;
}

static oy_object* tangent_of(const oyi_tensor* t) {
  oyi_spin_lock(&g_lock);
  const entry* e = *place_of(t);
  oy_object* tangent = e ? oy_tensor_retain(e->tangent) : NULL;
  oyi_spin_unlock(&g_lock);
  return tangent;
}

static void entry_free(entry* e) {
  if (!e) return;
  oy_tensor_release(e->tangent);
  oyi_free(e);
}

static void dual_destroy(oyi_tensor* t) {
  if (oyi_is_kept(t)) return;
  entry_free(take(t));
  oyi_variable_of(t)->meta.klass = &oyi_variable_class;  // as in the blocks of views
  oyi_variable_class.destroy(t);
}
static void dual_print(const oyi_tensor* t, oyi_strbuf* buf) {
  oyi_variable_class.print(t, buf);
}
static const oyi_tensor_meta_class g_dual_class = {
    dual_destroy, dual_print, oyi_view_hold_storage, oyi_base_find_again};

// The key goes to all views, too: they look at their base.
static void mark(oyi_tensor* t, bool on) {
  oyi_variable* v = oyi_variable_of(t);
  uint64_t bit = on ? OYI_FORWARD_BIT : 0;
  oy_object* o = &t->header;
  o->keys.functionality = (o->keys.functionality & ~OYI_FORWARD_BIT) | bit;
  v->meta.klass = on ? &g_dual_class : &oyi_variable_class;
  oyi_biased_lock(&v->lock);
  for (oyi_variable* view = v->views; view; view = view->next_view) {
    uint64_t* keys = &view->tensor->header.keys.functionality;
    *keys = (*keys & ~OYI_FORWARD_BIT) | bit;
  }
  oyi_biased_unlock(&v->lock);
}

void oyi_tangent_drop(oyi_tensor* t) {
  entry* e = take(t);
  if (e) mark(t, false);
  entry_free(e);
}

// Tensors that go meanwhile wait for the lock before they take themselves out.
oy_status oy_dual_level_exit(int64_t level) {
  OY_CHECK(level >= 0, FAILED_PRECONDITION, "Dual level must be a positive number.");
  OY_CHECK(
      level == oy_dual_level(), FAILED_PRECONDITION,
      "Trying to exit a forward AD level that was not the last one that was created. "
      "This is not supported.");
  entry* all = NULL;
  oyi_spin_lock(&g_lock);
  for (size_t i = 0; i < BUCKETS; i++) {
    while (g_buckets[i]) {
      entry* e = g_buckets[i];
      g_buckets[i] = e->next;
      mark(e->tensor, false);
      e->next = all;
      all = e;
    }
  }
  oyi_spin_unlock(&g_lock);
  __atomic_store_n(&g_level, -1, __ATOMIC_RELEASE);
  while (all) {
    entry* next = all->next;
    entry_free(all);
    all = next;
  }
  return OY_OK;
}

// ------------------------------------------------------------------------- tangents

static bool same_strides(const oyi_tensor* a, const oyi_tensor* b) {
  for (size_t d = 0; d < a->ndim; d++)
    if (a->sizes[d] > 1 && oyi_strides_view(a).data[d] != oyi_strides_view(b).data[d])
      return false;
  return true;
}

// |tangent| laid out as |t|: a new reference. Nothing is laid out as what overlaps itself.
static oy_object* laid_out(const oyi_tensor* t, oy_object* tangent) {
  const oyi_tensor* have = oyi_tensor_cast(tangent);
  if (t->numel == 0 || same_strides(t, have)) return oy_tensor_retain(tangent);
  oy_object* made =
      t->flags & OYI_DENSE
          ? oyi_call_new_empty_strided(tangent, oyi_sizes_view(t), oyi_strides_view(t),
                                       oy_none(), oy_none(), oy_none(), oy_none())
          : oyi_call_clone(tangent, oy_none());
  if (!made || !(t->flags & OYI_DENSE)) return made;
  oy_object* copied = oyi_call_copy_(made, tangent, false);
  if (!copied) oy_tensor_release(made);
  return copied ? made : NULL;
}

static oy_status check_put(const oyi_tensor* t, const oy_object* tangent) {
  const oyi_tensor* have = oyi_tensor_cast(tangent);
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(have)), FAILED_PRECONDITION,
           "Trying to set a forward gradient that has a different size than that of the "
           "original Tensor, this is not supported. Tensor is of size %s while the given "
           "forward gradient is of size %s.",
           oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(have)).text);
  const oyi_variable* v = oyi_variable_of(t);
  bool is_plain =
      !v || v->meta.klass == &oyi_variable_class || v->meta.klass == &g_dual_class;
  OY_CHECK(is_plain && !oyi_is_inference(t), FAILED_PRECONDITION,
           "a tensor of inference mode, or one that hooks keep, cannot have a tangent");
  return OY_OK;
}

oy_status oyi_tangent_put(oyi_tensor* t, oy_object* tangent) {
  OY_TRY(check_put(t, tangent));
  oy_object* placed = laid_out(t, tangent);
  if (!placed) return oy_failure();
  entry* fresh = oyi_variable_get(t) ? oyi_calloc(1, sizeof(*fresh)) : NULL;
  if (!fresh) {
    oy_tensor_release(placed);
    return OY_OUT_OF_MEMORY;
  }
  *fresh = (entry){NULL, t, placed};
  oyi_spin_lock(&g_lock);
  entry** at = place_of(t);
  entry* before = *at;
  fresh->next = before ? before->next : NULL;
  *at = fresh;
  oyi_spin_unlock(&g_lock);
  mark(t, true);
  entry_free(before);
  return OY_OK;
}

// What the view |t| of |base| is of the base's tangent.
static oy_object* part_of(const oyi_tensor* t, const oyi_tensor* base,
                          oy_object* tangent) {
  const oyi_tensor* whole = oyi_tensor_cast(tangent);
  if (t->header.dtype != base->header.dtype || !same_strides(base, whole)) {
    OY_FAIL(NOT_IMPLEMENTED,
            "Trying to use forward AD with a view that is not one of strides of a tensor "
            "that came to have a tangent after it was taken");
    return NULL;
  }
  return oyi_call_as_strided(tangent, oyi_sizes_view(t), oyi_strides_view(t),
                             oy_int(t->offset - base->offset + whole->offset));
}

oy_status oyi_tangent_find(oyi_tensor* t, oy_object** out_tangent) {
  *out_tangent = tangent_of(t);
  const oyi_variable* v = oyi_variable_of(t);
  if (*out_tangent || !v || !oyi_is_view(v)) return OY_OK;
  oy_object* whole = tangent_of(v->root->tensor);
  if (!whole) return OY_OK;
  *out_tangent = part_of(t, v->root->tensor, whole);
  oy_tensor_release(whole);
  return *out_tangent ? OY_OK : oy_failure();
}

// Zeros for the base, of which |t| is a part.
static oy_status put_zeros(oyi_tensor* base, oy_object* like) {
  oy_object* zeros = oyi_call_new_zeros(like, oyi_sizes_view(base), oy_none(), oy_none(),
                                        oy_none(), oy_none());
  oy_status status = zeros ? oyi_tangent_put(base, zeros) : oy_failure();
  oy_tensor_release(zeros);
  return status;
}

oy_status oyi_tangent_write(oyi_tensor* t, oy_object* tangent) {
  oy_object* have;
  OY_TRY(oyi_tangent_find(t, &have));
  const oyi_variable* v = oyi_variable_of(t);
  if (!have && v && oyi_is_view(v)) {
    OY_TRY(put_zeros(v->root->tensor, tangent));
    OY_TRY(oyi_tangent_find(t, &have));
  }
  if (!have) return oyi_tangent_put(t, tangent);
  bool done = have == tangent || oyi_call_copy_(have, tangent, false) != NULL;
  oy_tensor_release(have);
  return done ? OY_OK : oy_failure();
}
