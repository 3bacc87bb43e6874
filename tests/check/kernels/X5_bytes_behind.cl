// A copy of 31 bytes is in flight while work-items read the bytes after it, from the 32nd on; with -D WRONG from its
// last one.
#ifdef WRONG
#define FROM 30
#else
#define FROM 31
#endif

char behind(local const char *bytes) { return bytes[FROM + get_local_id(0)]; /* HERE */ }

kernel void tail(global const char *in, global char *out) {
  local char bytes[64];
  uint l = get_local_id(0);
  bytes[31 + l] = (char)(3 * l);
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(bytes, in + 1, 31, 0); /* OTHER */
  char v = behind(bytes);
  wait_group_events(1, &e);
  out[l] = v;
  out[32 + l] = bytes[l];
}
