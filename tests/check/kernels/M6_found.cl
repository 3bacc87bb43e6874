// A work-item that finds an odd number reports it with an atomic operation; with -D WRONG with a plain write, all of
// the same value.
kernel void search(global const uint *in, global uint *out) {
  if (in[get_global_id(0)] % 2)
#ifdef WRONG
    out[1] = 1; /* HERE, OTHER */
#else
    atomic_or(&out[1], 1);
#endif
}
