// SPDX-License-Identifier: Apache-2.0
// make_images FOLDER COUNT: two sets of COUNT images of 8 x 8 in files of the idx format.
// The label says where the image is bright, under some noise: what a small network learns
// in a few steps.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, LABELS = 10 };

static uint32_t g_noise;
static unsigned noise(void) {
  g_noise = g_noise * 1664525u + 1013904223u;
  return g_noise >> 24;
}

static void put_number(FILE* f, unsigned number) {
  for (int shift = 24; shift >= 0; shift -= 8) putc((int)(number >> shift & 255), f);
}

static void put_image(FILE* f, unsigned label) {
  const unsigned row = label / 5 * 4, column = label % 5;
  for (unsigned r = 0; r < SIDE; r++)
    for (unsigned c = 0; c < SIDE; c++) {
      const unsigned bright = r >= row && r < row + 4 && c >= column && c < column + 4;
      putc((int)(bright ? 160 + noise() % 96 : noise() % 96), f);
    }
}

static FILE* create(const char* folder, const char* set, const char* kind) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s-%s-ubyte", folder, set, kind);
  FILE* f = fopen(path, "wb");
  if (!f) perror(path);
  return f;
}

static int make_set(const char* folder, const char* set, unsigned count) {
  FILE* images = create(folder, set, "images-idx3");
  FILE* labels = create(folder, set, "labels-idx1");
  if (!images || !labels) return 1;
  const unsigned head[] = {0x0803, count, SIDE, SIDE, 0x0801, count};
  for (int i = 0; i < 6; i++) put_number(i < 4 ? images : labels, head[i]);
  for (unsigned i = 0; i < count; i++) {
    const unsigned label = noise() % LABELS;
    put_image(images, label);
    putc((int)label, labels);
  }
  return (fclose(images) | fclose(labels)) != 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
  g_noise = 1;
  return make_set(argv[1], "train", count) | make_set(argv[1], "t10k", count);
}
