// SPDX-License-Identifier: Apache-2.0
// Owned values. An owned list, string or complex number is a counted block:
//
//   [list_block: oy_object header, count] [elements ...]
//                                         ^ what the value points at
//
// so that readers treat it like a borrowed one and a copy is a retain. The
// header's |reserved| holds the tag, which says how to release the elements.
//
// Borrowed nesting is walked at most MAX_DEPTH deep. Owned lists inside others
// are only retained, and released in a loop, so no depth of them can use up the
// stack.
#include "opyard/value.h"

#include "base/memory.h"

enum { MAX_DEPTH = 32 };

typedef struct list_block {
  oy_object object;
  size_t count;             // elements; of a dict, twice the pairs
  struct list_block* next;  // while it waits to be released
} list_block;

_Static_assert(sizeof(list_block) % 16 == 0, "elements are aligned for any scalar");
_Static_assert(sizeof(oy_value) == 16, "a value is two words");

static void destroy_list(oy_object* object);
static const oy_object_class g_list_class = {"List", destroy_list};

static bool is_list(uint8_t tag) {
  switch (tag) {
    case OY_TAG_COMPLEX:
    case OY_TAG_STR:
    case OY_TAG_INT_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_BOOL_LIST:
    case OY_TAG_TENSOR_LIST:
    case OY_TAG_LIST:
    case OY_TAG_DICT: return true;
    default: return false;
  }
}

static bool is_object(uint8_t tag) {
  return tag == OY_TAG_TENSOR || tag == OY_TAG_GENERATOR || tag == OY_TAG_OBJECT;
}

static size_t element_size(uint8_t tag) {
  switch (tag) {
    case OY_TAG_COMPLEX: return sizeof(oy_complex);
    case OY_TAG_STR: return sizeof(char);
    case OY_TAG_INT_LIST: return sizeof(int64_t);
    case OY_TAG_FLOAT_LIST: return sizeof(double);
    case OY_TAG_BOOL_LIST: return sizeof(bool);
    case OY_TAG_TENSOR_LIST: return sizeof(oy_object*);
    default: return sizeof(oy_value);
  }
}

static size_t element_count(uint8_t tag, uint32_t count) {
  return tag == OY_TAG_DICT ? 2 * (size_t)count : count;
}

static void* data_of(oy_value value) {
  return (void*)(uintptr_t)value.as.bits;
}

static list_block* block_of(oy_value value) {
  return (list_block*)data_of(value) - 1;
}

// --------------------------------------------------------------------- release

// Gives up a reference to a list; puts it on |pending| if that was the last.
static void drop_list(list_block* block, list_block** pending) {
  if (__atomic_sub_fetch(&block->object.references, 1, __ATOMIC_ACQ_REL) != 0) return;
  block->next = *pending;
  *pending = block;
}

static void drop_values(oy_value* values, size_t count, list_block** pending) {
  for (size_t i = 0; i < count; i++) {
    if (!values[i].owned) continue;
    if (is_list(values[i].tag))
      drop_list(block_of(values[i]), pending);
    else if (is_object(values[i].tag))
      oy_object_release(values[i].as.object);
  }
}

static void destroy_pending(list_block* pending) {
  while (pending) {
    list_block* block = pending;
    pending = block->next;
    uint16_t tag = block->object.reserved;
    void* elements = block + 1;
    if (tag == OY_TAG_LIST || tag == OY_TAG_DICT) {
      drop_values(elements, block->count, &pending);
    } else if (tag == OY_TAG_TENSOR_LIST) {
      oy_object** tensors = elements;
      for (size_t i = 0; i < block->count; i++) oy_object_release(tensors[i]);
    }
    oyi_free(block);
  }
}

static void destroy_list(oy_object* object) {
  list_block* block = (list_block*)(void*)object;
  block->next = NULL;
  destroy_pending(block);
}

void oy_value_release_owned(oy_value* value) {
  oy_value last = *value;
  *value = oy_none();
  if (!last.owned) return;
  if (is_list(last.tag))
    oy_object_release(&block_of(last)->object);
  else if (is_object(last.tag))
    oy_object_release(last.as.object);
}

// ------------------------------------------------------------------------ make

oy_status oy_value_new_list(oy_tag tag, size_t count, oy_value* out_value) {
  *out_value = oy_none();
  OY_CHECK(is_list((uint8_t)tag), INVALID_ARGUMENT, "tag %d is not that of a list",
           (int)tag);
  OY_CHECK(count <= UINT32_MAX, OUT_OF_RANGE,
           "a list has at most %u elements, asked for %zu", UINT32_MAX, count);
  size_t elements = element_count((uint8_t)tag, (uint32_t)count);
  // At most 2^33 elements of 16 bytes: the product fits. One more byte ends a
  // string with a NUL and keeps |data| of an empty list inside its block.
  size_t bytes = elements * element_size((uint8_t)tag);
  list_block* block = oyi_malloc(sizeof(*block) + bytes + 1);
  if (!block) return OY_OUT_OF_MEMORY;
  memset(block, 0, sizeof(*block));
  block->object.klass = &g_list_class;
  block->object.references = 1;
  block->object.reserved = (uint16_t)tag;
  block->count = elements;
  char* data = (char*)(block + 1);
  // None and NULL are all zeros, so that a half-filled list can be released.
  if (tag == OY_TAG_LIST || tag == OY_TAG_DICT || tag == OY_TAG_TENSOR_LIST)
    memset(data, 0, bytes);
  data[bytes] = '\0';
  *out_value = oy_value_list(tag, data, count);
  out_value->owned = 1;
  return OY_OK;
}

_Static_assert(sizeof(size_t) == 8 && OY_TAG_NONE == 0, "relied on above");

// ------------------------------------------------------------------------- own

static oy_status own_at_depth(oy_value* value, int depth);

static void retain(oy_value value) {
  oy_object_retain(is_list(value.tag) ? &block_of(value)->object : value.as.object);
}

static oy_status copy_values(const oy_value* from, oy_value* to, size_t count,
                             int depth) {
  for (size_t i = 0; i < count; i++) {
    oy_value element = from[i];
    if (element.owned)
      retain(element);
    else
      OY_TRY(own_at_depth(&element, depth));
    to[i] = element;
  }
  return OY_OK;
}

static void copy_tensors(oy_object* const* from, oy_object** to, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i];
    oy_object_retain(to[i]);
  }
}

static oy_status copy_list(oy_value from, int depth, oy_value* out_copy) {
  OY_CHECK(depth < MAX_DEPTH, INVALID_ARGUMENT, "lists are nested deeper than %d",
           MAX_DEPTH);
  OY_TRY(oy_value_new_list((oy_tag)from.tag, from.count, out_copy));
  size_t count = element_count(from.tag, from.count);
  oy_status status = OY_OK;
  if (from.tag == OY_TAG_LIST || from.tag == OY_TAG_DICT)
    status = copy_values(from.as.values, data_of(*out_copy), count, depth + 1);
  else if (from.tag == OY_TAG_TENSOR_LIST)
    copy_tensors(from.as.tensors, data_of(*out_copy), count);
  else if (count)
    memcpy(data_of(*out_copy), data_of(from), count * element_size(from.tag));
  if (status != OY_OK) oy_value_release(out_copy);
  return status;
}

static oy_status own_at_depth(oy_value* value, int depth) {
  if (value->owned) return OY_OK;
  if (is_object(value->tag)) {
    oy_object_retain(value->as.object);
    value->owned = 1;
  } else if (is_list(value->tag)) {
    oy_value copy;
    OY_TRY(copy_list(*value, depth, &copy));
    *value = copy;
  }
  return OY_OK;  // the others hold nothing, and stay as they are
}

oy_status oy_value_own(oy_value* value) {
  return own_at_depth(value, 0);
}

oy_status oy_value_copy(oy_value value, oy_value* out_value) {
  *out_value = oy_none();
  if (value.owned)
    retain(value);
  else
    OY_TRY(own_at_depth(&value, 0));
  *out_value = value;
  return OY_OK;
}

// --------------------------------------------------------------------- compare

static bool equal_floats(const double* a, const double* b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return false;
  return true;
}

static bool equal_at_depth(oy_value a, oy_value b, int depth);

static bool equal_values(const oy_value* a, const oy_value* b, size_t count, int depth) {
  if (depth >= MAX_DEPTH) return false;
  for (size_t i = 0; i < count; i++)
    if (!equal_at_depth(a[i], b[i], depth + 1)) return false;
  return true;
}

static bool equal_lists(oy_value a, oy_value b, int depth) {
  if (a.count != b.count) return false;
  if (a.as.bits == b.as.bits) return true;
  size_t count = element_count(a.tag, a.count);
  switch (a.tag) {
    case OY_TAG_COMPLEX:
      return equal_floats(&a.as.complex_data->re, &b.as.complex_data->re, 2 * count);
    case OY_TAG_FLOAT_LIST: return equal_floats(a.as.floats, b.as.floats, count);
    case OY_TAG_LIST:
    case OY_TAG_DICT: return equal_values(a.as.values, b.as.values, count, depth);
    default:
      return count == 0 ||
             memcmp(data_of(a), data_of(b), count * element_size(a.tag)) == 0;
  }
}

static bool equal_at_depth(oy_value a, oy_value b, int depth) {
  if (a.tag != b.tag) return false;
  if (is_list(a.tag)) return equal_lists(a, b, depth);
  switch (a.tag) {
    case OY_TAG_NONE: return true;
    case OY_TAG_FLOAT: return equal_floats(&a.as.d, &b.as.d, 1);
    case OY_TAG_DEVICE:
      return a.as.device.backend == b.as.device.backend &&
             a.as.device.index == b.as.device.index;
    default: return a.as.bits == b.as.bits;
  }
}

bool oy_value_equal(oy_value a, oy_value b) {
  return equal_at_depth(a, b, 0);
}

const char* oy_value_type_name(oy_value value) {
  static const char* const names[] = {
      [OY_TAG_NONE] = "NoneType",
      [OY_TAG_TENSOR] = "Tensor",
      [OY_TAG_INT] = "int",
      [OY_TAG_FLOAT] = "float",
      [OY_TAG_BOOL] = "bool",
      [OY_TAG_COMPLEX] = "complex",
      [OY_TAG_STR] = "str",
      [OY_TAG_DEVICE] = "Device",
      [OY_TAG_INT_LIST] = "int[]",
      [OY_TAG_FLOAT_LIST] = "float[]",
      [OY_TAG_BOOL_LIST] = "bool[]",
      [OY_TAG_TENSOR_LIST] = "Tensor[]",
      [OY_TAG_LIST] = "Any[]",
      [OY_TAG_DICT] = "Dict(Any, Any)",
      [OY_TAG_GENERATOR] = "Generator",
      [OY_TAG_OBJECT] = "Object",
  };
  if (value.tag == OY_TAG_OBJECT && value.as.object) return value.as.object->klass->name;
  return value.tag < OY_ARRAY_SIZE(names) ? names[value.tag] : "Unknown";
}
