/* The id of a work-group's packets is in global memory. With -D WRONG no work-item reserves, so all read with the
 * buffer's initial contents; otherwise work-item 0 reserves, and a barrier shows its id to the others. */
kernel void fill(write_only pipe short4 p) {
  short i = get_global_id(0);
  short4 x = (short4)(i, i + 1, i + 2, i + 3);
  write_pipe(p, &x);
}

short4 fetch(read_only pipe short4 p, reserve_id_t id, uint index) {
  short4 x = 0;
  read_pipe(p, id, index, &x); /* HERE */
  return x;
}

kernel void take(read_only pipe short4 p, global reserve_id_t *kept, global short4 *out) {
  uint i = get_local_id(0), group = get_group_id(0);
#ifndef WRONG
  if (i == 0)
    kept[group] = reserve_read_pipe(p, get_local_size(0));
#endif
  barrier(CLK_GLOBAL_MEM_FENCE);
#ifndef WRONG
  if (!is_valid_reserve_id(kept[group]))
    return;
#endif
  out[get_global_id(0)] = fetch(p, kept[group], i);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 0)
    commit_read_pipe(p, kept[group]); /* HERE */
}
