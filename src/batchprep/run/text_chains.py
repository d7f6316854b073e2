"""Known functions of texts, as chains of calls with constant arguments, read off a pure's key."""

from __future__ import annotations

import ast
import functools
import string
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from batchprep.plan.pure import Held
from batchprep.plan.tables import Pure


class Call(NamedTuple):
    """One function of a chain: its name, the place of the text, and the other arguments."""

    name: str
    place: int
    fixed: tuple[Any, ...]


class Piece(NamedTuple):
    """A part of a sum: what a chain gives for the argument at a spot."""

    chain: tuple[Call, ...]
    spot: int


Chain = tuple[Call, ...]
Pieces = tuple["str | Piece", ...]

POSITION: Final = "position"  # 1 + the place among keys, the only fixed argument
_TEXT: Final = ("str", (0,))  # the word itself, as an operand


def chain_of(pure: Pure) -> Chain | None:
    """The chain of functions, innermost first; None where it is none, or may raise."""
    return _chain_of(pure) if pure.sure and pure.kind in {"str", "bool", "int"} else None


def pieces_of(pure: Pure) -> Pieces | None:
    """The function as a sum of texts, `+` or an f-string; None where it is none, or may raise."""
    return _pieces_of(pure) if pure.sure and pure.kind == "str" else None


_chain_of: Final = functools.lru_cache(maxsize=256)(lambda pure: _read(pure.key))


@functools.lru_cache(maxsize=256)
def _pieces_of(pure: Pure) -> Pieces | None:
    if not isinstance(pure.key, tuple) or len(pure.key) != 3 or pure.key[0] not in _SUMS:
        return None
    try:
        return tuple(_pieces(pure.key, None))
    except LookupError:
        return None


# ------------------------------------------------------------------------------------------ chains


def _read(key: object) -> Chain | None:
    if key == ("len", None):
        return (Call("len", 0, ()),)
    match key:
        case (str(name), Held() as held) if name.startswith("position of "):
            return _positions(held.value)
        case ("bool", None, ((("in", None, tuple()) as inner, (0,)),)):
            return _read(inner)
        case (str(name), None | (int(), ()), tuple() as operands):  # no arguments by keyword
            return _call(name, cast("tuple[Any, ...]", operands))
        case _:
            return None


def _positions(places: object) -> Chain | None:
    """1 + the position of a word among keys, 0 elsewhere: `places` is all that the name says."""
    if type(places) is not dict or not all(type(key) is str for key in places):
        return None
    if list(places.values()) != [*range(1, len(places) + 1)]:
        return None
    return (Call(POSITION, 0, (tuple(places),)),)


def _call(name: str, operands: tuple[Any, ...]) -> Chain | None:
    constants = [_constant(operand) for operand in operands]
    varying = [place for place, constant in enumerate(constants) if constant is None]
    if len(varying) != 1:
        return None
    (place,) = varying
    inner = () if operands[place] == _TEXT else _inner(operands[place])
    fixed = tuple(constant.value for constant in constants if constant is not None)
    return None if inner is None else (*inner, Call(name, place, fixed))


def _inner(operand: Any) -> Chain | None:
    """The chain that gives an operand."""
    key, spots = operand
    return _read(key) if spots == (0,) and isinstance(key, tuple) else None


class _Constant(NamedTuple):
    value: Any


def _constant(operand: Any) -> _Constant | None:
    """A text, whole number or None that stands in the code."""
    key, spots = operand
    if spots != () or not isinstance(key, tuple) or len(key) != 2:
        return None
    if key[0] not in {"str", "int", "NoneType"} or not isinstance(key[1], str):
        return None
    return _Constant(ast.literal_eval(key[1]))


# -------------------------------------------------------------------------------------------- sums

_F_STRING: Final = "f-string"
_SUMS: Final = frozenset({"+", _F_STRING})


def _pieces(key: Any, spots: Sequence[int] | None) -> Iterator[str | Piece]:
    """The parts of a sum whose arguments are at these spots (None: each at its own).

    Errors:  LookupError for what is no text, or none of a known function
    """
    name, detail, operands = key
    if name == "+" and detail is None:
        order: list[str | int] = list(range(len(operands)))
    elif name == _F_STRING and isinstance(detail, str):
        order = list(_template(detail))
    else:
        raise LookupError(name)
    for part in order:
        if isinstance(part, str):
            yield part
        else:
            own, places = operands[part]
            yield from _part(own, [p if spots is None else spots[p] for p in places])


def _part(key: Any, spots: Sequence[int]) -> Iterator[str | Piece]:
    constant = _constant((key, tuple(spots)))
    if constant is not None:
        if type(constant.value) is not str:
            raise LookupError(key)
        yield constant.value
    elif key == "str":
        yield Piece((), spots[0])
    elif isinstance(key, tuple) and len(key) == 3 and key[0] in _SUMS:
        yield from _pieces(key, spots)
    else:
        chain = _read(key) if len(spots) == 1 else None
        if chain is None:
            raise LookupError(key)
        yield Piece(chain, spots[0])


def _template(template: str) -> Iterator[str | int]:
    for text, name, spec, conversion in string.Formatter().parse(template):
        if text:
            yield text
        if name is not None:
            if spec or conversion:
                raise LookupError(template)
            yield int(name)
