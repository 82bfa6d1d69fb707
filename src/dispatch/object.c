// SPDX-License-Identifier: Apache-2.0
// The one object that the library itself makes: "no tensor". It is static, so
// passing it touches no count, and its empty key set adds nothing to a call.
#include "opyard/object.h"

static void destroy_none(oy_object* object) {
  (void)object;  // never called: the object is OY_OBJECT_STATIC
}

static const oy_object_class g_none_class = {"None", destroy_none};

oy_object oy_none_object = {.klass = &g_none_class,
                            .references = 1,
                            .dtype = OY_DTYPE_ANY,
                            .flags = OY_OBJECT_STATIC};

_Static_assert(sizeof(oy_object) == 32, "the header of an object is four words");
