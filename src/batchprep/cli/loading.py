"""Functions and pipelines by name: `features.py:root_value`, `package.module:root_value`."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import click

from batchprep.cli import messages


class Loader:
    """Loads each file once, however many of its functions are named.

    The folder of a file, or the current one for a module, stays on sys.path until `close`, so that
    a function finds its neighbours when it runs, as it does under `python FILE.py`.
    """

    def __init__(self) -> None:
        self._files: dict[Path, ModuleType] = {}
        self._path = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._path.close()

    def load(self, spec: str, parameter: str) -> Any:
        """What the spec names: a function, or a pipeline.

        Errors:  click.BadParameter for `parameter`, which ends the command with exit code 2
        """
        try:
            return self._load(spec)
        except LoadError as error:
            raise click.BadParameter(str(error), param_hint=parameter) from error

    def _load(self, spec: str) -> Any:
        place, colon, name = spec.rpartition(":")
        if not colon or not name or not place:
            raise LoadError(messages.no_colon_text(spec, self._functions_of(spec)))
        module = self._module(place)
        found: Any = module
        for part in name.split("."):
            try:
                found = getattr(found, part)
            except AttributeError:
                text = messages.no_function_text(place, name, _functions(module))
                raise LoadError(text) from None
        if not callable(found):
            raise LoadError(messages.not_function_text(spec, found))
        return found

    def _functions_of(self, place: str) -> list[str]:
        """The functions that a bare file name could mean."""
        if not place.endswith(".py") or not Path(place).is_file():
            return []
        return _functions(self._module(place))

    def _module(self, place: str) -> ModuleType:
        if not _is_file(place):
            return self._installed(place)
        path = Path(place).absolute()
        if path not in self._files:
            if not path.is_file():
                raise LoadError(messages.no_file_text(place, _python_files(path.parent)))
            self._path.enter_context(_on_path(str(path.parent)))
            self._files[path] = _loaded(path, place)
        return self._files[path]

    def _installed(self, name: str) -> ModuleType:
        self._path.enter_context(_on_path(str(Path.cwd())))
        importlib.invalidate_caches()
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and f"{name}.".startswith(f"{error.name}."):
                raise LoadError(messages.no_module_text(name)) from error
            raise LoadError(messages.not_loaded_text(name, error)) from error
        except (Exception, SystemExit) as error:
            raise LoadError(messages.not_loaded_text(name, error)) from error


class LoadError(Exception):
    """A spec leads to nothing that can run; the text says why."""


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or Path(place).is_file()


def _python_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.py"))


def _loaded(path: Path, place: str) -> ModuleType:
    """The module of a file; its name in sys.modules is its own, so that its functions pickle."""
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        text = messages.no_colon_text(place, [])  # no Python file: its name does not end in .py
        raise LoadError(text)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise LoadError(messages.not_loaded_text(place, error)) from error
    return module


def _module_name(path: Path) -> str:
    """A name that no module has: two folders may both hold a features.py, and so may a package."""
    digest = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:12]
    return f"batchprep_loaded_{re.sub(r'[^0-9a-zA-Z_]', '_', path.stem)}_{digest}"


def _functions(module: ModuleType) -> list[str]:
    """What a user may have meant: the callables that the module does not hide."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    ]


@contextlib.contextmanager
def _on_path(folder: str) -> Generator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the loaded code may have removed it
            sys.path.remove(folder)
