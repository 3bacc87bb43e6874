/* Sub-groups reserve a packet per lane. With -D WRONG lane 0 commits as a work-item; otherwise the sub-group does. */
typedef struct { int2 at; char mark; } flag;

kernel void flags(write_only pipe flag p) {
  uint lane = get_sub_group_local_id();
  flag x = {(int2)(lane, get_sub_group_id()), 'f'};
  reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, lane, &x);
#ifdef WRONG
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  if (lane == 0)
    commit_write_pipe(p, id); /* HERE */
#else
  sub_group_commit_write_pipe(p, id);
#endif
}
