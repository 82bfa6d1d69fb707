// SPDX-License-Identifier: Apache-2.0
// Libraries by macro: loading a block once, all or nothing, and keeping what
// went wrong where a constructor cannot report it.
#include <pthread.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/owner.h"

// Recursive: a body may load the libraries that it builds on.
static pthread_mutex_t g_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
enum { NOT_LOADED, LOADED, LOADING };
static oyi_strbuf g_errors = OYI_STRBUF_INIT;

static oy_status load(oy_library_block* block) {
  OY_CHECK(block->loaded != LOADING, FAILED_PRECONDITION,
           "expected libraries that build on each other in one direction, got a "
           "block for %s that loads itself while it is being loaded",
           block->params.ns ? block->params.ns : "_");
  OY_TRY(oy_library_create(&block->params, &block->library));
  block->loaded = LOADING;
  oy_status status = oyi_owner_adopt_block(block);
  if (status == OY_OK) status = block->body(block->library);
  block->loaded = NOT_LOADED;
  if (status == OY_OK) {
    block->loaded = LOADED;
    return OY_OK;
  }
  oy_library_close(block->library);
  block->library = NULL;
  return status;
}

// One line for each block: a message of several is joined.
static void keep_error(const oy_library_block* block) {
  const char* file = block->params.file ? block->params.file : "(unknown)";
  oyi_strbuf_printf(&g_errors, "%s:%d: ", file, block->params.line);
  for (const char* c = oy_error_get()->message; *c; c++)
    oyi_strbuf_putc(&g_errors, *c == '\n' ? ' ' : *c);
  oyi_strbuf_putc(&g_errors, '\n');
}

oy_status oy_library_block_load(oy_library_block* block) {
  pthread_mutex_lock(&g_mutex);
  oy_status status = block->loaded == LOADED ? OY_OK : load(block);
  if (status != OY_OK) keep_error(block);
  pthread_mutex_unlock(&g_mutex);
  return status;
}

void oy_library_block_unload(oy_library_block* block) {
  pthread_mutex_lock(&g_mutex);
  oy_library_close(block->library);
  block->library = NULL;
  block->loaded = 0;
  pthread_mutex_unlock(&g_mutex);
}

oy_status oy_registry_load_errors(char** out_text) {
  pthread_mutex_lock(&g_mutex);
  *out_text = oyi_strndup(g_errors.data ? g_errors.data : "", g_errors.size);
  pthread_mutex_unlock(&g_mutex);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}
