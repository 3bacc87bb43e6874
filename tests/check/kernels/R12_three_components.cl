/* The pipe has packets of 16 bytes, the size of three floats. With -D WRONG sub-groups send two floats; otherwise
 * three. */
#ifdef WRONG
typedef float2 place;
#else
typedef float3 place;
#endif

kernel void send(write_only pipe place p) {
  uint lane = get_sub_group_local_id();
  place x = lane;
  reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
  if (!is_valid_reserve_id(id))
    return;
  write_pipe(p, id, lane, &x); /* HERE */
  sub_group_commit_write_pipe(p, id);
}
