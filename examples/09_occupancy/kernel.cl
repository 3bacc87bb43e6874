/* Twice the same kernel: a chain of eight dependent loads, so a work-group alone mostly waits. What hides the
 * waiting is other work-groups, and how many are resident is limited by something else each time. Registers are the
 * compiler's to give, so the third kernel of the example exists in assembly only. */
uint follow(global const uint *table, uint index) {
  uint sum = 0;
  for (uint left = 8; left > 0; left--) {
    uint v = table[index];
    sum += v;                                  /* nothing to do until the load is back */
    index = (v + 128) & 1023;                  /* what was loaded says what to load next */
  }
  return sum;
}

/* Limited by nothing but the CU's warps. */
kernel void by_warps(global const uint *table, global uint *out) {
  out[get_global_id(0)] = follow(table, get_global_id(0));
}

/* The same with 40 KiB of LDS a work-group; its one access keeps the compiler from leaving the room out. */
kernel void by_lds(global const uint *table, global uint *out) {
  local uint room[10240];
  room[get_local_id(0)] = get_local_id(0);
  out[get_global_id(0)] = follow(table, get_global_id(0));
}
