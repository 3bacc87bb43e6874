/* Edit distances of pairs of words of 32 letters, a row in private memory. */
kernel void edit(global const uchar *a, global const uchar *b, global uint *out, uint n) {
  uint id = get_global_id(0);
  uchar row[33];
  for (uint j = 0; j <= 32; j++)
    row[j] = j;
  for (uint i = 0; i < 32; i++) {
    uchar diagonal = row[0], letter = a[i * n + id];
    row[0] = i + 1;
    for (uint j = 0; j < 32; j++) {
      uchar above = row[j + 1];
      uchar best = min((uchar)(min(above, row[j]) + 1), (uchar)(diagonal + (letter != b[j * n + id])));
      diagonal = above;
      row[j + 1] = best;
    }
  }
  out[id] = row[32];
}
