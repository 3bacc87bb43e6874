// Work-items set a component of a vector that they share: each another one, with a barrier between; with -D WRONG all set
// the same one, so this race is not about the rest of the vector.
#ifdef WRONG
#define TURN 0
#else
#define TURN 1
#endif

kernel void both(global float4 *a) {
  if (get_local_id(0) == 0)
    a[0].y = 1; /* OTHER */
  if (TURN)
    barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 40)
    a[0].y = 2; /* HERE */
}
