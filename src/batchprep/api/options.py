"""Options: what they may be, `use`, and which value counts.

An option of vectorize(...) goes before one of the innermost use(...), and that before the default.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ContextDecorator
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, TypeVar, cast, get_args

import pyarrow as pa

from batchprep.errors import messages
from batchprep.plan.stage import MathMode
from batchprep.run.program import BackendName, OnError, Options

OnUnsupported = Literal["warn", "raise", "ignore"]
Rows = Literal["record"]
Returns = pa.DataType | pa.Schema

ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "backend": get_args(BackendName),
    "math": get_args(MathMode),
    "on_error": get_args(OnError),
    "on_unsupported": get_args(OnUnsupported),
    "rows": get_args(Rows),
}

T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """Options as the user gave them; None where nothing was said."""

    backend: BackendName | None = None
    math: MathMode | None = None
    on_error: OnError | None = None
    on_unsupported: OnUnsupported | None = None
    threads: int | None = None
    returns: Returns | None = None
    python_workers: int | None = None

    def __post_init__(self) -> None:
        """Refuse values that no option has."""
        for name, allowed in ALLOWED.items():
            value = getattr(self, name, None)
            if value is not None:
                check_choice(name, value, allowed)
        _check_count("threads", self.threads)
        _check_count("python_workers", self.python_workers)
        _check_returns(self.returns)


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among the allowed words."""
    if value not in allowed:
        raise ValueError(messages.bad_option_text(name, value, allowed))


def _check_returns(returns: object) -> None:
    if returns is not None and not isinstance(returns, pa.DataType | pa.Schema):
        wanted = "a pyarrow.DataType, or a pyarrow.Schema where the function returns dicts"
        raise TypeError(messages.bad_type_text("returns", returns, wanted))


def _check_count(name: str, count: object) -> None:
    if count is None:
        return
    wanted = "an int of at least 1"
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(messages.bad_type_text(name, count, wanted))
    if count < 1:
        raise ValueError(messages.bad_value_text(name, count, wanted))


# Of the blocks around, the innermost last: leaving one needs no token, so that a block can be
# entered again, from within itself and from several threads.
_in_use: ContextVar[tuple[Settings, ...]] = ContextVar("batchprep_settings", default=(Settings(),))


def use(
    *,
    backend: BackendName | None = None,
    math: MathMode | None = None,
    on_error: OnError | None = None,
    on_unsupported: OnUnsupported | None = None,
    threads: int | None = None,
    python_workers: int | None = None,
) -> AbstractContextManager[None]:
    """Options for all calls inside a with block; what vectorize(...) says goes before.

    Blocks nest, and an inner one changes only what it names. An iterator of results keeps the
    options of the call that made it, wherever it is read.

    threads         CPUs that kernels run on; else all that the process may use
    python_workers  processes for functions that are not compiled, where they change nothing and
                    are worth it (report() says so, or why not); else 1. Takes the extra `workers`

    >>> import batchprep as bp
    >>> with bp.use(backend="numpy", threads=1):
    ...     bp.vectorize(lambda r: r["a"] + 1)([{"a": 1}])
    [2]
    """
    settings = Settings(backend, math, on_error, on_unsupported, threads, None, python_workers)
    return _Using(settings)


class _Using(ContextDecorator, AbstractContextManager[None]):
    """A with block; it can be kept, and entered as often as one likes."""

    def __init__(self, inner: Settings) -> None:
        pairs = ((field.name, getattr(inner, field.name)) for field in fields(inner))
        self._said = {name: value for name, value in pairs if value is not None}

    def __enter__(self) -> None:
        blocks = _in_use.get()
        _in_use.set((*blocks, replace(blocks[-1], **self._said)))

    def __exit__(self, *_raised: object) -> None:
        _in_use.set(_in_use.get()[:-1])


def in_use() -> Settings:
    """The settings of the enclosing use(...) blocks."""
    return _in_use.get()[-1]


def run_options(own: Settings, around: Settings) -> Options:
    """What one call runs with."""
    return Options(
        backend=own.backend or around.backend or "auto",
        math=own.math or around.math or "exact",
        on_error=own.on_error or around.on_error or "raise",
        threads=around.threads or available_cpus(),
        python_workers=around.python_workers or 1,
        returns=own.returns,
        location="",
    )


def on_unsupported(own: Settings, around: Settings) -> OnUnsupported:
    """What happens to a function that cannot be compiled."""
    return own.on_unsupported or around.on_unsupported or "warn"


def available_cpus() -> int:
    """CPUs that this process may run on, which a container can set below those of the machine."""
    affinity = cast("object", getattr(os, "sched_getaffinity", None))
    return len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
