// SPDX-License-Identifier: Apache-2.0
// The hooks of a thread: a stack of which the top is in force.
#include "base/memory.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/record.h"

static __thread oyi_saved_hooks* t_top __attribute__((tls_model("initial-exec")));
static __thread const char* t_disabled __attribute__((tls_model("initial-exec")));

void oyi_saved_hooks_release(oyi_saved_hooks* h) {
  if (!h || __atomic_sub_fetch(&h->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  if (h->hooks.destroy) h->hooks.destroy(h->hooks.data);
  oyi_free(h);
}

oyi_saved_hooks* oyi_saved_hooks_get(void) {
  if (t_top) __atomic_fetch_add(&t_top->references, 1, __ATOMIC_RELAXED);
  return t_top;
}

static oy_status new_hooks(const oy_saved_hooks* hooks, oyi_saved_hooks** out) {
  OY_CHECK(!t_disabled, FAILED_PRECONDITION, "%s", t_disabled);
  OY_CHECK(hooks && hooks->pack && hooks->unpack, INVALID_ARGUMENT,
           "expected a hook that packs and one that unpacks");
  *out = oyi_malloc(sizeof(**out));
  return *out ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oy_saved_hooks_push(const oy_saved_hooks* hooks) {
  oyi_saved_hooks* made = NULL;
  oy_status status = new_hooks(hooks, &made);
  if (status != 0) {
    if (hooks && hooks->destroy) hooks->destroy(hooks->data);
    return status;
  }
  *made = (oyi_saved_hooks){1, *hooks, t_top};
  t_top = made;
  oyi_record_also |= OYI_ALSO_PACK;
  return OY_OK;
}

oy_status oy_saved_hooks_pop(void) {
  oyi_saved_hooks* top = t_top;
  OY_CHECK(top, FAILED_PRECONDITION, "there are no saved tensor hooks to pop");
  t_top = top->outer;
  if (!t_top) oyi_record_also &= (uint8_t)~OYI_ALSO_PACK;
  oyi_saved_hooks_release(top);
  return OY_OK;
}

oy_status oy_saved_hooks_disable(const char* message) {
  OY_CHECK(!message || !t_top, FAILED_PRECONDITION, "%s", message);
  t_disabled = message;
  return OY_OK;
}

const char* oy_saved_hooks_disabled(void) {
  return t_disabled;
}
