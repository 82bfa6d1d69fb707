// SPDX-License-Identifier: Apache-2.0
// Gradients of Fourier transforms against finite differences: every normalisation, one sided
// and whole, lines that are cut and filled up, one dimension and more.
#include "layers/differences.h"

#define X    in[0]
#define NONE oy_none()
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }
#define ORTHO   oy_value_str(oy_str_of("ortho"))
#define FORWARD oy_value_str(oy_str_of("forward"))
// Elements are pairs of real numbers in the last dimension, here and in results.
#define COMPLEX oy_view_as_complex(X)
#define PARTS   oy_view_as_real

static const int64_t g_both[] = {0, 1}, g_other[] = {1, 0}, g_sizes[] = {4, 3};
#define BOTH  ((oy_ints){g_both, 2})
#define OTHER ((oy_ints){g_other, 2})
#define SIZES ((oy_ints){g_sizes, 2})
#define ALL   ((oy_ints){NULL, 0})

// ------------------------------------------------------------------- one dimension

FUNCTION(fft, PARTS(oy_fft_fft(COMPLEX, NONE, -1, NONE)))
FUNCTION(fft_of_real, PARTS(oy_fft_fft(X, NONE, 0, ORTHO)))
FUNCTION(fft_cut, PARTS(oy_fft_fft(COMPLEX, oy_int(3), -1, FORWARD)))
FUNCTION(fft_filled, PARTS(oy_fft_fft(X, oy_int(7), -1, NONE)))
FUNCTION(ifft, PARTS(oy_fft_ifft(COMPLEX, NONE, 0, NONE)))
FUNCTION(ifft_of_real, PARTS(oy_fft_ifft(X, NONE, -1, ORTHO)))
FUNCTION(rfft, PARTS(oy_fft_rfft(X, NONE, -1, NONE)))
FUNCTION(rfft_first, PARTS(oy_fft_rfft(X, oy_int(6), 0, FORWARD)))
FUNCTION(ihfft, PARTS(oy_fft_ihfft(X, NONE, -1, NONE)))
FUNCTION(irfft, oy_fft_irfft(COMPLEX, NONE, -1, NONE))
FUNCTION(irfft_odd, oy_fft_irfft(COMPLEX, oy_int(5), -1, ORTHO))
FUNCTION(irfft_cut, oy_fft_irfft(COMPLEX, oy_int(2), -1, FORWARD))
FUNCTION(irfft_one, oy_fft_irfft(COMPLEX, oy_int(1), -1, NONE))
FUNCTION(hfft, oy_fft_hfft(COMPLEX, NONE, -1, NONE))
// More elements than the operator reads.
FUNCTION(c2r_rest, oy__fft_c2r(COMPLEX, ((oy_ints){g_both, 1}), 1, 4))

// -------------------------------------------------------------- several dimensions

FUNCTION(fftn, PARTS(oy_fft_fftn(COMPLEX, ALL, ALL, NONE)))
FUNCTION(ifft2, PARTS(oy_fft_ifft2(COMPLEX, SIZES, OTHER, ORTHO)))
FUNCTION(rfft2, PARTS(oy_fft_rfft2(X, ALL, BOTH, NONE)))
FUNCTION(rfftn, PARTS(oy_fft_rfftn(X, SIZES, OTHER, FORWARD)))
FUNCTION(irfftn, oy_fft_irfftn(COMPLEX, ALL, ALL, NONE))
FUNCTION(irfft2, oy_fft_irfft2(COMPLEX, SIZES, OTHER, ORTHO))
FUNCTION(hfft2, oy_fft_hfft2(COMPLEX, ALL, BOTH, FORWARD))
FUNCTION(ihfftn, PARTS(oy_fft_ihfftn(X, ALL, ALL, ORTHO)))
FUNCTION(shifted, oy_fft_ifftshift(oy_mul_Tensor(X, oy_fft_fftshift(X, ALL)), BOTH))

// ------------------------------------------------------------------------- checks

#define FROM -1.6, 1.6

static void check(const differences_row* rows, size_t size) {
  check_differences(rows, size / sizeof(*rows), 2);
  check_differences_memory(rows, size / sizeof(*rows));
}

static void one_dimension(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"fft", fft, "5,2", FROM},
      {"fft of real numbers", fft_of_real, "4,2", FROM},
      {"fft, cut", fft_cut, "2,5,2", FROM},
      {"fft, filled up", fft_filled, "5", FROM},
      {"ifft", ifft, "4,3,2", FROM},
      {"ifft of real numbers", ifft_of_real, "6", FROM},
      {"rfft, odd", rfft, "2,5", FROM},
      {"rfft, even", rfft, "6", FROM},
      {"rfft of the first dimension", rfft_first, "4,2", FROM},
      {"ihfft", ihfft, "5", FROM},
      {"irfft", irfft, "4,2", FROM},
      {"irfft, odd", irfft_odd, "2,3,2", FROM},
      {"irfft, cut", irfft_cut, "4,2", FROM},
      {"irfft of one element", irfft_one, "3,2", FROM},
      {"hfft", hfft, "4,2", FROM},
      {"_fft_c2r, elements left", c2r_rest, "5,2", FROM},
  };
  check(rows, sizeof(rows));
}

static void several_dimensions(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"fftn", fftn, "2,3,2", FROM},
      {"ifft2", ifft2, "2,4,2", FROM},
      {"rfft2", rfft2, "3,4,2", FROM},
      {"rfftn", rfftn, "3,3", FROM},
      {"irfftn", irfftn, "2,3,2", FROM},
      {"irfft2", irfft2, "3,4,2", FROM},
      {"hfft2", hfft2, "2,3,2", FROM},
      {"ihfftn", ihfftn, "2,5", FROM},
      {"fftshift, ifftshift", shifted, "3,4", FROM},
  };
  check(rows, sizeof(rows));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_dimension),
      cmocka_unit_test(several_dimensions),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
