// SPDX-License-Identifier: Apache-2.0
// oy_vmap: checks where the mapped dimensions are, makes the inputs batched, runs the
// function in a layer of its own, and puts the dimensions where they are wanted.
#include "base/memory.h"
#include "base/strbuf.h"
#include "layers/vmap/wrapper.h"
#include "ops/calls.h"
#include "opyard/device.h"
#include "opyard/generator.h"

const oyi_layer_class oyi_vmap_class = {
    .name = "Vmap",
    .own_keys = 1ull << OY_KEY_FuncTorchBatched | 1ull << OY_KEY_BatchedNestedTensor,
    .included = 1ull << OY_KEY_FuncTorchVmapMode,
};

oy_status oy_randomness_parse(oy_str text, oy_randomness* out_randomness) {
  static const char* const names[] = {
      [OY_RANDOMNESS_ERROR] = "error",
      [OY_RANDOMNESS_DIFFERENT] = "different",
      [OY_RANDOMNESS_SAME] = "same",
  };
  *out_randomness = OY_RANDOMNESS_ERROR;
  for (size_t i = 0; i < OY_ARRAY_SIZE(names); i++) {
    if (strlen(names[i]) != text.size || memcmp(names[i], text.data, text.size) != 0)
      continue;
    *out_randomness = (oy_randomness)i;
    return OY_OK;
  }
  return OY_FAIL(
      INVALID_ARGUMENT,
      "Only allowed values for randomness are 'error', 'different', or 'same'. "
      "Got %.*s",
      OY_STR_ARG(text));
}

oy_status oy_vmap_enter(int64_t batch_size, oy_randomness randomness,
                        int64_t* out_level) {
  *out_level = 0;
  OY_CHECK(batch_size >= 0, INVALID_ARGUMENT, "expected a batch size, got %lld",
           (long long)batch_size);
  OY_CHECK((unsigned)randomness <= OY_RANDOMNESS_SAME, INVALID_ARGUMENT,
           "Only allowed values for randomness are 'error', 'different', or 'same'. "
           "Got %d",
           (int)randomness);
  oyi_layer* layer = oyi_layer_push(&oyi_vmap_class);
  if (!layer) return oy_failure();
  layer->batch_size = batch_size;
  layer->randomness = randomness;
  *out_level = layer->level;
  return OY_OK;
}

oy_status oy_vmap_innermost(int64_t* out_level, int64_t* out_batch_size,
                            oy_randomness* out_randomness) {
  const oyi_layer* layer = oyi_layers;
  bool is_vmap = oyi_layer_is_vmap(layer);
  *out_level = is_vmap ? layer->level : 0;
  *out_batch_size = is_vmap ? layer->batch_size : 0;
  *out_randomness = is_vmap ? layer->randomness : OY_RANDOMNESS_ERROR;
  OY_CHECK(is_vmap, FAILED_PRECONDITION,
           "expected a batching rule to run within vmap, got no layer of vmap innermost");
  return OY_OK;
}

oy_status oy_vmap_leave(int64_t level) {
  OY_CHECK(oyi_layer_is_vmap(oyi_layers) && oyi_layers->level == level,
           FAILED_PRECONDITION,
           "expected the innermost layer to be the vmap of level %lld, got level %lld",
           (long long)level, (long long)oy_transform_level());
  oyi_layer_pop();
  return OY_OK;
}

// ------------------------------------------------------------------ dimensions

// One call of oy_vmap.
typedef struct mapping {
  const oy_vmap_params* params;
  oy_tensor* const* inputs;
  size_t count;
  oy_tensor** outputs;
  size_t output_count;
  int64_t* in_dims;  // wrapped, OY_VMAP_NONE: not mapped
  int64_t batch_size;
} mapping;

static const char* name_of(const mapping* m) {
  return m->params->name ? m->params->name : "<fn>";
}

static int64_t dim_at(oy_ints dims, size_t i) {
  if (!dims.data) return 0;
  return dims.data[dims.size == 1 ? 0 : i];
}

// As PyTorch prints them: 0, (0, None).
typedef struct dims_text {
  char text[160];
} dims_text;
static dims_text print_dims(oy_ints dims) {
  oyi_strbuf buf = OYI_STRBUF_INIT;
  bool tuple = dims.data && dims.size != 1;
  if (tuple) oyi_strbuf_printf(&buf, "(");
  for (size_t i = 0; i < (tuple ? dims.size : 1); i++) {
    if (i > 0) oyi_strbuf_printf(&buf, ", ");
    if (dim_at(dims, i) == OY_VMAP_NONE)
      oyi_strbuf_printf(&buf, "None");
    else
      oyi_strbuf_printf(&buf, "%lld", (long long)dim_at(dims, i));
  }
  if (tuple) oyi_strbuf_printf(&buf, ")");
  dims_text result = {""};
  if (buf.data)
    memcpy(result.text, buf.data,
           buf.size < sizeof(result.text) ? buf.size : sizeof(result.text) - 1);
  oyi_strbuf_reset(&buf);
  return result;
}

static oy_status check_counts(const mapping* m) {
  const oy_vmap_params* p = m->params;
  OY_CHECK(p->fn, INVALID_ARGUMENT, "vmap: expected a function, got NULL");
  OY_CHECK(
      m->count > 0, INVALID_ARGUMENT,
      "vmap(%s)(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
      "trying to vmap over a function with no inputs. The latter is unsupported.",
      name_of(m));
  OY_CHECK(!p->in_dims.data || p->in_dims.size == 1 || p->in_dims.size == m->count,
           INVALID_ARGUMENT,
           "vmap(%s, in_dims=%s, ...)(<inputs>): in_dims is not compatible with the "
           "structure of `inputs`. in_dims has %zu elements but inputs has %zu.",
           name_of(m), print_dims(p->in_dims).text, p->in_dims.size, m->count);
  OY_CHECK(
      !p->out_dims.data || p->out_dims.size == 1 || p->out_dims.size == m->output_count,
      INVALID_ARGUMENT,
      "vmap(%s, ..., out_dims=%s)(<inputs>): out_dims is not compatible with the "
      "structure of `outputs`. out_dims has %zu elements but outputs has %zu.",
      name_of(m), print_dims(p->out_dims).text, p->out_dims.size, m->output_count);
  OY_CHECK(p->chunk_size >= 0, INVALID_ARGUMENT,
           "vmap: chunk_size should be None or greater than 0. (got %lld)",
           (long long)p->chunk_size);
  return OY_OK;
}

static oy_status wrap_in_dim(const mapping* m, size_t i) {
  int64_t dim = dim_at(m->params->in_dims, i);
  oy_object* input = m->inputs[i];
  m->in_dims[i] = OY_VMAP_NONE;
  if (dim == OY_VMAP_NONE) return OY_OK;
  if (!input) return oyi_tensor_of(input) ? OY_OK : oy_failure();
  OY_CHECK(oyi_is_tensor(input), INVALID_ARGUMENT,
           "vmap(%s, in_dims=%s, ...)(<inputs>): Got in_dim=%lld for an input but the "
           "input is of type %s. We cannot vmap over non-Tensor arguments, please use "
           "None as the respective in_dim",
           name_of(m), print_dims(m->params->in_dims).text, (long long)dim,
           oy_object_is_none(input) ? "NoneType" : input->klass->name);
  int64_t ndim = oyi_tensor_cast(input)->ndim;
  OY_CHECK(
      dim >= -ndim && dim < ndim, INVALID_ARGUMENT,
      "vmap(%s, in_dims=%s, ...)(<inputs>): Got in_dim=%lld for some input, but that "
      "input is a Tensor of dimensionality %lld so expected in_dim to satisfy -%lld "
      "<= in_dim < %lld.",
      name_of(m), print_dims(m->params->in_dims).text, (long long)dim, (long long)ndim,
      (long long)ndim, (long long)ndim);
  m->in_dims[i] = dim < 0 ? dim + ndim : dim;
  return OY_OK;
}

static int64_t mapped_size(const mapping* m, size_t i) {
  return oyi_tensor_cast(m->inputs[i])->sizes[m->in_dims[i]];
}

static oy_status fail_sizes(const mapping* m) {
  int64_t sizes[16];
  size_t n = 0;
  for (size_t i = 0; i < m->count && n < OY_ARRAY_SIZE(sizes); i++)
    if (m->in_dims[i] != OY_VMAP_NONE) sizes[n++] = mapped_size(m, i);
  return OY_FAIL(INVALID_ARGUMENT,
                 "vmap: Expected all tensors to have the same size in the mapped "
                 "dimension, got sizes %s for the mapped dimension",
                 oyi_dims_print((oy_ints){sizes, n}).text);
}

static oy_status find_batch_size(mapping* m) {
  m->batch_size = -1;
  for (size_t i = 0; i < m->count; i++) {
    OY_TRY(wrap_in_dim(m, i));
    if (m->in_dims[i] == OY_VMAP_NONE || m->batch_size >= 0) continue;
    m->batch_size = mapped_size(m, i);
  }
  OY_CHECK(m->batch_size >= 0, INVALID_ARGUMENT,
           "vmap: Expected at least one Tensor to vmap over");
  for (size_t i = 0; i < m->count; i++)
    if (m->in_dims[i] != OY_VMAP_NONE && mapped_size(m, i) != m->batch_size)
      return fail_sizes(m);
  return OY_OK;
}

// ---------------------------------------------------------------------- one run

// Inputs of the function, of which |held| are new.
static oy_status make_inputs(const mapping* m, oy_object* const* inputs,
                             oy_object** batched) {
  for (size_t i = 0; i < m->count; i++) {
    bool mapped = m->in_dims[i] != OY_VMAP_NONE;
    batched[i] = oy_tensor_retain(inputs[i]);
    if (mapped) batched[i] = oyi_batched_new(batched[i], m->in_dims[i], oyi_layers);
    if (mapped && !batched[i]) return oy_failure();
  }
  return OY_OK;
}

static oy_status run_layer(const mapping* m, oy_object* const* inputs,
                           oy_object** batched, oy_object** outputs, uint64_t* out_id,
                           int64_t batch_size) {
  int64_t level;
  OY_TRY(oy_vmap_enter(batch_size, m->params->randomness, &level));
  oyi_layer* layer = oyi_layers;
  *out_id = layer->id;
  oy_status status = make_inputs(m, inputs, batched);
  if (status == OY_OK)
    status = m->params->fn(m->params->data, batched, m->count, outputs, m->output_count);
  // Also what the function left open.
  while (oyi_layers && oyi_layers != layer && oyi_layers->level > level) oyi_layer_pop();
  if (oyi_layers == layer) oyi_layer_pop();
  return status;
}

static oy_status check_output(const mapping* m, oy_object* output, uint64_t id,
                              int64_t dim) {
  if (!output) return oyi_tensor_of(output) ? OY_OK : oy_failure();
  OY_CHECK(oyi_is_tensor(output), INVALID_ARGUMENT,
           "vmap(%s, ...): `%s` must only return Tensors, got type %s. Did you mean to "
           "set out_dims= to None for output?",
           name_of(m), name_of(m),
           oy_object_is_none(output) ? "NoneType" : output->klass->name);
  const oyi_wrapper* w = oyi_wrapper_of(output);
  OY_CHECK(dim != OY_VMAP_NONE || !w || w->layer != id, INVALID_ARGUMENT,
           "vmap(%s, ...): `%s` can not return a BatchedTensor when out_dim is None",
           name_of(m), name_of(m));
  return OY_OK;
}

// Puts what was batched in place of what the function gave.
static oy_status unwrap_outputs(const mapping* m, oy_object** outputs, uint64_t id,
                                int64_t batch_size) {
  for (size_t i = 0; i < m->output_count; i++) {
    int64_t dim = dim_at(m->params->out_dims, i);
    OY_TRY(check_output(m, outputs[i], id, dim));
    oy_object* whole = oyi_batched_unwrap(outputs[i], id, batch_size, dim);
    if (!whole) return oy_failure();
    oy_tensor_release(outputs[i]);
    outputs[i] = whole;
  }
  return OY_OK;
}

static void release_all(oy_object** tensors, size_t count) {
  for (size_t i = 0; i < count; i++) {
    oy_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

static oy_status run_once(const mapping* m, oy_object* const* inputs, int64_t batch_size,
                          oy_object** outputs) {
  oy_object** batched = oyi_calloc(m->count, sizeof(*batched));
  if (!batched) return OY_OUT_OF_MEMORY;
  uint64_t id = 0;
  oy_status status = run_layer(m, inputs, batched, outputs, &id, batch_size);
  release_all(batched, m->count);
  oyi_free(batched);
  if (status == OY_OK) status = unwrap_outputs(m, outputs, id, batch_size);
  if (status != OY_OK) release_all(outputs, m->output_count);
  return status;
}

// ------------------------------------------------------------------------ chunks

// Slices |from| to |to| of what is mapped.
static oy_status chunk_inputs(const mapping* m, int64_t from, int64_t to,
                              oy_object** chunk) {
  for (size_t i = 0; i < m->count; i++) {
    chunk[i] = m->in_dims[i] == OY_VMAP_NONE
                   ? oy_tensor_retain(m->inputs[i])
                   : oyi_call_slice_Tensor(m->inputs[i], m->in_dims[i], oy_int(from),
                                           oy_int(to), 1);
    if (!chunk[i] && m->inputs[i]) return oy_failure();
  }
  return OY_OK;
}

// |parts| has the outputs of one chunk after those of another.
static oy_status join_chunks(const mapping* m, oy_object* const* parts, size_t chunks,
                             oy_object** list) {
  for (size_t i = 0; i < m->output_count; i++) {
    int64_t dim = dim_at(m->params->out_dims, i);
    for (size_t c = 0; c < chunks; c++) list[c] = parts[c * m->output_count + i];
    m->outputs[i] = dim == OY_VMAP_NONE ? oy_tensor_retain(list[0])
                                        : oyi_call_cat((oy_tensors){list, chunks}, dim);
    if (!m->outputs[i]) return oy_failure();
  }
  return OY_OK;
}

// With the same randomness each chunk draws the same numbers.
static oy_status run_chunk(const mapping* m, int64_t from, int64_t to,
                           const oy_generator_state* state, oy_object** outputs) {
  if (m->params->randomness == OY_RANDOMNESS_SAME)
    OY_TRY(oy_generator_set_state(oy_generator_default(oy_device_cpu()), *state));
  oy_object** chunk = oyi_calloc(m->count, sizeof(*chunk));
  if (!chunk) return OY_OUT_OF_MEMORY;
  oy_status status = chunk_inputs(m, from, to, chunk);
  if (status == OY_OK) status = run_once(m, chunk, to - from, outputs);
  release_all(chunk, m->count);
  oyi_free(chunk);
  return status;
}

static oy_status run_chunks(const mapping* m, size_t chunks, oy_object** parts) {
  oy_generator_state state;
  OY_TRY(oy_generator_get_state(oy_generator_default(oy_device_cpu()), &state));
  int64_t size = m->params->chunk_size;
  oy_status status = OY_OK;
  for (size_t c = 0; c < chunks && status == OY_OK; c++) {
    int64_t from = (int64_t)c * size;
    int64_t to = from + size < m->batch_size ? from + size : m->batch_size;
    status = run_chunk(m, from, to, &state, parts + c * m->output_count);
  }
  return status;
}

static oy_status run_in_chunks(const mapping* m) {
  size_t chunks = (size_t)((m->batch_size - 1) / m->params->chunk_size + 1);
  size_t count = chunks * m->output_count;
  oy_object** parts = oyi_calloc(count + chunks, sizeof(*parts));
  if (!parts) return OY_OUT_OF_MEMORY;
  oy_status status = run_chunks(m, chunks, parts);
  if (status == OY_OK) status = join_chunks(m, parts, chunks, parts + count);
  release_all(parts, count);
  oyi_free(parts);
  if (status != OY_OK) release_all(m->outputs, m->output_count);
  return status;
}

static oy_status map(mapping* m) {
  OY_TRY(find_batch_size(m));
  int64_t size = m->params->chunk_size;
  if (size > 0 && size < m->batch_size) return run_in_chunks(m);
  return run_once(m, m->inputs, m->batch_size, m->outputs);
}

oy_status oy_vmap(const oy_vmap_params* params, oy_tensor* const* inputs, size_t count,
                  oy_tensor** outputs, size_t output_count) {
  mapping m = {params, inputs, count, outputs, output_count, NULL, 0};
  for (size_t i = 0; i < output_count; i++) outputs[i] = NULL;
  OY_TRY(check_counts(&m));
  m.in_dims = oyi_calloc(count, sizeof(*m.in_dims));
  if (!m.in_dims) return OY_OUT_OF_MEMORY;
  uint64_t before = oy_call_enter();
  oy_status status = map(&m);
  oy_call_leave(before);
  oyi_free(m.in_dims);
  return status;
}
