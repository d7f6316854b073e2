"""Compiled loops: each text and signature once per process, and once per machine on disk."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any, Final

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba.core import types
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.backends.numba.kept import drop, is_intact, keep, prune
from batchprep.backends.numba.render import Loop
from batchprep.backends.numba.store import kernel_directory, write_once
from batchprep.batch.fork_locks import ForkLocks
from batchprep.kernels import cpu as cpu_kernels
from batchprep.ops import OPS
from batchprep.plan.node import Node
from batchprep.plan.segments import LEAVES
from batchprep.plan.tables import KeyTable

Function = Callable[..., None]
# The text of a loop, and the numba types of its arguments.
Job = tuple[str, tuple[Any, ...]]

_kernels: Final[dict[str, Future[Function]]] = {}
_lock: Final = threading.Lock()


def _lock_of_llvm() -> list[Any]:
    """What llvmlite holds during each call, also those outside of numba's lock."""
    lock: Any = getattr(binding.ffi.lib, "_lock", None)
    found = getattr(lock, "_lock", None)
    return [found] if hasattr(found, "acquire") else []


# A child that inherits one of these from a thread that is not there would wait for ever.
FORK_LOCKS: Final = ForkLocks(global_compiler_lock, _lock, *_lock_of_llvm())


def _after_fork_in_child() -> None:
    for key in [key for key, kernel in _kernels.items() if not kernel.done()]:
        del _kernels[key]  # the thread that was to compile it stayed in the parent
    FORK_LOCKS.after()


os.register_at_fork(
    before=FORK_LOCKS.before,
    after_in_parent=FORK_LOCKS.after,
    after_in_child=_after_fork_in_child,
)


# Whether a row's guess is in doubt, and the places of those that are.
DOUBTS: Final = (np.dtype(np.uint8), np.dtype(np.int32))


def signature(loop: Loop, layout: Mapping[Node, np.dtype[Any]]) -> tuple[Any, ...]:
    """numba types of a loop's arguments."""
    return (
        types.int64,
        types.uint64,
        *(_array(_read_dtype(node, layout), readonly=True) for node in loop.reads),
        *(_array(_table_dtype(node), readonly=True) for node in loop.tables),
        *(types.float64 if node.dtype == "f" else types.int64 for node in loop.scalars),
        *(_array(NUMPY_DTYPE[node.dtype], readonly=False) for node in loop.writes),
        *([_array(np.dtype(np.uint8), readonly=False)] if loop.marks else []),
        *([_array(dtype, readonly=False) for dtype in DOUBTS] if loop.guesses else []),
    )


def _array(dtype: np.dtype[Any], *, readonly: bool) -> Any:
    return types.Array(numba.from_dtype(dtype), 1, "C", readonly=readonly)


def _read_dtype(node: Node, layout: Mapping[Node, np.dtype[Any]]) -> np.dtype[Any]:
    return layout[node] if node.op in LEAVES else NUMPY_DTYPE[node.dtype]


def _table_dtype(node: Node) -> np.dtype[Any]:
    dtype = node.attr.dtype if isinstance(node.attr, KeyTable) else node.dtype
    return NUMPY_DTYPE[dtype]


def compiled(source: str, arguments: tuple[Any, ...]) -> Function:
    """The loop's machine code; threads that want the same one wait for a single compile."""
    key = _key(source, arguments)
    mine = Future[Function]()
    with _lock:
        known = _kernels.setdefault(key, mine)
    if known is not mine:
        return known.result()
    try:
        mine.set_result(_compile(source, arguments, key))
    except BaseException as error:
        with _lock:
            del _kernels[key]
        mine.set_exception(error)
        raise
    return mine.result()


def get_ready() -> None:
    """Let numba import all that it knows of types and functions."""
    target: Any = cpu_target  # its type stubs do not know what its properties are
    with global_compiler_lock:
        target.typing_context.refresh()
        target.target_context.refresh()


def is_on_disk(source: str, arguments: tuple[Any, ...]) -> bool:
    """Whether the loop's machine code need only be loaded."""
    key = _key(source, arguments)
    known = _kernels.get(key)
    if known is not None and known.done():
        return True
    folder = kernel_directory()
    return folder is not None and is_intact(folder, key)


def _compile(source: str, arguments: tuple[Any, ...], key: str) -> Function:
    folder = kernel_directory()
    file = None if folder is None else write_once(folder, f"kernel_{key}.py", source)
    if folder is None or file is None:
        return _machine_code(source, arguments)
    try:
        function = _dispatcher(source, file)
        machine_code = Path(function.stats.cache_path)
        if not is_intact(folder, key):
            drop(folder, key, machine_code)
        _compile_for(function, arguments)
    except Exception:  # noqa: BLE001  files that cannot be read or written, or the loop's own fault
        return _machine_code(source, arguments)
    if not function.stats.cache_hits:
        keep(folder, key, machine_code)
        prune(folder)
    return function


def _machine_code(source: str, arguments: tuple[Any, ...]) -> Function:
    """The loop compiled for this process alone."""
    function = _dispatcher(source, None)
    _compile_for(function, arguments)
    return function


def _dispatcher(source: str, file: Path | None) -> Any:
    # Our own text is executed, never what lies in the file; numba keeps machine code beside it.
    # The module name is one that exists, since numba looks it up when it loads from its cache.
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, "<numba kernel>" if file is None else str(file), "exec"), namespace)
    jit = numba.njit(
        nogil=True, error_model="numpy", cache=file is not None, pipeline_class=_LoopCompiler
    )
    return jit(namespace["kernel"])


def _compile_for(function: Any, arguments: tuple[Any, ...]) -> None:
    """As numba.njit does for a signature: a call with other types then is an error."""
    if hasattr(function, "compile"):  # under NUMBA_DISABLE_JIT it is the plain function
        function.compile(types.void(*arguments))
        function.disable_compile()


def _key(source: str, arguments: tuple[Any, ...]) -> str:
    return hashlib.sha256("\0".join((source, repr(arguments), _environment())).encode()).hexdigest()


def environment_key() -> str:
    """A short text for all that machine code depends on besides its text."""
    return hashlib.sha256(_environment().encode()).hexdigest()


class _LoopCompiler(Compiler):
    """numba's compiler, told that no two arrays of a loop overlap.

    LLVM otherwise compares the addresses of all pairs at run time before it vectorises, and
    gives up beyond 128 pairs: a dozen columns.
    """

    def define_pipelines(self) -> list[Any]:
        """The passes of any other function."""
        self.state.flags.noalias = True
        return super().define_pipelines()


@cache
def _environment() -> str:
    """All that machine code depends on besides its text."""
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    cpu = (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())
    table = [(op.name, op.params, op.result, op.scalar) for op in OPS.values()]
    kernels = sorted(Path(cpu_kernels.__file__).parent.glob("*.py"))
    # This file too: it holds the compiler's options.
    sources = [file.read_bytes() for file in (Path(__file__), *kernels)]
    return repr((versions, cpu, table, sources))
