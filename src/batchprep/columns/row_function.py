"""A column expression as a row function: generated text of the row language, one step a line."""

from __future__ import annotations

import hashlib
import linecache
import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from batchprep.columns.operations import OPERATIONS
from batchprep.columns.spelling import spell_all
from batchprep.columns.tree import Tree

# Under the package's own folder: frames of generated code are left out of tracebacks.
FOLDER: Final = Path(__file__).parent
LONGEST_TEXT: Final = 120  # characters of an expression in an error
LONGEST_FILE: Final = 60
DEEPEST: Final = 20  # choices inside choices; Python allows 100 levels of indentation
NAME: Final = "expression"
SLASH: Final = "\N{DIVISION SLASH}"  # a file name has no other


def row_function_of(root: Tree) -> FunctionType:
    """The function of one record that the expression stands for."""
    writer = _Writer({key: text.text for key, text in spell_all(root, LONGEST_TEXT).items()})
    writer.write_function(NAME, root)
    return _compiled(writer, spell_all(root, LONGEST_FILE)[id(root)].text)


class _Writer:
    """Lines of generated functions, and the constants that have no literal."""

    def __init__(self, texts: dict[int, str]) -> None:
        self.texts = texts
        self.functions: list[list[str]] = []
        self.constants: dict[str, Any] = {}
        self._count = 0
        self._rests: list[Tree] = []  # kept alive: scopes know trees by their identity

    def write_function(self, name: str, root: Tree) -> None:
        """def name(r) that returns the root's value."""
        lines = [f"def {name}(r):"]
        result = self._value(root, {}, lines, 1)
        lines.append(f"    return {result}")
        self.functions.append(lines)

    def _value(self, root: Tree, scope: dict[Any, str], lines: list[str], depth: int) -> str:
        """The name or literal that holds the root's value after these lines."""
        stack = [root]
        while stack:
            tree = stack[-1]
            missing = [part for part in _eager(tree) if _key(part) not in scope]
            if missing:
                stack.extend(reversed(missing))
                continue
            if _key(tree) not in scope:
                scope[_key(tree)] = self._step(tree, scope, lines, depth)
            stack.pop()
        return scope[_key(root)]

    def _step(self, tree: Tree, scope: dict[Any, str], lines: list[str], depth: int) -> str:
        if tree.operation in {"lit", "value"}:
            return self._literal(tree.options[0])
        if tree.operation == "alias":
            return scope[_key(tree.inputs[0])]
        self._count += 1
        name = f"v{self._count}"
        if tree.operation == "when" and depth > DEEPEST:
            self.write_function(f"{NAME}_{name}", tree)
            lines.append(f"{'    ' * depth}{name} = {NAME}_{name}(r)")
        elif tree.operation == "when":
            self._choice(tree, name, scope, lines, depth)
        else:
            lines.append(f"{'    ' * depth}{name} = {self._call(tree, scope)}")
        return name

    def _call(self, tree: Tree, scope: dict[Any, str]) -> str:
        if tree.operation == "col":
            return f"r.get({tree.options[0]!r})"
        arguments = [scope[_key(part)] for part in tree.inputs]
        arguments += map(self._literal, tree.options)
        if OPERATIONS[tree.operation].explains:
            arguments.append(repr(self.texts[id(tree)]))
        return f"{OPERATIONS[tree.operation].meaning.__name__}({', '.join(arguments)})"

    def _choice(
        self, tree: Tree, name: str, scope: dict[Any, str], lines: list[str], depth: int
    ) -> None:
        """if ... else: what is not chosen is not computed."""
        condition, result, *others = tree.inputs
        otherwise = others[0] if len(others) == 1 else Tree("when", tuple(others))
        self._rests.append(otherwise)
        indent = "    " * depth
        lines.append(f"{indent}if {scope[_key(condition)]}:")
        chosen = self._value(result, dict(scope), lines, depth + 1)
        lines += [f"{indent}    {name} = {chosen}", f"{indent}else:"]
        chosen = self._value(otherwise, dict(scope), lines, depth + 1)
        lines.append(f"{indent}    {name} = {chosen}")

    def _literal(self, value: Any) -> str:
        plain = value is None or isinstance(value, (bool, int, str))
        if plain or (isinstance(value, float) and math.isfinite(value)):
            return repr(value)
        name = f"k{len(self.constants)}"
        self.constants[name] = value
        return name


def _eager(tree: Tree) -> tuple[Tree, ...]:
    """The parts that are computed before the tree's own line; of a choice the condition."""
    return tree.inputs[:1] if tree.operation == "when" else tree.inputs


def _key(tree: Tree) -> Any:
    """What one value is computed for: a column is read once, however often it was written."""
    return ("col", tree.options[0]) if tree.operation == "col" else id(tree)


class _Loader:
    """Hands the generated text to linecache, as the loader of a zipped module does."""

    def __init__(self, source: str) -> None:
        self.source = source

    def get_source(self, name: str) -> str:
        """The text, whatever the module's name."""
        del name
        return self.source


def _compiled(writer: _Writer, text: str) -> FunctionType:
    source = "\n\n\n".join("\n".join(lines) for lines in writer.functions) + "\n"
    file = _file(source, text)
    # Without a time of change, linecache looks for no file on disk.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": __name__, "__loader__": _Loader(source)}
    space |= _MEANINGS | writer.constants
    exec(_code(source, file), space)  # noqa: S102  text of our own, no user's
    return space[NAME]


def _file(source: str, text: str) -> str:
    """A file name that tells the expression and belongs to this source only."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    return str(FOLDER / f"<{text.replace('/', SLASH)} {digest}>")


@lru_cache(maxsize=1024)
def _code(source: str, file: str) -> CodeType:
    return compile(source, file, "exec")


def _meanings() -> Iterator[tuple[str, Any]]:
    for operation in OPERATIONS.values():
        yield operation.meaning.__name__, operation.meaning


_MEANINGS: Final = dict(_meanings())
