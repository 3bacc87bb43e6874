// Each work-group clears its counter; with -D WRONG only the first one does, and the others count on from what the LDS
// holds.
kernel void counts(global uint *out) {
  local uint count;
#ifdef WRONG
  if (get_group_id(0) == 0)
#endif
    if (get_local_id(0) == 0)
      count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) % 3 == 0)
    atomic_inc(&count); /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    out[get_group_id(0)] = count;
}
