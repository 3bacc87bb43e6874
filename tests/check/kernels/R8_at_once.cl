/* Of two concurrent kernels, one shows its id to the other and waits for its sign before it commits. With -D WRONG the
 * other writes the first packet before it gives the sign; otherwise the owner writes all, and the other only checks
 * whether the id is valid. */
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void owner(write_only pipe uint p, global reserve_id_t *kept, volatile global atomic_int *sign) {
  uint i = get_local_id(0), x = i;
  reserve_id_t id = work_group_reserve_write_pipe(p, 32);
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  if (i != 0)
#endif
    write_pipe(p, id, i, &x);
  if (i == 0) {
    *kept = id;
    atomic_store_explicit(sign, 1, memory_order_release, memory_scope_device);
    while (atomic_load_explicit(sign, memory_order_acquire, memory_scope_device) != 2)
      ;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  work_group_commit_write_pipe(p, id);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void guest(write_only pipe uint p, global reserve_id_t *kept, volatile global atomic_int *sign, global int *seen) {
  while (atomic_load_explicit(sign, memory_order_acquire, memory_scope_device) != 1)
    ;
  uint x = 100;
  *seen = is_valid_reserve_id(*kept);
#ifdef WRONG
  write_pipe(p, *kept, 0, &x); /* HERE */
#endif
  atomic_store_explicit(sign, 2, memory_order_release, memory_scope_device);
}
