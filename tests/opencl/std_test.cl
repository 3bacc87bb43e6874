//// second_results_go_through
kernel void k(global float *a, global float *o, global int *n) {
  float whole; int exponent; int quotient;
  o[0] = fract(a[0], &o[1]); o[2] = modf(a[0], &whole); o[3] = whole;
  o[4] = frexp(a[0], &exponent); n[0] = exponent; o[5] = remquo(a[1], a[2], &quotient);
  n[1] = quotient; o[6] = lgamma_r(a[0], &n[2]); o[7] = sincos((float)0, &o[8]);
}
//// saturated_conversions_stop_at
kernel void k(global float *a, global int *o) { for (int i = 0; i < 6; i++) { float x = a[i];
  o[8 * i] = convert_uchar_sat(x); o[8 * i + 1] = convert_char_sat(x);
  o[8 * i + 2] = convert_int_sat(x); o[8 * i + 3] = convert_short_sat_rtp(x);
  o[8 * i + 4] = convert_char_sat(convert_int_sat(x)); o[8 * i + 5] = convert_uchar_sat(convert_int_sat(x));
  o[8 * i + 6] = convert_char_sat(convert_uint_sat(x)); o[8 * i + 7] = convert_int_sat_rte(x);
}}
//// integers_become_floats_in
kernel void k(global int *a, global float *o, global long *l, global double *d) {
  o[0] = convert_float(a[0]); o[1] = convert_float_rtz(a[0]);
  o[2] = convert_float_rtp(a[0]); o[3] = convert_float_rtn(-a[0]);
  d[0] = convert_double_rtp(l[0]); d[1] = convert_double_rtz((ulong)l[0]);
  d[2] = convert_double_rtn(-l[0]);
}
