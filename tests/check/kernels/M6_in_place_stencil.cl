// Each iteration reads both neighbors, meets, writes, and meets again; with -D WRONG it writes without having met.
kernel void smooth(global float *data, uint turns) {
  size_t i = get_global_id(0) + 1;
  for (uint t = 0; t < turns; t++) {
    float v = 0.5f * (data[i - 1] + data[i + 1]); /* OTHER */
#ifndef WRONG
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    data[i] = v; /* HERE */
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
