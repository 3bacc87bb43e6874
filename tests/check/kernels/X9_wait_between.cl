// A second copy patches a part of what the first one wrote: after the wait for the first, with -D WRONG before it.
kernel void patch(global const int2 *a, global const int2 *b, global int2 *out) {
  local int2 tile[64];
  event_t e[2];
  e[0] = async_work_group_copy(tile, a, 64, 0); /* OTHER */
#ifndef WRONG
  wait_group_events(1, e);
#endif
  e[1] = async_work_group_copy(tile + 20, b, 8, 0); /* HERE */
#ifdef WRONG
  wait_group_events(1, e);
#endif
  wait_group_events(1, e + 1);
  out[get_local_id(0)] = tile[get_local_id(0)];
  out[32 + get_local_id(0)] = tile[63 - get_local_id(0)];
}
