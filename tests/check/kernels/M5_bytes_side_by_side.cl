// Neighbors write adjacent bytes of one word; with -D WRONG two of them write the same byte.
#ifdef WRONG
#define PER 2
#else
#define PER 1
#endif

kernel void bytes(global const uchar *in, global uchar *out) {
  local uchar tile[64];
  uint l = get_local_id(0);
  tile[l / PER] = in[l] ^ l; /* HERE, OTHER */
  barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = tile[l / PER];
}
