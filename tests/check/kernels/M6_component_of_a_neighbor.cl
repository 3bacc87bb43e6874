// Each work-item sets components of two neighboring vectors, with the same component from two work-items in none. With -D
// WRONG nothing is between the two, although a compiler may load, change and store whole vectors.
// DETAIL a component store is modeled as rewriting the whole vector: line 7 loads these bytes and stores them unchanged

kernel void shift(global float2 *a) {
  uint i = get_global_id(0);
  a[i].y = i;
#ifndef WRONG
  barrier(CLK_GLOBAL_MEM_FENCE);
#endif
  a[i + 1].x = 2 * i;
}
