// SPDX-License-Identifier: Apache-2.0
// Casting one tensor, and which casts are kept: those of parameters, which a region uses
// again and again.
#include "layers/autocast/autocast.h"
#include "layers/autocast/cast_cache.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

static bool is_parameter(const oy_object* object) {
  if (object->dtype != OY_DTYPE_F32 || !oyi_needs_gradient(object)) return false;
  const oyi_variable* v = oyi_variable_of(oyi_tensor_cast(object));
  return v && !oyi_is_view(v) && !v->grad_fn;
}

static oy_object* converted(oy_object* object, oy_dtype dtype) {
  return oyi_call_to_dtype(object, dtype, false, false, oy_none());
}

// A cast that is made where grad mode is off serves where it is on, too: so it is recorded
// anyway. Below Autograd it cannot be, and is not kept.
static oy_object* kept_cast(oy_object* object, oy_dtype dtype) {
  oyi_tensor* t = oyi_tensor_cast(object);
  oy_object* made = oyi_cast_find(t, dtype);
  if (made) return made;
  oy_grad_guard guard = oy_enable_grad();
  made = converted(object, dtype);
  oy_grad_guard_end(&guard);
  if (!made || !oyi_needs_gradient(made) || oyi_cast_keep(t, made) == OY_OK) return made;
  oy_object_release(made);
  return NULL;
}

// What is float32 is only ever cast to the lower precision.
oy_object* oyi_autocast_to(oy_object* object, oy_dtype dtype) {
  bool keep = oyi_autocast.cache && is_parameter(object);
  return keep ? kept_cast(object, dtype) : converted(object, dtype);
}
