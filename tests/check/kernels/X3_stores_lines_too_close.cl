/* Wrong: lines of 16 elements are stored 12 apart and overwrite each other. Right: they are stored 20 apart. */
static event_t store(global ushort *out, local const ushort *tile, size_t pitch) {
  return async_work_group_copy_2D2D(out, 4, tile, 0, sizeof(ushort), 16, 2, 16, pitch, 0); /* HERE */
}

kernel void shift(global const ushort *in, global ushort *out) {
  local ushort tile[32];
  const size_t i = get_local_id(0);
  tile[i] = in[get_global_id(0)] << 1;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  event_t stored = store(out + get_group_id(0) * 48, tile, 12);
#else
  event_t stored = store(out + get_group_id(0) * 48, tile, 20);
#endif
  wait_group_events(1, &stored);
}
