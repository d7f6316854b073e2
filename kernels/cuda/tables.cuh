// Lookups in sorted keys: see ../cpu/tables.py.
#pragma once

#include <cstdint>

#include "target.cuh"

template <typename T>
BP_INLINE int64_t bp_find(const T* keys, int64_t count, T x) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (keys[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && keys[low] == x ? low + 1 : 0;
}

BP_INLINE int64_t bp_find_i64(const int64_t* keys, int64_t count, int64_t x) {
  return bp_find(keys, count, x);
}

BP_INLINE int64_t bp_find_f64(const double* keys, int64_t count, double x) {
  return bp_find(keys, count, x);
}
