// What differs between a GPU and a host compiler.
#pragma once

#ifdef __CUDACC__
#define BP_INLINE static __host__ __device__ inline
#else
#define BP_INLINE static inline
#endif
