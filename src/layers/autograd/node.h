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
typedef struct oyi_short_node oyi_short_node;
typedef struct oyi_full_node oyi_full_node;

enum {
  OYI_NODE_INPUTS = 2,  // of a short node
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
  union {              // no operator has both
    oy_scalar scalar;  // a complex one points to |complex|, and there is no flag then
    int64_t dims[2];
  };
  union {
    struct {
      uint64_t mask;  // of reduced dimensions, or another number
      bool flag;
    };
    oy_complex complex;
  };
} oyi_extra;

// What a full node keeps of a call (full.h).
typedef enum oyi_save_kind {
  OYI_SAVE_TENSOR = 1,  // an argument, with its version
  OYI_SAVE_SHAPE,       // sizes, dtype and device of an argument, without its data
  OYI_SAVE_OUTPUT,      // a result
  OYI_SAVE_COPY,        // as it is before the call, which may write to it
  OYI_SAVE_WRITTEN      // an argument that the call writes, as it is afterwards
} oyi_save_kind;
typedef struct oyi_save {
  uint8_t kind;      // oyi_save_kind; 0 ends a list
  uint8_t at;        // of the argument, or of the result
  uint32_t only_if;  // arguments, as bits, one of which must need a gradient; 0: always
} oyi_save;
enum { OYI_SAVES = 8 };

// How the gradient of an operator is had. A short one, |apply|, gets a gradient that is
// not NULL and fills out[i] for every input whose edge is valid: a new reference, or
// NULL for zero. A full one, |apply_full|, gets one for each result, NULL for zero.
typedef struct oyi_formula {
  const char* name;  // "AddBackward0"
  oy_status (*apply)(oyi_short_node* node, oy_object* grad, oy_object** out);
  oy_status (*apply_full)(oyi_full_node* node, oy_object* const* grads,
                          oy_object** gives);
  uint8_t inputs;   // number of tensors that may need a gradient
  bool only_first;  // of several results only the first has a gradient
  // Of a short one: every input gets the gradient as it is, of two if the scalar is 1.
  bool passes;
  // Which edges must be valid for input 0, input 1, the result to be saved.
  uint8_t save_if[OYI_NODE_SAVED];
  oyi_save saves[OYI_SAVES];
} oyi_formula;

typedef struct oyi_saved {
  oyi_tensor* tensor;  // NULL: nothing saved
  uint32_t version;
  bool is_result;
  union {
    bool is_shape;  // of full nodes: OYI_SAVE_SHAPE
    bool is_lent;   // of short nodes: a leaf, which the edge of the same input owns
  };
  bool is_written;    // of full nodes: OYI_SAVE_WRITTEN
  uint8_t output_nr;  // of a result
} oyi_saved;

// Shape, dtype and device of what the gradient of a result must match.
typedef struct oyi_expectation {
  oy_dtype dtype;
  uint8_t ndim;
  int16_t backend;
  int16_t device_index;
  int64_t inline_sizes[OYI_INLINE_DIMS];
  // inline_sizes; or a block of its own, where the stream follows (streams.h); or NULL until
  // oyi_expect, so that it notes the stream.
  int64_t* sizes;
} oyi_expectation;

typedef enum oyi_node_kind {
  OYI_NODE_SHORT,       // at most two inputs, one result: most operators
  OYI_NODE_FULL,        // any number of either
  OYI_NODE_ACCUMULATE,  // the gradient of a leaf
  OYI_NODE_COPY_SLICES,
  OYI_NODE_AS_STRIDED,
  OYI_NODE_FUNCTION  // of a custom function (function.h)
} oyi_node_kind;

// What all nodes begin with.
struct oyi_node {
  int32_t references;  // atomic; of ACCUMULATE those of a leaf on a device alone
  uint8_t kind;
  bool released;      // what was saved is gone
  uint8_t block;      // pool units; 0: of the allocator
  bool saves_result;  // of a short node
  uint32_t edge_count, output_count;
  union {
    uint64_t sequence;
    oyi_node* next_dead;  // once nobody has it
  };
  const oyi_formula* formula;
  struct oyi_hooks* hooks;  // NULL: none (hooks.h)
  oyi_edge* edges;
  oyi_expectation* expected;  // one for each result
};

struct oyi_short_node {
  oyi_node head;
  oyi_edge own_edges[OYI_NODE_INPUTS];
  oyi_expectation own_expected;
  oyi_extra extra;
  oyi_saved saved[OYI_NODE_SAVED];  // oyi_short_slots() of them
};

// Geometry of a view in its base, both as laid out in a flat buffer.
typedef struct oyi_geometry {
  oyi_tensor* like;  // an alias of base or view that only has the geometry
  int64_t offset;
} oyi_geometry;

// A node that replays a view, or a write to one (views.c).
typedef struct oyi_view_node {
  oyi_node head;
  oyi_edge own_edges[OYI_NODE_INPUTS];
  oyi_expectation own_expected;
  oyi_geometry base, view;
  oyi_node* inner;  // COPY_SLICES: the node of the operator
} oyi_view_node;

typedef struct oyi_accumulate_node {
  oyi_node head;
  oyi_tensor* variable;  // which owns the node: a reference to either is one to it
  oyi_expectation own_expected;
} oyi_accumulate_node;

// Whether there may be streams.
static inline bool oyi_is_on_device(int16_t backend) {
  return backend != OY_BACKEND_CPU && backend != OY_BACKEND_Meta;
}

static inline oyi_short_node* oyi_short_of(oyi_node* node) {
  return (oyi_short_node*)(void*)node;
}
static inline oyi_view_node* oyi_view_node_of(oyi_node* node) {
  return (oyi_view_node*)(void*)node;
}
static inline oyi_accumulate_node* oyi_accumulate_node_of(oyi_node* node) {
  return (oyi_accumulate_node*)(void*)node;
}
// Of a variable that goes, or that has one already.
void oyi_accumulator_free(oyi_node* node);

// New nodes without edges, with one reference. NULL: OUT_OF_MEMORY. short_node.h has those
// of which there are most.
oyi_view_node* oyi_view_node_new(oyi_node_kind kind);
oyi_accumulate_node* oyi_accumulate_node_new(oyi_tensor* variable);
// The number of the next node that this thread makes, see oy_sequence_next.
extern __thread uint64_t oyi_node_sequence __attribute__((tls_model("initial-exec")));
// What they all begin with; |node| has room for what follows.
static inline void oyi_node_init(oyi_node* node, oyi_node_kind kind,
                                 const oyi_formula* formula) {
  node->references = 1;
  node->kind = (uint8_t)kind;
  node->released = false;
  node->block = 0;
  node->edge_count = 0;
  node->output_count = 1;
  // The greatest number runs first, and gradients of leaves as soon as they can.
  node->sequence = kind == OYI_NODE_ACCUMULATE ? UINT64_MAX : oyi_node_sequence++;
  node->formula = formula;
  node->hooks = NULL;
}
static inline void oyi_expectation_init(oyi_expectation* e) {
  e->sizes = e->inline_sizes;
  e->ndim = 0;
}
static inline oyi_node* oyi_node_retain(oyi_node* node) {
  if (!node) return NULL;
  const oyi_tensor* leaf = NULL;
  if (node->kind == OYI_NODE_ACCUMULATE) {
    leaf = oyi_accumulate_node_of(node)->variable;
    oy_object_retain((oy_object*)(uintptr_t)&leaf->header);
  }
  if (!leaf || oyi_is_on_device(leaf->backend))
    __atomic_fetch_add(&node->references, 1, __ATOMIC_RELAXED);
  return node;
}
// Takes NULL.
void oyi_node_release(oyi_node* node);
// What the gradient of a result like |like| must match. OUT_OF_MEMORY.
oy_status oyi_expect_long(oyi_expectation* e, const oyi_tensor* like);
static inline oy_status oyi_expect(oyi_expectation* e, const oyi_tensor* like) {
  e->dtype = like->header.dtype;
  e->ndim = like->ndim;
  e->backend = like->backend;
  e->device_index = like->device_index;
  if (OY_UNLIKELY(like->ndim > OYI_INLINE_DIMS || e->sizes != e->inline_sizes))
    return oyi_expect_long(e, like);
  for (size_t i = 0; i < like->ndim; i++) e->inline_sizes[i] = like->sizes[i];
  return OY_OK;
}
// Whether |grad| fits as it is: nearly every one does.
static inline bool oyi_fits(const oy_object* grad, const oyi_expectation* to) {
  const oyi_tensor* g = (const oyi_tensor*)grad;
  if (!oyi_is_tensor(grad) || g->backend != to->backend || grad->dtype != to->dtype ||
      g->ndim != to->ndim)
    return false;
  for (size_t i = 0; i < g->ndim; i++)
    if (g->sizes[i] != to->sizes[i]) return false;
  return true;
}
// Whether what is expected is |like|, to the device.
static inline bool oyi_expects(const oyi_expectation* e, const oyi_tensor* like) {
  return e->sizes && e->device_index == like->device_index && oyi_fits(&like->header, e);
}
// The same for what the node of a leaf, which oyi_expect was called for, expects.
static inline bool oyi_expects_leaf(const oyi_expectation* e, const oyi_tensor* leaf) {
  return e->backend == leaf->backend && e->device_index == leaf->device_index &&
         e->dtype == leaf->header.dtype &&
         oyi_same_sizes((oy_ints){e->sizes, e->ndim}, oyi_sizes_view(leaf));
}
void oyi_expectation_reset(oyi_expectation* e);
// Of one that was only initialised: what it expects comes with the stream that is current
// then. Nothing here tests for streams, so that tensors of the CPU do not pay for them.
static inline void oyi_expect_stream(oyi_expectation* e) {
  e->sizes = NULL;
}
// Another stream for what fits otherwise; walks may look meanwhile.
void oyi_expect_stream_now(oyi_expectation* e, const oyi_tensor* like);
static inline const oyi_expectation* oyi_expected_at(const oyi_edge* edge) {
  // NOLINT: edges that are asked lead somewhere
  return &edge->node->expected[edge->output_nr];
}
static inline oy_ints oyi_expected_sizes(const oyi_expectation* e) {
  return (oy_ints){e->sizes, e->ndim};
}
// Sizes of input |i|, whose edge is valid.
static inline oy_ints oyi_input_sizes(const oyi_node* node, size_t i) {
  return oyi_expected_sizes(oyi_expected_at(&node->edges[i]));
}
const char* oyi_node_name(const oyi_node* node);

// Saves |t|; result |output_nr| as an alias, -1 for an input. OUT_OF_MEMORY.
oy_status oyi_save_tensor(oyi_saved* s, oyi_tensor* t, int output_nr);
// Saves an input of a call that is going to change |written|, or nothing if NULL.
oy_status oyi_save_input(oyi_saved* s, oyi_tensor* t, const oyi_tensor* written);
// Saves the input of a short node without a reference if |edge|, which stays as long, is
// one to it; false if it is not.
static inline bool oyi_save_lent(oyi_saved* s, oyi_tensor* t, const oyi_node* edge) {
  if (!edge || edge->kind != OYI_NODE_ACCUMULATE || !oyi_has_view_key(&t->header) ||
      ((const oyi_accumulate_node*)(const void*)edge)->variable != t)
    return false;
  s->tensor = t;
  s->version = oyi_version(t);
  s->is_result = false;
  s->is_lent = true;
  s->output_nr = 0;
  return true;
}
// NULL with PyTorch's text if it was freed or has been modified since; else the saved
// tensor, borrowed.
oy_object* oyi_saved_tensor(oyi_node* node, const oyi_saved* s);
static inline oy_object* oyi_node_saved(oyi_short_node* node, int slot) {
  return oyi_saved_tensor(&node->head, &node->saved[slot]);
}
oy_status oyi_fail_released(void);
// Frees what was saved.
void oyi_node_release_parts(oyi_node* node);
static inline void oyi_node_release_saved(oyi_node* node) {
  if (!node->released) oyi_node_release_parts(node);
}

// Runs a node that is not ACCUMULATE: |grads| has one for each of its results, NULL for
// zero, not all of them; out[0..edge_count), NULL before, get new references.
oy_status oyi_node_apply(oyi_node* node, oy_object* const* grads, oy_object** out);
oy_status oyi_copy_slices_apply(oyi_view_node* node, oy_object* grad, oy_object** out);
oy_status oyi_as_strided_apply(oyi_view_node* node, oy_object* grad, oy_object** out);
// May take *grad over, and leaves NULL there then.
oy_status oyi_accumulate_apply(oyi_accumulate_node* node, oy_object** grad);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_NODE_H_
