/* The work-items of a work-group of 64 read one packet each. With -D WRONG it has reserved only 32; otherwise 64. */
#ifdef WRONG
#define BLOCK 32
#else
#define BLOCK 64
#endif

kernel void fill(write_only pipe float4 p) {
  float4 x = get_global_id(0);
  write_pipe(p, &x);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void take(read_only pipe float4 p, global float4 *out) {
  uint i = get_local_id(0);
  reserve_id_t id = work_group_reserve_read_pipe(p, BLOCK);
  if (!is_valid_reserve_id(id))
    return;
  float4 x = 0;
  read_pipe(p, id, i, &x); /* HERE */
  out[get_global_id(0)] = x;
  work_group_commit_read_pipe(p, id);
}
