// Words are read at every fourth byte; with -D WRONG starting at the second.
#ifdef WRONG
#define FIRST 1
#else
#define FIRST 0
#endif

kernel void words(global const uchar *in, global uint *out) {
  size_t i = get_global_id(0);
  if (i < 63)
    out[i] = *(global const uint *)(in + FIRST + 4 * i); /* HERE */
}
