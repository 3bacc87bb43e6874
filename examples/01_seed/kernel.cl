/* Copies a tile into the LDS asynchronously. Each work-item doubles its element there, and a second
 * asynchronous copy writes the tile back. */
kernel void seed(global float *data) {
  local float tile[256];                       /* room for a work-group of up to 256 work-items */
  size_t i = get_local_id(0), count = get_local_size(0);
  global float *mine = data + get_group_id(0) * get_enqueued_local_size(0);

  event_t in = async_work_group_copy(tile, mine, count, 0);
  wait_group_events(1, &in);                   /* from here on, every work-item sees the tile */

  tile[i] *= 2;
  barrier(CLK_LOCAL_MEM_FENCE);                /* all elements are doubled before any is copied */

  event_t out = async_work_group_copy(mine, tile, count, 0);
  wait_group_events(1, &out);
}
