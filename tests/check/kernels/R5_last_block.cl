/* A work-group reads three blocks, and commits each when it has reserved the next. With -D WRONG the last one is never
 * committed; otherwise it is, after the loop. */
kernel void fill(write_only pipe char4 p) {
  char i = get_global_id(0);
  char4 x = (char4)(i, i, i, i);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void drain(read_only pipe char4 p, global int *sums) {
  uint i = get_local_id(0);
  int sum = 0;
  reserve_id_t last = CLK_NULL_RESERVE_ID;
  for (uint block = 0; block < 3; block++) {
    reserve_id_t id = work_group_reserve_read_pipe(p, 32); /* HERE */
    if (!is_valid_reserve_id(id))
      break;
    if (block > 0)
      work_group_commit_read_pipe(p, last);
    char4 x;
    read_pipe(p, id, 31 - i, &x);
    sum += x.x + x.y + x.z + x.w;
    last = id;
  }
#ifndef WRONG
  if (is_valid_reserve_id(last))
    work_group_commit_read_pipe(p, last);
#endif
  sums[get_global_id(0)] = sum;
}
