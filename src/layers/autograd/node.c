// SPDX-License-Identifier: Apache-2.0
// Making, saving in, and releasing nodes. Releasing one may release the next and
// so on through a graph of any depth, by way of saved tensors too; so dead nodes
// go to a list of the thread, and whoever came first empties it.
#include "layers/autograd/node.h"

#include "base/memory.h"
#include "layers/autograd/variable.h"
#include "tensor/pool.h"

_Static_assert(sizeof(oyi_view_node) <= OYI_POOL_UNIT * OYI_POOL_CLASSES,
               "nodes come from the pool");

static __thread uint64_t t_sequence __attribute__((tls_model("initial-exec")));
static __thread oyi_node* t_dead __attribute__((tls_model("initial-exec")));
static __thread bool t_burying __attribute__((tls_model("initial-exec")));

oyi_node* oyi_node_new(oyi_node_kind kind, size_t size, const oyi_formula* formula) {
  unsigned units = oyi_pool_units(size);
  oyi_node* node = oyi_pool_take(units);
  if (!node) return NULL;
  // Most of a node is written before it is read; only the rest is cleared.
  if (kind == OYI_NODE_COPY_SLICES || kind == OYI_NODE_AS_STRIDED)
    memset((char*)node + sizeof(*node), 0, size - sizeof(*node));
  node->references = 1;
  node->kind = (uint8_t)kind;
  node->edge_count = 0;
  node->released = false;
  node->block = (uint8_t)units;
  for (int i = 0; i < OYI_NODE_INPUTS; i++) node->edges[i] = (oyi_edge){NULL, 0};
  for (int i = 0; i < OYI_NODE_SAVED; i++) node->saved[i].tensor = NULL;
  // The greatest number runs first, and gradients of leaves as soon as they can.
  node->sequence = kind == OYI_NODE_ACCUMULATE ? UINT64_MAX : t_sequence++;
  node->formula = formula;
  node->expected.sizes = node->expected.inline_sizes;
  node->expected.ndim = 0;
  return node;
}

static void release_view_parts(oyi_view_node* v) {
  oy_tensor_release(oyi_tensor_object(v->base.like));
  oy_tensor_release(oyi_tensor_object(v->view.like));
  oyi_node_release(v->inner);
}

static void free_node(oyi_node* node) {
  if (OY_UNLIKELY(node->expected.sizes != node->expected.inline_sizes))
    oyi_free(node->expected.sizes);
  oyi_pool_give(node, node->block);
}

static void bury(oyi_node* node) {
  for (int i = 0; i < node->edge_count; i++) oyi_node_release(node->edges[i].node);
  oyi_node_release_saved(node);
  if (OY_UNLIKELY(node->kind != OYI_NODE_FORMULA))
    release_view_parts((oyi_view_node*)(void*)node);
  free_node(node);
}

void oyi_accumulator_free(oyi_node* node) {
  free_node(node);
}

// The last reference goes under the variable's lock, since the variable may hand out a
// new one at the same moment; the node then waits there.
static void drop_accumulator(oyi_node* node) {
  oyi_tensor* leaf = ((oyi_accumulate_node*)(void*)node)->variable;
  oyi_variable* v = oyi_variable_of(leaf);
  oyi_spin_lock(&v->lock);
  bool last = __atomic_sub_fetch(&node->references, 1, __ATOMIC_ACQ_REL) == 0;
  oyi_spin_unlock(&v->lock);
  if (last) oy_tensor_release(oyi_tensor_object(leaf));
}

// A node that nobody else has needs no atomic operation to go.
static bool drop(oyi_node* node) {
  return __atomic_load_n(&node->references, __ATOMIC_ACQUIRE) == 1 ||
         __atomic_sub_fetch(&node->references, 1, __ATOMIC_ACQ_REL) == 0;
}

void oyi_node_release(oyi_node* node) {
  if (!node) return;
  if (node->kind == OYI_NODE_ACCUMULATE) {
    drop_accumulator(node);
    return;
  }
  if (!drop(node)) return;
  node->next_dead = t_dead;
  t_dead = node;
  if (t_burying) return;
  t_burying = true;
  while (t_dead) {
    oyi_node* dead = t_dead;
    t_dead = dead->next_dead;
    bury(dead);
  }
  t_burying = false;
}

oy_status oyi_node_expect_long(oyi_node* node, const oyi_tensor* like) {
  oyi_expectation* e = &node->expected;
  // Room that an accumulate node got for an earlier graph may be too small.
  if (e->sizes != e->inline_sizes) oyi_free(e->sizes);
  e->sizes = e->inline_sizes;
  if (like->ndim > OYI_INLINE_DIMS &&
      !(e->sizes = oyi_calloc(like->ndim, sizeof(int64_t)))) {
    e->sizes = e->inline_sizes;
    e->ndim = 0;
    return OY_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < like->ndim; i++) e->sizes[i] = like->sizes[i];
  return OY_OK;
}

const char* oyi_node_name(const oyi_node* node) {
  switch (node->kind) {
    case OYI_NODE_ACCUMULATE: return "AccumulateGrad";
    case OYI_NODE_COPY_SLICES: return "CopySlices";
    case OYI_NODE_AS_STRIDED: return "AsStridedBackward0";
    default: return node->formula->name;
  }
}

// --------------------------------------------------------------------- saving

oy_status oyi_node_save(oyi_node* node, int slot, oyi_tensor* t, bool is_result) {
  oyi_saved* s = &node->saved[slot];
  if (is_result) {
    s->tensor = oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
    if (!s->tensor) return OY_OUT_OF_MEMORY;
  } else {
    s->tensor = t;
    oy_object_retain(&t->header);
  }
  s->is_result = is_result;
  s->version = oyi_version(t);
  return OY_OK;
}

static const char* producer_name(oyi_node* node, const oyi_saved* s, uint32_t* out_nr) {
  *out_nr = 0;
  if (s->is_result) return oyi_node_name(node);
  const oyi_variable* v = oyi_variable_of(s->tensor);
  if (!v || !v->grad_fn) return NULL;
  *out_nr = v->output_nr;
  return oyi_node_name(v->grad_fn);
}

static void fail_modified(oyi_node* node, const oyi_saved* s) {
  uint32_t nr;
  const char* producer = producer_name(node, s, &nr);
  char origin[96] = "";
  if (producer) {
    oyi_strbuf buf = OYI_STRBUF_INIT;
    oyi_strbuf_printf(&buf, ", which is output %u of %s,", nr, producer);
    if (buf.data && buf.size < sizeof(origin)) memcpy(origin, buf.data, buf.size + 1);
    oyi_strbuf_reset(&buf);
  }
  OY_FAIL(FAILED_PRECONDITION,
          "one of the variables needed for gradient computation has been modified by "
          "an inplace operation: [torch.%sTensor %s]%s is at version %u; expected "
          "version %u instead. Hint: enable anomaly detection to find the operation "
          "that failed to compute its gradient, with "
          "torch.autograd.set_detect_anomaly(True).",
          oy_dtype_pytorch_name(s->tensor->header.dtype),
          oyi_dims_print(oyi_sizes_view(s->tensor)).text, origin, oyi_version(s->tensor),
          s->version);
}

oy_object* oyi_node_saved(oyi_node* node, int slot) {
  oyi_saved* s = &node->saved[slot];
  if (!s->tensor) {
    OY_FAIL(FAILED_PRECONDITION,
            "Trying to backward through the graph a second time (or directly access "
            "saved tensors after they have already been freed). Saved intermediate "
            "values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward "
            "through the graph a second time or if you need to access saved tensors "
            "after calling backward.");
    return NULL;
  }
  if (oyi_version(s->tensor) == s->version) return &s->tensor->header;
  fail_modified(node, s);
  return NULL;
}

void oyi_node_release_saved(oyi_node* node) {
  node->released = true;
  for (int i = 0; i < OYI_NODE_SAVED; i++) {
    oyi_tensor* t = node->saved[i].tensor;
    if (!t) continue;
    node->saved[i].tensor = NULL;
    oy_tensor_release(oyi_tensor_object(t));
  }
  if (node->kind != OYI_NODE_COPY_SLICES) return;
  oyi_node* inner = ((oyi_view_node*)(void*)node)->inner;
  if (inner) oyi_node_release_saved(inner);
}

oy_status oyi_node_apply(oyi_node* node, oy_object* grad, oy_object** out) {
  if (node->kind == OYI_NODE_COPY_SLICES)
    return oyi_copy_slices_apply((oyi_view_node*)(void*)node, grad, out);
  if (node->kind == OYI_NODE_AS_STRIDED)
    return oyi_as_strided_apply((oyi_view_node*)(void*)node, grad, out);
  return node->formula->apply(node, grad, out);
}
