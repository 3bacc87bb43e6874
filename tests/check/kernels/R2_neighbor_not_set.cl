/* Each sub-group keeps the id of its packets in a buffer. With -D WRONG it reads with an entry that was never set;
 * otherwise with its own. */
kernel void fill(write_only pipe double p) {
  double x = get_global_id(0);
  write_pipe(p, &x);
}

kernel void take(read_only pipe double p, global reserve_id_t *kept, global double *out) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id(), mine = get_sub_group_id();
  reserve_id_t id = sub_group_reserve_read_pipe(p, n);
  if (lane == 0)
    kept[mine] = id;
  barrier(CLK_GLOBAL_MEM_FENCE);
#ifdef WRONG
  reserve_id_t used = kept[mine + get_num_sub_groups()];
#else
  reserve_id_t used = kept[mine];
#endif
  double x = 0;
  read_pipe(p, used, lane, &x); /* HERE */
  out[get_global_id(0)] = x;
  sub_group_commit_read_pipe(p, id);
}
