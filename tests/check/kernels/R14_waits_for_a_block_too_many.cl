/* Two concurrent kernels: one sends three blocks. With -D WRONG the other wants four and tries forever; otherwise
 * three. */
#ifdef WRONG
#define WANTED 4
#else
#define WANTED 3
#endif

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void produce(write_only pipe uint p) {
  uint i = get_local_id(0);
  for (uint block = 0; block < 3; block++) {
    uint x = 32 * block + i;
    reserve_id_t id;
    do {
      id = work_group_reserve_write_pipe(p, 32);
    } while (!is_valid_reserve_id(id));
    write_pipe(p, id, i, &x);
    work_group_commit_write_pipe(p, id);
  }
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void consume(read_only pipe uint p, global uint *out) {
  uint i = get_local_id(0);
  for (uint block = 0; block < WANTED; block++) {
    uint x = 0;
    reserve_id_t id;
    do {
      id = work_group_reserve_read_pipe(p, 32); /* HERE */
    } while (!is_valid_reserve_id(id));
    read_pipe(p, id, 31 - i, &x);
    work_group_commit_read_pipe(p, id);
    out[32 * block + i] = x;
  }
}
