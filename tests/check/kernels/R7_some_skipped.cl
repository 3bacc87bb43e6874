/* Each work-item reserves a packet per number that it reads. With -D WRONG it writes only those of even numbers;
 * otherwise it flags the others, and writes all. */
kernel void sift(write_only pipe uint2 p, global const uint *in) {
  uint i = get_global_id(0);
  reserve_id_t id = reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id))
    return;
  for (uint k = 0; k < 2; k++) {
    uint2 x = (uint2)(in[2 * i + k], 1);
    if (x.x % 2 == 0)
      write_pipe(p, id, k, &x);
#ifndef WRONG
    else {
      x.y = 0;
      write_pipe(p, id, k, &x);
    }
#endif
  }
  commit_write_pipe(p, id); /* HERE */
}
