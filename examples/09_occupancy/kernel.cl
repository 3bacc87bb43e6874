/* The same kernel twice: a chain of eight dependent loads. A single work-group mostly waits; other resident
 * work-groups hide that wait. In each kernel, a different limit decides how many fit. The example has a third
 * kernel only in assembly, because in OpenCL C the compiler chooses the number of registers. */
uint follow(global const uint *table, uint index) {
  uint sum = 0;
  for (uint left = 8; left > 0; left--) {
    uint v = table[index];
    sum += v;                                  /* nothing to do until the load returns */
    index = (v + 128) & 1023;                  /* the loaded value decides what to load next */
  }
  return sum;
}

/* Limited only by how many warps a CU holds. */
kernel void by_warps(global const uint *table, global uint *out) {
  out[get_global_id(0)] = follow(table, get_global_id(0));
}

/* The same with 40 KiB of LDS per work-group. One access keeps the compiler from removing the array. */
kernel void by_lds(global const uint *table, global uint *out) {
  local uint room[10240];
  room[get_local_id(0)] = get_local_id(0);
  out[get_global_id(0)] = follow(table, get_global_id(0));
}
