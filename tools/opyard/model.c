// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include "base/memory.h"

void cli_model_free(cli_model* model) {
  oyi_free(model->text);
  oyi_arena_free(&model->arena);
  memset(model, 0, sizeof *model);
}

static void* add(cli_model* model, void* array, size_t* count, size_t* capacity,
                 size_t element) {
  if (!oyi_arena_grow(&model->arena, array, capacity, *count, element)) return NULL;
  char* data;
  memcpy(&data, array, sizeof data);
  void* added = data + (*count)++ * element;
  memset(added, 0, element);
  return added;
}

cli_fallback* cli_model_add_fallback(cli_model* model) {
  return add(model, &model->fallbacks, &model->fallback_count, &model->fallback_capacity,
             sizeof *model->fallbacks);
}

cli_model_op* cli_model_add_op(cli_model* model) {
  return add(model, &model->ops, &model->op_count, &model->op_capacity,
             sizeof *model->ops);
}

cli_impl* cli_model_add_impl(cli_model* model, cli_model_op* op) {
  return add(model, &op->impls, &op->impl_count, &op->impl_capacity, sizeof *op->impls);
}

cli_cell* cli_model_add_cell(cli_model* model, cli_model_op* op) {
  return add(model, &op->cells, &op->cell_count, &op->cell_capacity, sizeof *op->cells);
}

oy_str cli_model_copy(cli_model* model, oy_str text) {
  char* copy = oyi_arena_alloc(&model->arena, text.size + 1);
  if (!copy) return (oy_str){NULL, 0};
  if (text.size) memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  return (oy_str){copy, text.size};
}

const cli_cell* cli_model_cell(const cli_model_op* op, oy_str key_text) {
  for (size_t i = 0; i < op->cell_count; i++)
    if (oy_str_equal(op->cells[i].key_text, key_text)) return &op->cells[i];
  return NULL;
}
