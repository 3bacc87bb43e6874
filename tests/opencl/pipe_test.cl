//// one_work_item_reserves
kernel void k(read_only pipe int p, global int *a) {
  reserve_id_t id = work_group_reserve_read_pipe(p, 8);
  read_pipe(p, id, 3, a);
  work_group_commit_read_pipe(p, id);
}
//// a_sub_group_elects
kernel void k(read_only pipe int p, global int *a) {
  reserve_id_t id = sub_group_reserve_read_pipe(p, 8);
  read_pipe(p, id, 3, a);
  sub_group_commit_read_pipe(p, id);
}
//// ids_pass_through_functions
typedef struct { int pad; reserve_id_t id; } box;
int put(write_only pipe int p, reserve_id_t id, uint i, int x) { return write_pipe(p, id, i, &x); }
reserve_id_t get(write_only pipe int p, uint n) { return reserve_write_pipe(p, n); }
kernel void k(write_only pipe int p, global reserve_id_t *kept, global int *out) {
  local reserve_id_t shared[64];
  uint i = get_local_id(0);
  box b = {1, get(p, 2)};
  shared[i] = b.id;
  barrier(CLK_LOCAL_MEM_FENCE);
  kept[i] = shared[i ^ 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = put(p, kept[i ^ 1], 0, i) + put(p, kept[i ^ 1], 1, 100 + i);
  commit_write_pipe(p, kept[i ^ 1]);
}
