/* A work-group reads two blocks, but the pipe has one and a half. With -D WRONG it reads the second one without
 * checking the id; otherwise it stops there. */
kernel void fill(write_only pipe float3 p) {
  float3 x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void drain(read_only pipe float3 p, global float *out) {
  uint i = get_local_id(0);
  for (uint block = 0; block < 2; block++) {
    reserve_id_t id = work_group_reserve_read_pipe(p, 32); /* OTHER */
#ifndef WRONG
    if (!is_valid_reserve_id(id))
      break;
#endif
    float3 x = 0;
    read_pipe(p, id, i, &x); /* HERE */
    out[32 * block + i] = x.x;
    work_group_commit_read_pipe(p, id); /* HERE */
  }
}
