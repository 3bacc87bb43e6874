//// kernels
uint busy(uint x, uint rounds) {
  for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
  return x == 12345u;
}
kernel void put(write_only pipe uint p, uint count, uint work) {
  uint first = get_global_id(0) * count;
  for (uint i = first; i < first + count; i++) {
    uint x = i + busy(i, work);
    while (write_pipe(p, &x) != 0);
  }
  printf("put %u\n", count);
}
kernel void take(read_only pipe uint p, global uint *out, uint count, uint work) {
  uint first = get_global_id(0) * count;
  for (uint i = first; i < first + count; i++) {
    uint x;
    while (read_pipe(p, &x) != 0);
    out[i] = x + busy(x, work);
  }
  printf("take %u\n", count);
}
kernel void pass(read_only pipe uint p, write_only pipe uint q, uint count) {
  for (uint i = 0; i < count; i++) {
    uint x;
    while (read_pipe(p, &x) != 0);
    while (write_pipe(q, &x) != 0);
  }
}
