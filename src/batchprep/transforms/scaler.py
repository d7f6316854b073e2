"""`StandardScaler`: columns with mean 0 and standard deviation 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch import Batch
from batchprep.columns import Expression, col
from batchprep.transforms import messages
from batchprep.transforms.moments import Moments, moments_of
from batchprep.transforms.transform import NotFittedError, checked_columns, column_of, place_of

NAME: Final = "StandardScaler"
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, repr=False)
class StandardScaler:
    """Columns minus their mean, over their standard deviation, as scikit-learn's StandardScaler.

    The columns keep their names and become float64. Attributes have scikit-learn's names and
    values: mean_, var_ (of the population), scale_ (1.0 for a constant column), n_samples_seen_,
    n_features_in_, feature_names_in_.

    Nulls:   nulls and NaN are left out of the fit and stay what they are
    Errors:  TypeError for a column that is not numbers, ValueError for infinity or no rows at all,
             KeyError for a missing column; NotFittedError for an attribute before the fit

    >>> scaler = StandardScaler(["a"]).fit_batch(pa.table({"a": [1.0, 3.0, None]})).finish()
    >>> scaler.mean_, scaler.scale_
    (array([2.]), array([1.]))
    >>> scaler.expressions()["a"]
    ((col("a") - 2.0) / 1.0).alias("a")
    """

    columns: Sequence[str]
    with_mean: bool = field(default=True, kw_only=True)
    with_std: bool = field(default=True, kw_only=True)
    moments: tuple[Moments, ...] = field(default=(), kw_only=True)
    rows: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "columns", checked_columns(NAME, self.columns))
        for option in ("with_mean", "with_std"):
            value = getattr(self, option)
            if not isinstance(value, bool):
                raise TypeError(messages.bad_option_text(NAME, option, value, "True or False"))

    def __repr__(self) -> str:
        options = [f", {name}=False" for name in ("with_mean", "with_std") if not self._is(name)]
        return f"{NAME}({list(self.columns)}{''.join(options)})"

    def _is(self, option: str) -> bool:
        return bool(getattr(self, option))

    # ---- fitting

    @property
    def fitted(self) -> bool:
        """Whether it has seen a row."""
        return self.rows > 0

    def fresh(self) -> StandardScaler:
        """The same parameters, and no data seen."""
        return replace(self, moments=(), rows=0)

    def fit_batch(self, batch: Batch | pa.Table) -> StandardScaler:
        """What was seen so far and the rows of the batch."""
        found = tuple(moments_of(_numbers(batch, column)) for column in self.columns)
        rows = batch.num_rows if isinstance(batch, pa.Table) else len(batch)
        return self._with(found, rows)

    def merge(self, other: StandardScaler) -> StandardScaler:
        """What either has seen: fitted on parts of the data, it is as if fitted on all of it."""
        if self.fresh() != other.fresh():
            raise ValueError(messages.other_parameters_text(repr(self), repr(other)))
        return self._with(other.moments, other.rows) if other.moments else self

    def _with(self, moments: tuple[Moments, ...], rows: int) -> StandardScaler:
        if self.moments:
            moments = tuple(a.merge(b) for a, b in zip(self.moments, moments, strict=True))
        return replace(self, moments=moments, rows=self.rows + rows)

    def finish(self) -> StandardScaler:
        """The fitted scaler; ValueError if it has seen no rows."""
        if not self.fitted:
            raise ValueError(messages.no_rows_text(NAME, self.columns))
        return self

    # ---- scikit-learn's attributes

    @property
    def mean_(self) -> Floats | None:
        """Mean of each column; None with neither mean nor deviation, nan for one of nulls only."""
        moments = self._state()
        needed = self.with_mean or self.with_std
        return np.array([m.center for m in moments]) if needed else None

    @property
    def var_(self) -> Floats | None:
        """Variance of each column; None without with_std."""
        moments = self._state()
        return np.array([m.variance for m in moments]) if self.with_std else None

    @property
    def scale_(self) -> Floats | None:
        """What each column is divided by; None without with_std."""
        moments = self._state()
        return np.array([m.scale for m in moments]) if self.with_std else None

    @property
    def n_samples_seen_(self) -> int | np.ndarray[Any, np.dtype[np.int64]]:
        """Rows with a number: one int where it is the same for all columns, else one a column."""
        counts = [m.count for m in self._state()]
        return counts[0] if len(set(counts)) == 1 else np.array(counts, dtype=np.int64)

    @property
    def n_features_in_(self) -> int:
        """How many columns it was fitted to."""
        return len(self._state())

    @property
    def feature_names_in_(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Their names."""
        self._state()
        return np.array(self.columns, dtype=object)

    def _state(self) -> tuple[Moments, ...]:
        if not self.fitted:
            raise NotFittedError(messages.not_fitted_text(repr(self)))
        return self.moments

    # ---- the transform

    def expressions(self) -> dict[str, Expression]:
        """What each column becomes, under its own name."""
        pairs = zip(self.columns, self._state(), strict=True)
        return {column: self._scaled(column, moments).alias(column) for column, moments in pairs}

    def _scaled(self, column: str, moments: Moments) -> Expression:
        value = col(column)
        if self.with_mean:
            value = value - moments.center
        if self.with_std:
            return value / moments.scale
        return value if self.with_mean else value.cast(float)


def _numbers(batch: Batch | pa.Table, column: str) -> Floats:
    """The column as float64, null as NaN."""
    array = column_of(NAME, batch, column)
    dtype = array.type
    types = pa.types
    if types.is_boolean(dtype):
        array = pc.cast(array, pa.uint8())
    elif not (
        types.is_integer(dtype)
        or types.is_floating(dtype)
        or types.is_decimal(dtype)
        or types.is_null(dtype)
    ):
        raise TypeError(messages.not_numeric_text(column, dtype))
    numbers = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        row = int(infinite[0])
        place = place_of(batch, row)
        raise ValueError(messages.infinite_text(column, float(numbers[row]), place))
    return numbers
