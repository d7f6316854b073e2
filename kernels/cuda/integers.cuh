// Ops on int64 that are more than one instruction: see ../cpu/integers.py.
#pragma once

#include <cmath>
#include <cstdint>

#include "target.cuh"

// Signed overflow is undefined in C++: what wraps is computed on uint64_t.
BP_INLINE int64_t bp_add_i64(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

BP_INLINE int64_t bp_subtract_i64(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

BP_INLINE int64_t bp_multiply_i64(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

BP_INLINE int64_t bp_negate_i64(int64_t a) { return (int64_t)(0 - (uint64_t)a); }

BP_INLINE int64_t bp_absolute_i64(int64_t a) { return a < 0 ? bp_negate_i64(a) : a; }

BP_INLINE int64_t bp_floor_divide_i64(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return bp_negate_i64(a);
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

BP_INLINE int64_t bp_modulo_i64(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  int64_t rest = a % b;
  return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}

BP_INLINE int64_t bp_floor_divide_by(int64_t a, int64_t shift, int64_t odd) {
  return bp_floor_divide_i64(a >> shift, odd);
}

BP_INLINE int64_t bp_power_i64(int64_t a, int64_t b) {
  uint64_t result = b >= 0 ? 1 : 0, base = (uint64_t)a;
  for (int64_t exponent = b; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return (int64_t)result;
}

BP_INLINE int64_t bp_shift_left_i64(int64_t a, int64_t b) {
  return 0 <= b && b <= 63 ? (int64_t)((uint64_t)a << b) : 0;
}

BP_INLINE int64_t bp_shift_right_i64(int64_t a, int64_t b) {
  return b < 0 ? 0 : a >> (b <= 63 ? b : 63);
}

BP_INLINE uint64_t bp_magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

BP_INLINE int64_t bp_gcd_i64(int64_t a, int64_t b) {
  uint64_t larger = bp_magnitude(a), smaller = bp_magnitude(b);
  while (smaller != 0) {
    uint64_t rest = larger % smaller;
    larger = smaller;
    smaller = rest;
  }
  return (int64_t)larger;
}

BP_INLINE bool bp_add_overflows(int64_t a, int64_t b) {
  int64_t total = bp_add_i64(a, b);
  return ((a ^ total) & (b ^ total)) < 0;
}

BP_INLINE bool bp_subtract_overflows(int64_t a, int64_t b) {
  return ((a ^ b) & (a ^ bp_subtract_i64(a, b))) < 0;
}

// The largest float64 below which no product of int64s that overflows is computed: 2**63 - 4096.
BP_INLINE bool bp_multiply_overflows(int64_t a, int64_t b) {
  return fabs((double)a * (double)b) >= 9223372036854771712.0;
}

BP_INLINE bool bp_power_overflows(int64_t a, int64_t b) {
  uint64_t base = bp_magnitude(a), result = 1;
  if (base <= 1 || b < 0) return false;
  uint64_t largest = ((uint64_t)1 << 63) - (a < 0 && (b & 1) ? 0 : 1);
  for (int64_t factor = 0; factor < b; ++factor) {
    if (result > largest / base) return true;
    result *= base;
  }
  return false;
}

BP_INLINE bool bp_shift_left_overflows(int64_t a, int64_t b) {
  if (a == 0 || b < 0) return false;
  return b > 63 || bp_shift_right_i64(bp_shift_left_i64(a, b), b) != a;
}
