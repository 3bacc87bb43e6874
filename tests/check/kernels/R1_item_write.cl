/* With -D WRONG a work-item writes and commits packet 0 with a null id, without a reservation; otherwise it reserves
 * the packet first. */
kernel void send(write_only pipe float2 p, global const float2 *in) {
  size_t i = get_global_id(0);
  float2 x = 2 * in[i];
#ifdef WRONG
  reserve_id_t id = CLK_NULL_RESERVE_ID;
#else
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(id))
    return;
#endif
  write_pipe(p, id, 0, &x); /* HERE */
  commit_write_pipe(p, id); /* HERE */
}
