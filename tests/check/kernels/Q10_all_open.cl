/* Four reservations may be open. With -D WRONG a work-group opens six before it commits any; otherwise it commits each
 * before the next. */
kernel void fill(write_only pipe float2 p) {
  float2 x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void drain(read_only pipe float2 p, global float2 *out) {
  uint i = get_local_id(0);
  reserve_id_t ids[6];
  for (uint k = 0; k < 6; k++) {
    ids[k] = work_group_reserve_read_pipe(p, 16); /* HERE */
    if (!is_valid_reserve_id(ids[k]))
      continue;
    float2 x = 0;
    read_pipe(p, ids[k], i, &x);
    out[16 * k + i] = x;
#ifndef WRONG
    work_group_commit_read_pipe(p, ids[k]);
#endif
  }
#ifdef WRONG
  for (uint k = 0; k < 6; k++)
    if (is_valid_reserve_id(ids[k]))
      work_group_commit_read_pipe(p, ids[k]);
#endif
}
