/* A work-group reads blocks in a loop, and commits each in the next iteration. With -D WRONG the first iteration also
 * commits, with the null id; otherwise it does not. */
kernel void fill(write_only pipe char3 p) {
  char i = get_global_id(0);
  char3 x = (char3)(i, i, i);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void drain(read_only pipe char3 p, global int *sums) {
  uint i = get_local_id(0);
  int sum = 0;
  reserve_id_t last = CLK_NULL_RESERVE_ID;
  for (uint block = 0; block < 3; block++) {
    reserve_id_t id = work_group_reserve_read_pipe(p, 32);
    if (is_valid_reserve_id(id)) {
      char3 x;
      read_pipe(p, id, i, &x);
      sum += x.x + x.y + x.z;
    }
#ifndef WRONG
    if (is_valid_reserve_id(last))
#endif
      work_group_commit_read_pipe(p, last); /* HERE */
    last = id;
  }
  if (is_valid_reserve_id(last))
    work_group_commit_read_pipe(p, last);
  sums[i] = sum;
}
