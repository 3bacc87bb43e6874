//// plus
struct pair { int a, b; };
#ifndef N
#define N 0
#endif
kernel void plus(global uint *data, uint add, struct pair more, local uint *room) {
  uint i = get_global_id(0);
  room[get_local_id(0)] = data[i];
  data[i] = room[get_local_id(0)] + add + more.b + N;
}
//// private_arrays_may_be
kernel void plus(global uint *data) {
  uint a[300000], i = get_global_id(0);
  if (i == 99) for (uint k = 0; k < 300000; k++) a[k] = 1;
  for (uint k = 0; k < 4; k++) a[(data[i] * 7919 + k * 90001) % 300000] += k;
  data[i] += a[(data[i] * 7919 + 3 * 90001) % 300000];
}
//// an_inline_only_function
inline uint f(uint x, uint n) {
  for (uint i = 0; i < n; i++)
    for (uint k = 0; k < i; k++) { x += k * i; if (x & 64) x ^= i * 3; else x -= k; x = rotate(x, k); }
  return x;
}
kernel void plus(global uint *data, uint add, long two, local uint *room) {
  uint i = get_global_id(0);
  data[i] += f(add, add - 5) + f(two >> 32, 0) + f(f(i, i), i) - f(f(i, i), i);
}
//// wide
kernel void plus(global float *a) {
  float v[40];
  for (int i = 0; i < 40; i++) v[i] = a[i * 64 + get_global_id(0)];
  float s = 0;
  #pragma unroll
  for (int i = 0; i < 40; i++) s = s * v[39 - i] + v[i];
  a[get_global_id(0)] = s;
}
//// every_instruction_up_to
kernel void k(global int *a, int n) {
  if (n > 3)
    return;
  for (int i = 0; i < n; i++)
    a[i] = n;
}
