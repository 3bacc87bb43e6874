// Work-items write the shorts of a tile from its end to its start; with -D WRONG from one past its end.
#ifdef WRONG
#define END 32
#else
#define END 31
#endif

kernel void tile(global short *out) {
  local short tile[32];
  uint l = get_local_id(0);
  tile[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[END - l] = l; /* HERE */
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l];
}
