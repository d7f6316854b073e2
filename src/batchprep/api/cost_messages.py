"""Whether compiling pays, in a sentence."""

from __future__ import annotations

from typing import Final

CLEARLY: Final = 1.5  # times: estimates that are closer do not tell
BY_ROW: Final = "Python runs much of it; auto times both ways"
BY_VALUE: Final = "where texts repeat, since Python runs once for equal ones"
FIELDS: Final = "most is reading dicts; from Arrow it pays"
OBJECTS: Final = "most is making objects; Arrow in, Arrow out pays"
ALIKE: Final = "there is little to compute"
# Of whole loops.
OVER_DICTS: Final = (
    "over many dicts perhaps: auto times both ways and takes the faster; over columns it does"
)
OVER_COLUMNS: Final = "yes: no dict has to be made for each row"
IN_SEQUENCE: Final = "perhaps: Python runs steps row after row; time it against the plain loop"
ROUNDED: Final = 999.5
NOT_YET: Final = "not yet, rows go to the interpreter until numba's kernel is there"
YES: Final = "yes:"
ONCE: Final = "yes, once numba's kernel is there:"


def measured_text(compiled: float, interpreter: float, *, wins: bool, brief: bool = False) -> str:
    """What both ways took when the function ran, in nanoseconds a row.

    >>> measured_text(48.2, 631.0, wins=True)
    'yes, measured: 48.2 ns a row compiled, 631 in the interpreter'

    `brief`: what is compiled so far is NumPy's kernel alone.

    >>> measured_text(4100.0, 590.0, wins=False, brief=True)[:65]
    "not yet, rows go to the interpreter until numba's kernel is there"
    """
    verdict = "yes" if wins else "no, rows go to the interpreter"
    if brief:
        verdict = "yes, and more with numba's kernel to come" if wins else NOT_YET
    both = f"{digits(compiled)} ns a row compiled, {digits(interpreter)} in the interpreter"
    return f"{verdict}, measured: {both}"


def after_kernel(text: str) -> str:
    """A verdict that holds once numba's kernel is there, but not of NumPy's.

    >>> after_kernel("yes: the loop takes about 600 ns a row")[:33]
    "yes, once numba's kernel is there"
    """
    return text.replace(YES, ONCE, 1) if text.startswith(YES) else text


def predicted_text(compiled: float, loop: float, why_not: str) -> str:
    """What both ways should take, and why that is not more of a difference.

    >>> predicted_text(100.0, 420.0, BY_ROW)
    'yes: the loop takes about 420 ns a row'
    >>> predicted_text(400.0, 420.0, BY_ROW)[:57]
    'hardly: the loop takes about 420 ns a row (Python runs mu'
    """
    if loop >= CLEARLY * compiled:
        return f"yes: the loop takes about {digits(loop)} ns a row"
    verdict = "hardly" if loop * CLEARLY >= compiled else "no"
    return f"{verdict}: the loop takes about {digits(loop)} ns a row ({why_not})"


def digits(value: float) -> str:
    """A number of nanoseconds in about three digits, and no exponent.

    >>> digits(48.25), digits(5537.0)
    ('48.2', '5,540')
    """
    return f"{value:.3g}" if value < ROUNDED else f"{float(f'{value:.3g}'):,.0f}"
