/* The same pair of kernels, but each work-item writes and reads its own packets. */
uint mix(uint x, uint rounds) {
  for (uint round = 0; round < rounds; round++)
    x = x * 1664525u + 1013904223u;
  return x;
}

kernel void produce(write_only pipe uint numbers) {
  for (uint block = 0; block < BLOCKS; block++) {
    uint x = mix(block * 32 + get_local_id(0), MAKE);
    while (write_pipe(numbers, &x)) /* full: try again */
      ;
  }
}

kernel void consume(read_only pipe uint numbers, global uint *out) {
  for (uint block = 0; block < BLOCKS; block++) {
    uint x;
    while (read_pipe(numbers, &x)) /* empty: try again */
      ;
    out[block * 32 + get_local_id(0)] = mix(x, USE);
  }
}
