"""Every text of the linter, built in one place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from batchprep.lint.finding import Finding, Report, Verdict
    from batchprep.lint.scopes import Binding

# ---- files

TOO_DEEP: Final = "the code is nested more deeply than can be read"


def no_file_text(*, exists: bool) -> str:
    """A path that leads to no file."""
    return "this is no regular file" if exists else "there is no such file"


def os_error_text(error: OSError) -> str:
    """The system does not let the file be read."""
    return f"the file cannot be read: {error.strerror or error}"


def too_large_text(size: int) -> str:
    """A notebook of a size that nobody wrote."""
    return f"the file has {size:,} bytes, too many to read: name it no more, or split it"


def too_long_text(length: int) -> str:
    """Code of a length that nobody wrote."""
    return f"the code has {length:,} characters, too many to read: it looks generated"


def not_text_text(error: Exception) -> str:
    """The bytes are no text in the encoding that the file names."""
    return f"this is no Python text: {error}"


def not_python_text(error: Exception) -> str:
    """The text is no Python."""
    return f"this is no Python: {error}"


def syntax_text(error: SyntaxError) -> str:
    """A syntax error, in Python's words."""
    return f"SyntaxError: {error.msg}"


def not_notebook_text(error: Exception) -> str:
    """The file is no notebook."""
    return f"this is no notebook of format 4: {type(error).__name__}: {error}"


def no_rule_text(given: str, near: Sequence[str]) -> str:
    """An id that no rule has."""
    return f"there is no rule {given!r}; nearest: {', '.join(near)}"


# ---- what is in the way of a row function

WHOLE_LOOP: Final = "write the loop as a function of its records: bp.vectorize_loop(process)"
WHOLE_LOOP_DROPS: Final = (
    "nothing is written in its place: a row may append None, which filter_map would drop; "
    "bp.vectorize_loop(process) takes the whole loop"
)
ROWS_ARE_DICTS: Final = (
    "rows are then dicts of Python values: ints stay ints, x / 0 raises, and a None stays None"
)
ASK: Final = "ask bp.vectorize(f).explain(rows), where f is at hand"
NO_REPLACEMENT: Final = "call bp.vectorize(f) on the rows; nothing can be written in its place here"
DATASET_HINT: Final = (
    'dataset.with_format("arrow").map(bp.vectorize(f), batched=True) runs f on whole tables; '
    "f must then return the whole row, {**row, ...}"
)
STOPS_EARLY: Final = "it stops at a row"
LOOP_ELSE: Final = "the loop has an else"
SEVERAL_A_ROW: Final = "a row may append several values"
APPENDS_BEFORE_THE_END: Final = "a row goes on after it has appended"
NOTHING_GATHERED: Final = "it appends to no list: each row lives by its effects"
NUMBERED: Final = "it numbers its rows"
ONE_LINE: Final = "its body stands on the line of its head"
NO_PARAMETER: Final = "the function takes no row"
FURTHER_ARGUMENTS: Final = "its further arguments are no literals"
OPTIONS_BY_POSITION: Final = "its options are not written out"
TUPLES_OTHERWISE: Final = "itertuples(name=...) makes tuples without names, or with others"
DEFAULT_ELSEWHERE: Final = "a default of the function comes from elsewhere"
TOO_LONG: Final = "the function is too long to be judged here; ask bp.vectorize(f).explain(...)"


def several_lists_text(names: Sequence[str]) -> str:
    """It appends to several lists."""
    return f"it appends to several lists: {', '.join(names)}"


def carries_text(name: str) -> str:
    """A name keeps its value from row to row."""
    return f"{name} carries a value from row to row"


def fills_text(name: str) -> str:
    """It changes an object outside of the loop."""
    return f"it fills {name}"


def reads_output_text(name: str) -> str:
    """It reads the list that it appends to."""
    return f"it reads {name} while it grows"


def used_after_text(name: str) -> str:
    """A name of the loop is used outside of it."""
    return f"{name}, which the loop sets, is used outside of it"


def uses_index_text(name: str) -> str:
    """The loop uses the index of the frame."""
    return f"it uses {name}, the index, which records lack; df.reset_index() makes it a field"


def target_text(target: str) -> str:
    """The loop takes its rows apart in a way of its own."""
    return f"it takes its row apart as {target}"


def wrapped_text(function: ast.expr) -> str:
    """The rows go through another function."""
    return f"its rows go through {ast.unparse(function)}()"


def writes_row_text(target: str) -> str:
    """The loop writes into its rows."""
    return f"it writes {target}: records stay as they were; return a new dict instead"


def not_in_row_function_text(node: ast.AST) -> str:
    """A construct that no row function can have, or not there."""
    return f"its body has a {type(node).__name__.lower()} that a row function cannot have there"


def pandas_own_text(text: str) -> str:
    """What a pandas row has and a dict has not."""
    return f"{text} belongs to pandas' rows: records are dicts"


def by_position_text(text: str) -> str:
    """A row is read by position."""
    return f"{text} reads by position: records are read by name"


def several_columns_text(text: str) -> str:
    """A row is read as several columns at once."""
    return f"{text} takes several columns at once: records give one field at a time"


def whole_row_text(name: str) -> str:
    """A pandas row is used as a whole."""
    return f"{name} is used as a whole: a pandas row gives its values, a dict its keys"


def in_f_string_text(text: str, key: str) -> str:
    """An attribute inside of an f-string."""
    return f"{text} stands in an f-string: write {key} there"


def option_text(option: str) -> str:
    """An option of apply that has no counterpart."""
    return f"{option} has no counterpart"


def elsewhere_function_text(name: str) -> str:
    """The function is not one of this file."""
    return f"{name} comes from elsewhere"


def elsewhere_text(name: str, binding: Binding | None) -> str:
    """A name that only running the file would tell."""
    match binding:
        case None:
            return f"{name} comes from elsewhere"
        case _ if binding.kind == "import":
            module = binding.module or getattr(binding.node, "name", name)
            return f"{name} comes from elsewhere: it is imported from {module}"
        case _ if binding.kind == "parameter":
            return f"{name} comes from elsewhere: it is an argument of the code around"
        case _ if binding.kind == "def":
            return f"{name} comes from elsewhere: a decorator makes it"
        case _:
            return f"{name} comes from elsewhere: it is made when the file runs"


def always_text(reason: str) -> str:
    """It compiles, but no row would be answered by the kernel."""
    return f"with every kind of field that was tried, each row is left to the interpreter: {reason}"


# ---- findings as text


def verdict_text(verdict: Verdict) -> str:
    """The verdict as a clause."""
    if verdict.status == "no":
        at = f" (line {verdict.line})" if verdict.line else ""
        return f"would not compile: {verdict.reason}{at}"
    if verdict.status == "unknown":
        return f"cannot tell: {verdict.reason}"
    conditions = [_group_text(word, names) for word, names in _by_word(verdict.fields).items()]
    conditions += [f"{name} is {what}" for name, what in verdict.assumed.items()]
    compiles = "compiles, but for pieces that Python computes," if verdict.partly else "compiles"
    return f"{compiles} if {' and '.join(conditions)}" if conditions else compiles.rstrip(",")


def _by_word(fields: Mapping[str, str]) -> Mapping[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, word in fields.items():
        groups.setdefault(word, []).append(repr(name))
    return groups


def _group_text(word: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} is {'an' if word == 'int' else 'a'} {word}"
    return f"{', '.join(names[:-1])} and {names[-1]} are {word}s"


def finding_text(finding: Finding) -> str:
    """A finding on one line."""
    return f"{finding.rule} {finding.what}: {verdict_text(finding.verdict)}"


def summary_text(report: Report) -> str:
    """The last line: how much was read, and what became of it."""
    files = _counted(report.files, "file")
    found = _counted(len(report.findings), "row loop")
    text = f"{found} in {files}"
    if report.findings:
        text += (
            f": {report.count('compiles')} would compile, {report.count('no')} would not, "
            f"{report.count('unknown')} cannot be told"
        )
    if report.problems:
        text += f"; {_counted(len(report.problems), 'problem')}"
    return text


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
