// SPDX-License-Identifier: Apache-2.0
// Stands behind a kernel's text: calls it with the parameters that a launch gives by
// address, for one thread, or for a range of blocks one thread after the other.
template <unsigned... I>
struct numbers {};
template <unsigned N, unsigned... I>
struct count : count<N - 1, N - 1, I...> {};
template <unsigned... I>
struct count<0, I...> {
  typedef numbers<I...> type;
};
template <class A>
struct plain {
  typedef A type;
};
template <class A>
struct plain<const A> {
  typedef A type;
};
template <class... A, unsigned... I>
static inline void spread(void (*f)(A...), void** p, numbers<I...>) {
  f(*(typename plain<A>::type*)p[I]...);
}
template <class... A>
static inline void call(void (*f)(A...), void** p) {
  spread(f, p, typename count<sizeof...(A)>::type());
}
extern "C" {
void sim_place(unsigned block, unsigned thread, unsigned grid, unsigned group) {
  blockIdx.x = block, threadIdx.x = thread, gridDim.x = grid, blockDim.x = group;
}
void sim_thread(void** parameters) {
  call(&run, parameters);
}
void sim_all(void** parameters, unsigned grid, unsigned group) {
  for (unsigned b = 0; b < grid; b++)
    for (unsigned t = 0; t < group; t++) {
      sim_place(b, t, grid, group);
      call(&run, parameters);
    }
}
}
