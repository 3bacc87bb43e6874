// Values are sent in reverse order through a tile; with -D WRONG only the reservation is between its writes and its
// reads.
kernel void reverse(global const int *in, write_only pipe int p, local int *tile) {
  uint l = get_local_id(0), n = get_local_size(0);
  tile[l] = in[get_global_id(0)]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  reserve_id_t id = work_group_reserve_write_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
  int value = tile[n - 1 - l]; /* HERE */
  write_pipe(p, id, l, &value);
  work_group_commit_write_pipe(p, id);
}
