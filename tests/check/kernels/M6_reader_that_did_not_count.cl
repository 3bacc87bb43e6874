// The last work-group to count itself changes a word that all have read; with -D WRONG one of the readers does not
// count itself.
#ifdef WRONG
#define COUNTED 3
#else
#define COUNTED get_num_groups(0)
#endif

kernel void scale(global int *config, global atomic_uint *done, global int *out) {
  out[get_global_id(0)] = config[3] * get_local_id(0); /* OTHER */
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_group_id(0) < COUNTED &&
      atomic_fetch_add_explicit(done, 1, memory_order_acq_rel, memory_scope_device) == COUNTED - 1)
    config[3] = 0; /* HERE */
}
