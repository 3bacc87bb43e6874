/* Work-item 0 reserves, and the others read with its id, which is in the LDS. With -D WRONG the work-group commits;
 * otherwise work-item 0 does. */
kernel void fill(write_only pipe uchar3 p) {
  uchar i = get_global_id(0);
  uchar3 x = (uchar3)(i, i + 1, i + 2);
  write_pipe(p, &x);
}

kernel void take(read_only pipe uchar3 p, global uint *out) {
  local reserve_id_t id;
  uint i = get_local_id(0);
  if (i == 0)
    id = reserve_read_pipe(p, get_local_size(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_valid_reserve_id(id))
    return;
  uchar3 x = 0;
  read_pipe(p, id, i, &x);
  out[get_global_id(0)] = x.x + x.y + x.z;
#ifdef WRONG
  work_group_commit_read_pipe(p, id); /* HERE */
#else
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    commit_read_pipe(p, id);
#endif
}
