// Days since 1970 and the Gregorian calendar: see ../cpu/calendar.py.
#pragma once

#include <cstdint>

#include "target.cuh"

BP_INLINE int64_t bp_clamp_i64(int64_t a, int64_t low, int64_t high) {
  return a < low ? low : a > high ? high : a;
}

BP_INLINE int64_t bp_march_day(int64_t day) {
  return bp_clamp_i64(day, -719162, 2932896) + 719468;
}

BP_INLINE int64_t bp_year_of_era(int64_t rest) {
  return (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
}

BP_INLINE int64_t bp_day_of_year(int64_t rest) {
  int64_t year = bp_year_of_era(rest);
  return rest - (365 * year + year / 4 - year / 100);
}

BP_INLINE int64_t bp_year_of_day(int64_t day) {
  int64_t number = bp_march_day(day), era = number / 146097, rest = number % 146097;
  return bp_year_of_era(rest) + era * 400 + (bp_day_of_year(rest) >= 306 ? 1 : 0);
}

BP_INLINE int64_t bp_month_of_day(int64_t day) {
  int64_t place = (5 * bp_day_of_year(bp_march_day(day) % 146097) + 2) / 153;
  return place < 10 ? place + 3 : place - 9;
}

BP_INLINE int64_t bp_day_of_month(int64_t day) {
  int64_t of_year = bp_day_of_year(bp_march_day(day) % 146097);
  return of_year - (153 * ((5 * of_year + 2) / 153) + 2) / 5 + 1;
}

BP_INLINE int64_t bp_day_of_civil(int64_t year, int64_t month, int64_t day) {
  int64_t in_bounds = bp_clamp_i64(month, 1, 12);
  int64_t of_march = in_bounds > 2 ? in_bounds - 3 : in_bounds + 9;
  int64_t number = bp_clamp_i64(year, 1, 9999) - (in_bounds <= 2 ? 1 : 0);
  int64_t era = number / 400, rest = number % 400;
  int64_t of_year = (153 * of_march + 2) / 5 + bp_clamp_i64(day, 1, 31) - 1;
  return era * 146097 + rest * 365 + rest / 4 - rest / 100 + of_year - 719468;
}
