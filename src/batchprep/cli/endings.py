"""How a command ends: exit codes, and what stderr says.

0 all went well · 1 a row failed, or bad data · 2 wrong usage · 130 Ctrl-C
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Final

import click

from batchprep.cli import messages
from batchprep.cli.interrupts import Interrupts

FAILED: Final = 1
INTERRUPTED: Final = 130  # 128 and the number of SIGINT, as shells have it

# What went wrong before any row was read, and lies in what was typed.
_TYPED: Final = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
_FileState = tuple[int, int, int] | None


@contextlib.contextmanager
def as_usage(parameter: str, *more: type[Exception]) -> Generator[None]:
    """Turn paths that do not fit, and further kinds of errors, into errors of usage."""
    try:
        yield
    except (*_TYPED, *more) as error:
        text = messages.as_typed(str(error))
        raise click.BadParameter(text, param_hint=parameter) from error


@contextlib.contextmanager
def ending(output: str | None = None, *, show_traceback: bool = False) -> Generator[None]:
    """Turn exceptions into messages and exit codes; `output` is the file that is written."""
    before = _state(output)
    try:
        with Interrupts(), _plain_warnings():
            yield
    except KeyboardInterrupt as error:
        if output is not None:
            written = _state(output) != before
            click.echo(messages.stopped_text(output, written=written), err=True)
        raise click.exceptions.Exit(INTERRUPTED) from error
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except BrokenPipeError as error:  # whoever read our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  so that the end finds no pipe
        raise click.exceptions.Exit(0) from error
    except Exception as error:
        if show_traceback:
            traceback.print_exception(error)
        else:
            click.echo(messages.error_text(error), err=True)
        if output is not None and _state(output) == before:
            click.echo(messages.nothing_written_text(output), err=True)
        raise click.exceptions.Exit(FAILED) from error


def _state(path: str | None) -> _FileState:
    """What tells a file from one that has taken its place; None where there is none."""
    with contextlib.suppress(OSError, ValueError):
        if path is not None:
            found = Path(path).stat()
            return found.st_ino, found.st_size, found.st_mtime_ns
    return None


@contextlib.contextmanager
def _plain_warnings() -> Generator[None]:
    """Warnings as their text alone: the line that gave them is one of this package."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        yield


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: str | None = None,
) -> None:
    del filename, lineno, file, line
    click.echo(f"{category.__name__}: {messages.as_typed(str(message))}", err=True)
