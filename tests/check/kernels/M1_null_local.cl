// Only some launches have a tile in the LDS; each work-item reads its own word of it. With -D WRONG there is no tile.
int peek(local const int *tile, uint l) {
  return tile[l + 64]; /* HERE */
}

kernel void look(global int *out) {
  local int tile[128];
  uint l = get_local_id(0);
#ifdef WRONG
  local int *there = 0;
#else
  local int *there = tile;
#endif
  tile[l] = tile[l + 64] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = peek(there, l) + tile[l];
}
