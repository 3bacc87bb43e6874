/* Streams tiles through a ring of DEPTH buffers. */
kernel void ring(global const uint *in, global uint *out) {
  local uint buffer[DEPTH][32];
  event_t full[DEPTH];
  uint i = get_local_id(0), slot = 0, sum = 0;
  for (uint tile = 0; tile < DEPTH; tile++)              /* fill the ring */
    full[tile] = async_work_group_copy(buffer[tile], in + tile * 32, 32, 0);
  for (uint tile = 0; tile < TILES; tile++) {
    wait_group_events(1, &full[slot]);                   /* this tile has arrived */
    sum += buffer[slot][i];
#pragma unroll
    for (uint round = 0; round < WORK; round++)
      sum = sum * sum + i;
    barrier(CLK_LOCAL_MEM_FENCE);                        /* all warps have read it */
    if (tile + DEPTH < TILES)                            /* refill the buffer */
      full[slot] = async_work_group_copy(buffer[slot], in + (tile + DEPTH) * 32, 32, 0);
    slot = slot + 1 == DEPTH ? 0 : slot + 1;             /* the next buffer in the ring */
  }
  out[i] = sum;
}
