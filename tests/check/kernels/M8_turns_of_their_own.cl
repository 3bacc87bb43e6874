// All work-items meet in each of a loop's 64 iterations; with -D WRONG each runs as many iterations as its number.
#ifdef WRONG
#define TURNS l
#else
#define TURNS 64
#endif

kernel void turns(global int *out) {
  uint l = get_local_id(0);
  int sum = 0;
  for (uint t = 0; t < TURNS; t++) { /* OTHER */
    sum += t ^ l;
    barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
  }
  out[get_global_id(0)] = sum;
}
