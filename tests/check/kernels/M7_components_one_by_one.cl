// Each component of a vector in the LDS is set by a separate statement, which loads and stores the whole vector; with
// -D WRONG one is added to instead, so that its old value counts.
kernel void spread(global float *out) {
  local float3 place[64];
  local short4 count[64];
  uint i = get_local_id(0);
#ifdef WRONG
  count[i] += (short)1; /* HERE */
  place[i].x = 1;
#else
  place[i].x = 1;
#endif
  place[i].yz = i;
  count[i].s0 = 3;
  count[i].s123 = (short)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = place[i ^ 1].x + place[i ^ 1].z + count[i ^ 1].s0 + count[i ^ 1].s3;
}
