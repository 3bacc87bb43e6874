// Work-items meet in each iteration of a nested loop; with -D WRONG each runs as many inner iterations as its number.
#ifdef WRONG
#define TURNS l
#else
#define TURNS 64
#endif

kernel void turns(global int *out) {
  uint l = get_local_id(0);
  int sum = 0;
  for (uint s = 0; s < 2; s++)
    for (uint t = 0; t < TURNS; t++) { /* OTHER */
      sum += t ^ l + s;
      barrier(CLK_LOCAL_MEM_FENCE); /* HERE */
    }
  out[get_global_id(0)] = sum;
}
