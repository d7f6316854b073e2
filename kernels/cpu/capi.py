"""What kernels need that call CPython's C API: memory at addresses, and a way to be called.

Such a kernel keeps the GIL, and gets addresses and ints only: numba would count references to
arrays at each call.
"""

# pyright: reportMissingParameterType=false

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final

import numba
from llvmlite import binding, ir
from numba.core import types
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.sigutils import normalize_signature
from numba.extending import intrinsic

from batchprep.kernels.cpu.cached import compile_cached

ADDRESS: Final = types.intp
LOADING: Final = global_compiler_lock  # held by a thread all the while it loads

inlined: Any = numba.njit(forceinline=True)  # a call for each cell would cost as much as its work


@intrinsic
def _load_int64(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(pointer)

    return types.int64(ADDRESS), generate


@intrinsic
def _load_int32(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.sext(builder.load(pointer), ir.IntType(64))

    return types.int64(ADDRESS), generate


@intrinsic
def _load_int8(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.sext(builder.load(pointer), ir.IntType(64))

    return types.int64(ADDRESS), generate


@intrinsic
def _load_float64(_context, _address):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        return builder.load(pointer)

    return types.float64(ADDRESS), generate


@intrinsic
def _store_value(_context, _address, value):
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any):
        address, stored = arguments
        builder.store(stored, builder.inttoptr(address, stored.type.as_pointer()))
        return context.get_dummy_value()

    return types.void(ADDRESS, value), generate


@intrinsic
def _fetch_ahead(_context, _address):
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(fetch, [pointer, number(0), number(3), number(1)])  # read, keep, data
        return context.get_dummy_value()

    return types.void(ADDRESS), generate


@intrinsic
def _add_shared(_context, _address, _value):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", pointer, arguments[1], "seq_cst")

    return types.int64(ADDRESS, types.int64), generate


@intrinsic
def _exchange_shared(_context, _address, _expected, _value):
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any):
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        pair = builder.cmpxchg(pointer, arguments[1], arguments[2], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 0)

    return types.int64(ADDRESS, types.int64, types.int64), generate


load_int64: Any = _load_int64
load_int32: Any = _load_int32
load_int8: Any = _load_int8
load_float64: Any = _load_float64
store: Any = _store_value
fetch_ahead: Any = _fetch_ahead  # into the cache, while other work goes on
# Of an int64 that several threads change: what it was before a value is added, or before it is
# replaced where it is what is expected.
add_shared: Any = _add_shared
exchange_shared: Any = _exchange_shared


def machine_code(
    kernel: Callable[..., int], symbols: Sequence[str], parameters: int, *, keeps_lock: bool = True
) -> Callable[..., int]:
    """A kernel of so many int64 as machine code, from numba's cache where it is there.

    What is raised in it is raised by the call. `keeps_lock`: it runs under the GIL.
    Errors:  LookupError where the interpreter does not show a function that is needed
    """
    with LOADING:
        absent = [name for name in symbols if binding.address_of_symbol(name) is None]
        if absent:
            raise LookupError(absent)
        signature = types.int64(*[types.int64] * parameters)
        try:
            compiled = _compiled(kernel, signature, is_cached=True)
        except RuntimeError:  # no folder for the cache can be written
            compiled = _compiled(kernel, signature, is_cached=False)
        # PYFUNCTYPE keeps the GIL for the call, and looks for an exception after it.
        make = ctypes.PYFUNCTYPE if keeps_lock else ctypes.CFUNCTYPE
        prototype = make(*[ctypes.c_int64] * (1 + parameters))
        function: Any = prototype(compiled.address)
    function.machine_code = compiled  # lives as long as what calls it
    return function


def _compiled(kernel: Callable[..., int], signature: Any, *, is_cached: bool) -> Any:
    function = CFunc(kernel, normalize_signature(signature), {}, {})
    if is_cached:
        function.enable_caching()
        compile_cached(function, function.compile)
    else:
        function.compile()
    return function
