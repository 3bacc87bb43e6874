/* A column of 256 floats, PITCH floats apart: one strided copy. */
kernel void column(global const float *in, global float *out) {
  local float tile[SIDE * SIDE];
  event_t e = async_work_group_strided_copy(tile, in, SIDE * SIDE, PITCH, 0);
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < SIDE * SIDE; i += 32)
    out[i] = tile[i];
}

/* A tile of SIDE x SIDE floats: one copy per row. */
kernel void rows(global const float *in, global float *out) {
  local float tile[SIDE * SIDE];
  event_t e = 0;
  for (uint row = 0; row < SIDE; row++)
    e = async_work_group_copy(tile + row * SIDE, in + row * PITCH, SIDE, e);
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < SIDE * SIDE; i += 32)
    out[i] = tile[i];
}

/* The same tile: one 2D copy. */
kernel void block(global const float *in, global float *out) {
  local float tile[SIDE * SIDE];
  event_t e = async_work_group_copy_2D2D(tile, 0, in, 0, sizeof(float), SIDE, SIDE, PITCH, SIDE, 0);
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < SIDE * SIDE; i += 32)
    out[i] = tile[i];
}

/* The same tile, transposed: one strided copy per column, which becomes a row. */
kernel void transposed(global const float *in, global float *out) {
  local float tile[SIDE * SIDE];
  event_t e = 0;
  for (uint column = 0; column < SIDE; column++)
    e = async_work_group_strided_copy(tile + column * SIDE, in + column, SIDE, PITCH, e);
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < SIDE * SIDE; i += 32)
    out[i] = tile[i];
}
