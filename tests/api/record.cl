//// other_source
global uint table[64] = {1, 2, 3};
kernel void spread(global uint *out) {
  local uint tile[64];
  wait_group_events(1, (event_t[]){async_work_group_copy(tile, table, 64, 0)});
  out[get_global_id(0)] = tile[get_local_id(0)];
  if (get_global_id(0) == 0) table[0]++;
}
kernel void put(write_only pipe uint p) { uint x = get_global_id(0); write_pipe(p, &x); }
kernel void take(read_only pipe uint p, global uint *out) {
  uint x = 0;
  read_pipe(p, &x);
  out[get_global_id(0)] = x;
}
kernel void wide(global float *d) {
  float x[24];
  size_t at = get_global_id(0);
  for (int i = 0; i < 24; i++) x[i] = d[at + i];
  for (int i = 0; i < 24; i++) d[at + i] = x[i] * x[23 - i];
}
kernel void steer(global uint *d) {
  size_t at = get_global_id(0);
  for (uint i = 0, n = d[at] & 7; i < n; i++) d[at + 64] += i;
}
