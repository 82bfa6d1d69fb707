// SPDX-License-Identifier: Apache-2.0
// Labelled images in files of the idx format, as MNIST and its successors come in.
#ifndef EXAMPLES_TRAIN_IMAGES_H_
#define EXAMPLES_TRAIN_IMAGES_H_

#include "opyard/tensor.h"

enum { CLASSES = 10 };

typedef struct images {
  oy_tensor* pixels;  // [count, 1, rows, columns], uint8
  oy_tensor* labels;  // [count], int64, below CLASSES
  int64_t count, rows, columns;
} images;

// Reads |set|-images-idx3-ubyte and |set|-labels-idx1-ubyte of |folder|, with .gz or
// without; the first |limit| of them, 0: all. Every number in the files is checked.
OY_MUST_USE oy_status images_read(const char* folder, const char* set, int64_t limit,
                                  images* out);
// Takes empty ones.
void images_free(images* set);

// The images and labels that |index| names, as the network takes them. Call it with a
// scope open; the results belong to that.
OY_MUST_USE oy_status images_batch(const images* set, oy_tensor* index, oy_tensor** out_x,
                                   oy_tensor** out_labels);

#endif  // EXAMPLES_TRAIN_IMAGES_H_
