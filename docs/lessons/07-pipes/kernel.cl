/* Two kernels connected by a pipe. A block is 32 numbers, one per work-item. */
uint mix(uint x, uint rounds) {
  for (uint round = 0; round < rounds; round++)
    x = x * 1664525u + 1013904223u;
  return x;
}

kernel void produce(write_only pipe uint numbers) {
  for (uint block = 0; block < BLOCKS; block++) {
    uint x = mix(block * 32 + get_local_id(0), MAKE);
    reserve_id_t room;
    do
      room = work_group_reserve_write_pipe(numbers, 32);
    while (!is_valid_reserve_id(room)); /* full: try again */
    write_pipe(numbers, room, get_local_id(0), &x);
    work_group_commit_write_pipe(numbers, room);
  }
}

kernel void consume(read_only pipe uint numbers, global uint *out) {
  for (uint block = 0; block < BLOCKS; block++) {
    uint x;
    reserve_id_t packets;
    do
      packets = work_group_reserve_read_pipe(numbers, 32);
    while (!is_valid_reserve_id(packets)); /* empty: try again */
    read_pipe(numbers, packets, get_local_id(0), &x);
    work_group_commit_read_pipe(numbers, packets);
    out[block * 32 + get_local_id(0)] = mix(x, USE);
  }
}
