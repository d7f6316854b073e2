// Ops on float64 that are more than one instruction or library call: see ../cpu/floats.py.
#pragma once

#include <cmath>
#include <cstdint>

#include "target.cuh"

#define BP_NAN ((double)NAN)
#define BP_TWO_TO_63 9223372036854775808.0

BP_INLINE bool bp_is_finite(double x) { return x - x == 0.0; }

BP_INLINE bool bp_is_infinite(double x) { return x == x && x - x != 0.0; }

BP_INLINE bool bp_fits_int64(double x) { return x >= -BP_TWO_TO_63 && x < BP_TWO_TO_63; }

BP_INLINE int64_t bp_truncate_f64(double x) { return bp_fits_int64(x) ? (int64_t)x : 0; }

// float_floor_div of CPython
BP_INLINE double bp_floor_divide_f64(double a, double b) {
  if (b == 0.0) return BP_NAN;
  double remainder = fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0.0 && (b < 0.0) != (remainder < 0.0)) quotient -= 1.0;
  if (quotient == 0.0) return copysign(0.0, a / b);
  double whole = floor(quotient);
  return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

// float_rem of CPython
BP_INLINE double bp_modulo_f64(double a, double b) {
  double remainder = fmod(a, b);
  if (remainder == 0.0) return copysign(0.0, b);
  return (b < 0.0) != (remainder < 0.0) ? remainder + b : remainder;
}

BP_INLINE double bp_remainder_f64(double a, double b) { return remainder(a, b); }

// pow gives nan for a signalling nan, where CPython does not look at it.
BP_INLINE double bp_power_f64(double a, double b) {
  return b == 0.0 || a == 1.0 ? 1.0 : pow(a, b);
}

BP_INLINE double bp_log_f64(double x) { return x > 0.0 ? log(x) : BP_NAN; }

BP_INLINE double bp_log2_f64(double x) { return x > 0.0 ? log2(x) : BP_NAN; }

BP_INLINE double bp_log10_f64(double x) { return x > 0.0 ? log10(x) : BP_NAN; }

BP_INLINE double bp_log1p_f64(double x) { return x > -1.0 ? log1p(x) : BP_NAN; }

BP_INLINE double bp_atanh_f64(double x) { return fabs(x) < 1.0 ? atanh(x) : BP_NAN; }

BP_INLINE double bp_gamma_f64(double x) { return x != 0.0 ? tgamma(x) : BP_NAN; }
