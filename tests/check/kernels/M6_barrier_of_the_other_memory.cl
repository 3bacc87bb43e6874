// Work-items of a work-group exchange values through global memory: the barrier between fences global memory, with -D
// WRONG only the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void reverse(global int *out, global int *between) {
  size_t i = get_global_id(0);
  between[i] = 5 * i; /* OTHER */
  barrier(FENCE);
  out[i] = between[i ^ 63]; /* HERE */
}
