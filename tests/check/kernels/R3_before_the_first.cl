/* Each work-item of a sub-group reads its left neighbor's packet. With -D WRONG the first one's index is 0 - 1;
 * otherwise it wraps around to the last packet. */
typedef struct { uchar key; ushort value; } entry;

kernel void fill(write_only pipe entry p) {
  uint i = get_global_id(0);
  entry x = {i, 3 * i};
  write_pipe(p, &x);
}

kernel void shifted(read_only pipe entry p, global uint *out) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  reserve_id_t id = sub_group_reserve_read_pipe(p, n);
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  uint index = lane - 1;
#else
  uint index = (lane + n - 1) % n;
#endif
  entry x = {0, 0};
  read_pipe(p, id, index, &x); /* HERE */
  out[get_global_id(0)] = x.key + x.value;
  sub_group_commit_read_pipe(p, id);
}
