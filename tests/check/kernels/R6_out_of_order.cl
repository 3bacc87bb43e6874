/* Sub-groups open three reservations, whose ids are in an array, and commit them from the last to the first. With -D
 * WRONG the loop ends before the first; otherwise after it. */
typedef struct __attribute__((packed)) { uchar lane; uint round; } stamp;

kernel void rounds(write_only pipe stamp p) {
  uint n = get_sub_group_size();
  reserve_id_t ids[3];
  for (uint k = 0; k < 3; k++) {
    stamp x = {get_sub_group_local_id(), k};
    ids[k] = sub_group_reserve_write_pipe(p, n); /* HERE */
    if (is_valid_reserve_id(ids[k]))
      write_pipe(p, ids[k], x.lane, &x);
  }
#ifdef WRONG
  for (int k = 2; k > 0; k--)
#else
  for (int k = 2; k >= 0; k--)
#endif
    if (is_valid_reserve_id(ids[k]))
      sub_group_commit_write_pipe(p, ids[k]);
}
