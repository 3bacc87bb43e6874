// Pipes: all forms of the calls.
typedef struct { char c; int i; } packet;

kernel void put(write_only pipe packet p, global packet *a, global reserve_id_t *kept) {
  uint i = get_local_id(0);
  packet x = a[i];
  if (write_pipe(p, &x) != 0)
    a[i].i = get_pipe_max_packets(p);
  reserve_id_t id = reserve_write_pipe(p, i + 1);
  kept[i] = CLK_NULL_RESERVE_ID;
  if (is_valid_reserve_id(id))
    kept[i] = id;
  if (is_valid_reserve_id(id)) {
    write_pipe(p, id, i, a + i);
    commit_write_pipe(p, id);
  }
}

kernel void get(read_only pipe packet p, global packet *a) {
  local packet tile[64];
  uint i = get_local_id(0);
  reserve_id_t all = work_group_reserve_read_pipe(p, 64), some = sub_group_reserve_read_pipe(p, 16);
  if (is_valid_reserve_id(all)) {
    a[i].i = read_pipe(p, all, i, &tile[i]) + get_pipe_num_packets(p);
    work_group_commit_read_pipe(p, all);
  }
  if (is_valid_reserve_id(some)) {
    read_pipe(p, some, i & 15, &a[i]);
    sub_group_commit_read_pipe(p, some);
  }
  a[i].c += tile[i ^ 1].c;
}
