/* Two kernels connected by a pipe: one makes blocks of 64 numbers, the other hashes them further. A work-group reserves
 * room for a whole block, or a whole block to read, and retries until the pipe grants it. */
#define BLOCK 64

kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void produce(write_only pipe uint numbers, uint blocks) {
  uint i = get_local_id(0);
  for (uint block = 0; block < blocks; block++) {
    uint x = block * BLOCK + i;
    for (uint round = 0; round < 24; round++)
      x = x * 1664525u + 1013904223u;

    reserve_id_t id;
    do {                                       /* full: retry until the reader makes room */
      id = work_group_reserve_write_pipe(numbers, BLOCK);
    } while (!is_valid_reserve_id(id));
    write_pipe(numbers, id, i, &x);
    work_group_commit_write_pipe(numbers, id);
  }
}

kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void consume(read_only pipe uint numbers, global uint *out, uint blocks) {
  uint i = get_local_id(0);
  for (uint block = 0; block < blocks; block++) {
    uint x;
    reserve_id_t id;
    do {                                       /* empty: retry until the writer sends more */
      id = work_group_reserve_read_pipe(numbers, BLOCK);
    } while (!is_valid_reserve_id(id));
    read_pipe(numbers, id, i, &x);
    work_group_commit_read_pipe(numbers, id);

    for (uint round = 0; round < 32; round++)
      x = rotate(x, 5u) ^ x * 16777619u;
    out[block * BLOCK + i] = x;
  }
}
