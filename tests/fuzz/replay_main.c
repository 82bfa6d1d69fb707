// SPDX-License-Identifier: Apache-2.0
// Stands in for libFuzzer's main, with any compiler: gives every file of the named folders
// to the target once, so that what fuzzing found once stays found; or random bytes.
//
//   replay FOLDER...
//   replay --random COUNT [SEED]
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int run_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return 0;  // a folder, or gone
  static uint8_t data[1 << 20];
  size_t size = fread(data, 1, sizeof(data), file);
  fclose(file);
  // A copy of the exact size, so that reading past the end is seen.
  uint8_t* exact = malloc(size ? size : 1);
  if (!exact) return 0;
  memcpy(exact, data, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  return 1;
}

// Inputs of 48 bytes, the same for the same seed.
static int run_random(long count, uint64_t state) {
  uint8_t data[48];
  for (long i = 0; i < count; i++) {
    for (size_t k = 0; k < sizeof(data); k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      data[k] = (uint8_t)(state >> 40);
    }
    LLVMFuzzerTestOneInput(data, sizeof(data));
  }
  printf("%ld random inputs\n", count);
  return 0;
}

int main(int argc, char** argv) {
  int count = 0;
  if (argc > 2 && strcmp(argv[1], "--random") == 0)
    return run_random(atol(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
  for (int i = 1; i < argc; i++) {
    DIR* folder = opendir(argv[i]);
    if (!folder) {
      fprintf(stderr, "cannot open %s\n", argv[i]);
      return 1;
    }
    struct dirent* entry;
    while ((entry = readdir(folder)) != NULL) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
      count += run_file(path);
    }
    closedir(folder);
  }
  printf("%d inputs\n", count);
  return count == 0;
}
