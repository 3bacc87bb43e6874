/* The first work-group shows its id to the second one and waits for it, so that each may write packets. With -D WRONG
 * the second one starts with a packet that the first one also writes at that time; otherwise each keeps to its half. */
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void halves(write_only pipe uint p, global reserve_id_t *kept, volatile global atomic_int *sign) {
  uint i = get_local_id(0), group = get_group_id(0), x = get_global_id(0), index = x;
  reserve_id_t id = CLK_NULL_RESERVE_ID;
  if (group == 0) {
    id = work_group_reserve_write_pipe(p, 32);
    if (i == 0) {
      *kept = id;
      atomic_store_explicit(sign, 1, memory_order_release, memory_scope_device);
    }
  } else {
    if (i == 0)
      while (atomic_load_explicit(sign, memory_order_acquire, memory_scope_device) != 1)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    id = *kept;
  }
  if (!is_valid_reserve_id(id))
    return;
#ifdef WRONG
  if (group == 1 && i == 0)
    write_pipe(p, id, 0, &x);
#endif
  write_pipe(p, id, index, &x);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (group == 1 && i == 0)
    atomic_store_explicit(sign, 2, memory_order_release, memory_scope_device);
  if (group == 0) {
    if (i == 0)
      while (atomic_load_explicit(sign, memory_order_acquire, memory_scope_device) != 2)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    work_group_commit_write_pipe(p, id);
  }
}
