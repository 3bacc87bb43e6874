/* Sub-groups write drafts into both pipes and then the final packets. With -D WRONG the second pipe's draft is written,
 * and committed, with the first one's id; otherwise with its own. */
void put(write_only pipe uchar4 p, reserve_id_t id, uchar x) {
  uchar4 packet = x;
  write_pipe(p, id, get_sub_group_local_id(), &packet); /* HERE */
}

kernel void both(write_only pipe uchar4 p, write_only pipe uchar4 q) {
  uint n = get_sub_group_size();
  reserve_id_t a = sub_group_reserve_write_pipe(p, n), b = sub_group_reserve_write_pipe(q, n);
  if (!is_valid_reserve_id(a) || !is_valid_reserve_id(b))
    return;
  put(p, a, 0);
#ifdef WRONG
  put(q, a, 0);
  sub_group_commit_write_pipe(q, a); /* HERE */
#else
  put(q, b, 0);
#endif
  put(p, a, 1);
  put(q, b, 2);
  sub_group_commit_write_pipe(q, b);
  sub_group_commit_write_pipe(p, a);
}
