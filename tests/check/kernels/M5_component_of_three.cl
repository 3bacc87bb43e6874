// Work-items set components of neighboring vectors of three in the LDS. With -D WRONG nothing is between the two.
// DETAIL a component store is modeled as rewriting the whole vector: line 10 loads these bytes and stores them unchanged

kernel void shift(global float *out) {
  local float3 t[65];
  uint i = get_local_id(0);
  for (uint k = i; k < 65; k += get_local_size(0))
    t[k] = (float3)(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[i].y = i;
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  t[i + 1].x = 2 * i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = t[i].x + t[i].y;
}
