// A work-item counts in the LDS; with -D WRONG through a pointer that came out of a struct as null.
struct counters {
  local uint *count;
  uint step;
};

kernel void add(global uint *out) {
  local uint count;
  struct counters counters = {&count, 3};
  if (get_local_id(0) == 0)
    count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  counters.count = 0;
#endif
  if (get_local_id(0) == 1)
    *counters.count = counters.step; /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = count;
}
