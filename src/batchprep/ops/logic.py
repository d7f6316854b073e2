"""Ops on truth values and strings' codes, choice, and casts between dtypes."""

from __future__ import annotations

import operator
from typing import Any, Final

from batchprep.ops.op import Op

_TWO_TO_63: Final = 2.0**63


def _choose(condition: bool, if_true: Any, if_false: Any) -> Any:  # noqa: FBT001  a value, not a flag
    return if_true if condition else if_false


def _not(value: bool) -> bool:  # noqa: FBT001  a value, not a flag
    return not value


def _fits_int64(value: float) -> bool:
    # -2**63 - 1 is no float64: everything from -2**63 on truncates to an int64.
    return -_TWO_TO_63 <= value < _TWO_TO_63


def _truncate(value: float) -> int:
    return int(value) if _fits_int64(value) else 0


LOGIC: Final = (
    Op(
        name="and",
        params="bb",
        result="b",
        meaning=operator.and_,
        scalar="({0} & {1})",
        array="np.logical_and({0}, {1})",
        c="({0} & {1})",
        cases=(((True, False), False), ((True, True), True)),
    ),
    Op(
        name="or",
        params="bb",
        result="b",
        meaning=operator.or_,
        scalar="({0} | {1})",
        array="np.logical_or({0}, {1})",
        c="({0} | {1})",
        cases=(((True, False), True), ((False, False), False)),
    ),
    Op(
        name="xor",
        params="bb",
        result="b",
        meaning=operator.xor,
        scalar="({0} ^ {1})",
        array="np.logical_xor({0}, {1})",
        c="({0} != {1})",
        cases=(((True, False), True), ((True, True), False)),
    ),
    Op(
        name="not",
        params="b",
        result="b",
        meaning=_not,
        scalar="(not {0})",
        array="np.logical_not({0})",
        c="(!{0})",
        cases=(((True,), False), ((False,), True)),
    ),
    Op(
        name="select",
        params="b??",
        result="?",
        meaning=_choose,
        scalar="({1} if {0} else {2})",
        array="np.where({0}, {1}, {2})",
        c="({0} ? {1} : {2})",
        cases=(((True, 1, 2), 1), ((False, 1, 2), 2)),
    ),
    Op(
        name="seq",
        params="ss",
        result="b",
        meaning=operator.eq,
        scalar="({0} == {1})",
        array="np.equal({0}, {1})",
        c="({0} == {1})",
        cases=(((3, 3), True), ((3, 4), False)),
    ),
    Op(
        name="sne",
        params="ss",
        result="b",
        meaning=operator.ne,
        scalar="({0} != {1})",
        array="np.not_equal({0}, {1})",
        c="({0} != {1})",
        cases=(((3, 3), False), ((3, 4), True)),
    ),
    Op(
        name="b2i",
        params="b",
        result="i",
        meaning=int,
        scalar="np.int64({0})",
        array="{0}.astype(np.int64)",
        c="((int64_t)({0}))",
        cases=(((True,), 1), ((False,), 0)),
    ),
    Op(
        name="i2f",
        params="i",
        result="f",
        meaning=float,
        scalar="np.float64({0})",
        array="{0}.astype(np.float64)",
        c="((double)({0}))",
        cases=(((3,), 3.0), ((2**53 + 1,), 2.0**53)),
    ),
    Op(
        name="f2i",
        params="f",
        result="i",
        meaning=_truncate,
        scalar="k.truncate_f64({0})",
        array="h.truncate({0})",
        c="bp_truncate_f64({0})",
        cases=(((-2.9,), -2), ((1e300,), 0), ((float("nan"),), 0)),
    ),
    Op(
        name="f_fits_i",
        params="f",
        result="b",
        meaning=_fits_int64,
        scalar="k.fits_int64({0})",
        array="h.fits_int64({0})",
        c="bp_fits_int64({0})",
        cases=(((-(2.0**63),), True), ((2.0**63,), False), ((float("nan"),), False)),
    ),
)
