"""Hand-written hot loops that generated code calls, in pairs: cpu (numba) and cuda (CUDA C++)."""
