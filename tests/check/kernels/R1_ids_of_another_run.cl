/* Each work-item has an entry for an id in a buffer. With -D WRONG it sends its packet with the buffer's initial
 * contents and reserves nothing; otherwise it reserves the packet first. */
kernel void send(write_only pipe float2 p, global reserve_id_t *kept, global const float2 *in) {
  size_t i = get_global_id(0);
  float2 x = 2 * in[i];
#ifndef WRONG
  kept[i] = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(kept[i]))
    return;
#endif
  write_pipe(p, kept[i], 0, &x); /* HERE */
  commit_write_pipe(p, kept[i]); /* HERE */
}
