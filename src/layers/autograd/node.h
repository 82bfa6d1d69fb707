// SPDX-License-Identifier: Apache-2.0
// The graph: a node for each recorded operator, edges to the nodes that made its
// inputs. A node owns its edges and what it saved; tensors own the node that made
// them. Nodes are counted, and released without recursion, however deep the graph.
//
// A saved result is kept as an alias without history, so that node and result do
// not own each other.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_NODE_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_NODE_H_

#include "opyard/autograd.h"
#include "tensor/impl.h"

typedef struct oyi_node oyi_node;

enum {
  OYI_NODE_INPUTS = 2,
  OYI_SAVE_RESULT = OYI_NODE_INPUTS,
  OYI_NODE_SAVED = OYI_NODE_INPUTS + 1,
  OYI_CODED_DIMS = 16  // of a permutation that fits in oyi_extra.mask
};

typedef struct oyi_edge {
  oyi_node* node;  // NULL: this input needs no gradient
  uint32_t output_nr;
} oyi_edge;

// What an operator leaves for its formula besides tensors.
typedef struct oyi_extra {
  oy_scalar scalar;  // INT, FLOAT or BOOL; complex ones are not recorded
  int64_t dims[2];
  uint64_t mask;  // of reduced dimensions, or another number
  bool flag;
} oyi_extra;

// How the gradient of an operator is had. |apply| gets a gradient that is not
// NULL and fills out[i] for every input whose edge is valid: a new reference, or
// NULL for zero.
typedef struct oyi_formula {
  const char* name;  // "AddBackward0"
  oy_status (*apply)(oyi_node* node, oy_object* grad, oy_object** out);
  uint8_t inputs;  // number of tensors that may need a gradient
  // Which edges must be valid for input 0, input 1, the result to be saved.
  uint8_t save_if[OYI_NODE_SAVED];
} oyi_formula;

typedef struct oyi_saved {
  oyi_tensor* tensor;  // NULL: nothing saved
  uint32_t version;
  bool is_result;
} oyi_saved;

// Shape, dtype and device of what the gradient of a node must match.
typedef struct oyi_expectation {
  oy_dtype dtype;
  uint8_t ndim;
  int16_t backend;
  int16_t device_index;
  int64_t inline_sizes[OYI_INLINE_DIMS];
  int64_t* sizes;  // inline_sizes, or a block of its own
} oyi_expectation;

typedef enum oyi_node_kind {
  OYI_NODE_FORMULA,
  OYI_NODE_ACCUMULATE,
  OYI_NODE_COPY_SLICES,
  OYI_NODE_AS_STRIDED
} oyi_node_kind;

struct oyi_node {
  int32_t references;  // atomic
  uint8_t kind;
  uint8_t edge_count;
  bool released;  // what was saved is gone
  uint8_t block;  // pool units
  uint64_t sequence;
  const oyi_formula* formula;
  oyi_node* next_dead;
  oyi_edge edges[OYI_NODE_INPUTS];
  oyi_expectation expected;  // of its one output
  oyi_saved saved[OYI_NODE_SAVED];
  oyi_extra extra;
};

// Geometry of a view in its base, both as laid out in a flat buffer.
typedef struct oyi_geometry {
  oyi_tensor* like;  // an alias of base or view that only has the geometry
  int64_t offset;
} oyi_geometry;

// A node that replays a view, or a write to one (views.c).
typedef struct oyi_view_node {
  oyi_node node;
  oyi_geometry base, view;
  oyi_node* inner;  // COPY_SLICES: the node of the operator
} oyi_view_node;

typedef struct oyi_accumulate_node {
  oyi_node node;
  oyi_tensor* variable;  // strong while the node has references
} oyi_accumulate_node;
// Of a variable that goes, or that has one already.
void oyi_accumulator_free(oyi_node* node);

// A new node without edges, with one reference. NULL: OUT_OF_MEMORY.
oyi_node* oyi_node_new(oyi_node_kind kind, size_t size, const oyi_formula* formula);
static inline oyi_node* oyi_node_retain(oyi_node* node) {
  if (node) __atomic_fetch_add(&node->references, 1, __ATOMIC_RELAXED);
  return node;
}
// Takes NULL.
void oyi_node_release(oyi_node* node);
oy_status oyi_node_expect_long(oyi_node* node, const oyi_tensor* like);
static inline oy_status oyi_node_expect(oyi_node* node, const oyi_tensor* like) {
  oyi_expectation* e = &node->expected;
  e->dtype = like->header.dtype;
  e->ndim = like->ndim;
  e->backend = like->backend;
  e->device_index = like->device_index;
  if (OY_UNLIKELY(like->ndim > OYI_INLINE_DIMS || e->sizes != e->inline_sizes))
    return oyi_node_expect_long(node, like);
  for (size_t i = 0; i < like->ndim; i++) e->inline_sizes[i] = like->sizes[i];
  return OY_OK;
}
static inline oy_ints oyi_expected_sizes(const oyi_node* node) {
  return (oy_ints){node->expected.sizes, node->expected.ndim};
}
const char* oyi_node_name(const oyi_node* node);

// Saves |t| in |slot|; a result as an alias. OUT_OF_MEMORY.
oy_status oyi_node_save(oyi_node* node, int slot, oyi_tensor* t, bool is_result);
// The saved tensor, borrowed; NULL with PyTorch's text if it was freed or has
// been modified since.
oy_object* oyi_node_saved(oyi_node* node, int slot);
// Frees what was saved.
void oyi_node_release_saved(oyi_node* node);

// Runs a node that is not ACCUMULATE: out[0..edge_count) get new references.
oy_status oyi_node_apply(oyi_node* node, oy_object* grad, oy_object** out);
oy_status oyi_copy_slices_apply(oyi_view_node* node, oy_object* grad, oy_object** out);
oy_status oyi_as_strided_apply(oyi_view_node* node, oy_object* grad, oy_object** out);
oy_status oyi_accumulate_apply(oyi_accumulate_node* node, oy_object* grad);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_NODE_H_
