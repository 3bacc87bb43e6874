/* Sub-groups read two rounds of packets. With -D WRONG the second round also reads with the first one's id, which is
 * committed; otherwise it reads only with its own. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void fill(write_only pipe half4 p) {
  half4 x = (half4)(get_global_id(0), 1, 2, 3);
  write_pipe(p, &x);
}

kernel void rounds(read_only pipe half4 p, global float *out) {
  uint n = get_sub_group_size(), lane = get_sub_group_local_id();
  float sum = 0;
  reserve_id_t last = CLK_NULL_RESERVE_ID;
  for (uint round = 0; round < 2; round++) {
    reserve_id_t id = sub_group_reserve_read_pipe(p, n);
    if (!is_valid_reserve_id(id))
      break;
    half4 x = 0, before = 0;
    read_pipe(p, id, lane, &x);
#ifdef WRONG
    if (is_valid_reserve_id(last))
      read_pipe(p, last, lane, &before); /* HERE */
#endif
    sum += (float)x.x + (float)before.x;
    sub_group_commit_read_pipe(p, id);
    last = id;
  }
  out[get_global_id(0)] = sum;
}
