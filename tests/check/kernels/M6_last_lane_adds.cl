// Every lane counts itself and acquires what those before it have released; the last one adds up what all wrote. With
// -D WRONG each lane reads its neighbor's, which may not have counted itself yet.
kernel void total(global int *part, global atomic_int *done, global int *out) {
  uint l = get_local_id(0), n = get_local_size(0);
  part[l] = 3 * l; /* OTHER */
  uint before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device);
#ifdef WRONG
  out[l] = part[(l + 1) % n]; /* HERE */
#else
  if (before == n - 1)
    for (uint i = 0; i < n; i++)
      out[0] += part[i];
#endif
}
