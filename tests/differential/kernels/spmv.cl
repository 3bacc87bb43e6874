kernel void spmv(global const uint *row, global const ushort *column, global const double *value, global const double *x, global double *y) {
  size_t i = get_global_id(0);
  double sum = 0;
  for (uint k = row[i]; k < row[i + 1]; k++)
    sum = fma(value[k], x[column[k]], sum);
  y[i] = sum;
}
