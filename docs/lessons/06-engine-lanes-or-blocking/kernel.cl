kernel void three_ways(global const uint *in, global uint *out) {
  local uint tile[WORDS];
  uint i = get_local_id(0), sum = i;
  event_t loaded = 0;
  for (uint part = 0; part < WORDS; part += WORDS / COPIES)
    loaded = async_work_group_copy(tile + part, in + part, WORDS / COPIES, loaded);
#pragma unroll
  for (uint round = 0; round < WORK; round++)            /* work that does not need the tile */
    sum = (sum * sum + i) * sum + i;
  wait_group_events(1, &loaded);
  out[i] = sum + tile[i];
}
