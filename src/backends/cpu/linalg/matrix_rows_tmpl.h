// SPDX-License-Identifier: Apache-2.0
// The kernels of one implementation of products: KERNEL(id) begins one, PICK gives the
// function of a type, RUN(function, call) calls what the operator is.
#define CALL(first, second, target)                      \
  &(oyi_matrix_call) {                                   \
    .a = first, .b = second, .out = target, .pick = PICK \
  }
#define CALL_ADD(first, second, target)                                                 \
  &(oyi_matrix_call) {                                                                  \
    .self = self, .a = first, .b = second, .beta = beta, .alpha = alpha, .out = target, \
    .pick = PICK                                                                        \
  }

KERNEL(mm) {
  oy_object* small = oyi_small_mm(self, mat2);
  return OY_LIKELY(small != NULL) ? small : RUN(oyi_cpu_addmm, CALL(self, mat2, NULL));
}
KERNEL(mm_out) {
  oy_object* small = oyi_small_mm_out(self, mat2, out);
  return OY_LIKELY(small != NULL) ? small : RUN(oyi_cpu_addmm, CALL(self, mat2, out));
}
KERNEL(bmm) {
  return RUN(oyi_cpu_baddbmm, CALL(self, mat2, NULL));
}
KERNEL(bmm_out) {
  return RUN(oyi_cpu_baddbmm, CALL(self, mat2, out));
}
KERNEL(addmm) {
  return RUN(oyi_cpu_addmm, CALL_ADD(mat1, mat2, NULL));
}
KERNEL(addmm_out) {
  return RUN(oyi_cpu_addmm, CALL_ADD(mat1, mat2, out));
}
KERNEL(addmm_) {
  return RUN(oyi_cpu_addmm, CALL_ADD(mat1, mat2, self));
}
KERNEL(baddbmm) {
  return RUN(oyi_cpu_baddbmm, CALL_ADD(batch1, batch2, NULL));
}
KERNEL(baddbmm_out) {
  return RUN(oyi_cpu_baddbmm, CALL_ADD(batch1, batch2, out));
}
KERNEL(baddbmm_) {
  return RUN(oyi_cpu_baddbmm, CALL_ADD(batch1, batch2, self));
}
KERNEL(addbmm) {
  return RUN(oyi_cpu_addbmm_sum, CALL_ADD(batch1, batch2, NULL));
}
KERNEL(addbmm_out) {
  return RUN(oyi_cpu_addbmm_sum, CALL_ADD(batch1, batch2, out));
}
KERNEL(addbmm_) {
  return RUN(oyi_cpu_addbmm_sum, CALL_ADD(batch1, batch2, self));
}
