// A barrier comes after a branch that half of the work-items take; with -D WRONG it is inside.
kernel void halves(global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  tile[l] = l;
  if (l < 32) { /* OTHER */
    tile[l] = l + 1;
#ifdef WRONG
    barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
#endif
  }
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  out[get_global_id(0)] = tile[l];
}
