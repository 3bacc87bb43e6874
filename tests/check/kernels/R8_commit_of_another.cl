/* Sub-groups keep the bits of their ids. With -D WRONG the second launch commits with those of the first; otherwise
 * each launch keeps its own in another part of the buffer. */
typedef union { reserve_id_t id; ulong bits; } bits_of_id;

kernel void turn(write_only pipe ushort3 p, global ulong *kept, uint number) {
  uint lane = get_sub_group_local_id(), count = get_num_sub_groups(), at = get_sub_group_id() + number * count;
  bits_of_id own;
#ifdef WRONG
  if (number == 1) {
    own.bits = kept[at - count];
    sub_group_commit_write_pipe(p, own.id); /* HERE */
    return;
  }
#endif
  own.id = sub_group_reserve_write_pipe(p, get_sub_group_size());
  if (lane == 0)
    kept[at] = own.bits;
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  own.bits = kept[at];
  if (!is_valid_reserve_id(own.id))
    return;
  ushort3 x = (ushort3)(number, lane, at);
  write_pipe(p, own.id, lane, &x);
  sub_group_commit_write_pipe(p, own.id);
}
