//// a_clock_read_stays
kernel void k(global uint *in, global uint *out, local uint *tile, global ulong *t) {
  uint i = get_local_id(0);
  ulong c0 = clock_read_device(); uint x = in[i];
  ulong c1 = clock_read_device(); uint y = in[i + 64];
  ulong c2 = clock_read_device(); event_t e = async_work_group_copy(tile, in, 64, 0);
  ulong c3 = clock_read_device(); wait_group_events(1, &e);
  ulong c4 = clock_read_device(); uint z = tile[i ^ 1];
  ulong c5 = clock_read_device(); barrier(CLK_LOCAL_MEM_FENCE);
  ulong c6 = clock_read_device(); tile[i] = x + y + z;
  ulong c7 = clock_read_device();
  e = async_work_group_copy(out, tile, 64, 0); wait_group_events(1, &e);
  ulong c8 = clock_read_device(); out[i + 64] = x * y;
  ulong c9 = clock_read_device();
  t[i] = (c9 - c8) ^ (c8 - c7) ^ (c7 - c6) ^ (c6 - c5) ^ (c5 - c4) ^ (c4 - c3) ^ (c3 - c2) ^
         (c2 - c1) ^ (c1 - c0);
}
//// two_reads_stay_two
kernel void k(global ulong *t, uint n) {
  ulong a = clock_read_sub_group(), b = clock_read_sub_group();
  clock_read_work_group();
  for (uint i = 0; i < n; i++) { ulong inside = clock_read_device(); if (i == 3) t[1] = inside; }
  t[0] = b - a;
}
//// all_six_functions_read
kernel void k(global ulong *t) {
  t[0] = clock_read_device(); t[1] = as_ulong(clock_read_hilo_device());
  t[2] = clock_read_work_group(); t[3] = as_ulong(clock_read_hilo_work_group());
  t[4] = clock_read_sub_group(); uint2 w = clock_read_hilo_sub_group();
  t[5] = w.x | (ulong)w.y << 32;
}
