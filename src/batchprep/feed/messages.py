"""Every text about rows that cannot become tensors, and about loaders asked for what they lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_types import value_type
from batchprep.errors.messages import short_repr
from batchprep.errors.nearest import nearest_names


def no_column_text(name: str, role: str, columns: Sequence[str]) -> str:
    """A feature or label is not among the columns."""
    close = nearest_names(name, columns)
    known = f"nearest: {', '.join(close)}" if close else f"the columns are {_listed(columns)}"
    return f"{role} {name!r} is not a column\n  {known}"


def repeated_column_text(name: str) -> str:
    """Several columns share the name of a feature or label."""
    return f"column {name!r} occurs more than once\n  Rename one: rename({{{name!r}: ...}})"


def no_features_text(labels: Sequence[str]) -> str:
    """Nothing is left to pack."""
    beside = f" beside the label {_listed(labels)}" if labels else ""
    return f"there is no feature column{beside}\n  Add one: with_columns(name=...)"


def not_number_text(name: str, role: str, dtype: pa.DataType) -> str:
    """A column holds no numbers."""
    return (
        f"{role} {name!r} is of type {dtype}, which is no number\n  {_number_advice(name, dtype)}"
    )


def null_text(name: str, role: str, row: int) -> str:
    """A row has no value in a feature or label."""
    return (
        f"row {row:,}, {role} {name!r}: null, which no tensor holds\n"
        f"  Put a value in its place (map or with_columns), drop such rows with\n"
        f"  filter(lambda r: r[{name!r}] is not None), or give float('nan') there"
    )


def overflow_text(name: str, role: str, row: int, value: float) -> str:
    """A finite float is beyond what float32 can hold."""
    return (
        f"row {row:,}, {role} {name!r}: {value!r} is beyond float32, which ends at 3.4e38\n"
        f"  Scale the column first, for example with_columns({name}=...) or a StandardScaler"
    )


def label_range_text(name: str, row: int, value: int) -> str:
    """An unsigned label is beyond int64."""
    return (
        f"row {row:,}, label {name!r}: {value} is beyond int64, which ends at {2**63 - 1}\n"
        f"  Number the classes from 0 with OrdinalEncoder([{name!r}]), or make it a float"
    )


def changed_label_text(name: str, row: int, dtype: pa.DataType) -> str:
    """A label of whole numbers comes as another type in a later table."""
    return (
        f"row {row:,}, label {name!r}: {dtype}, after whole numbers in the rows before\n"
        f"  Give one type on all rows: int(...) or float(...)"
    )


def unknown_features_text() -> str:
    """The names of the features depend on tables that were not read yet."""
    return (
        "the features are not known before the first table is read\n"
        "  Name them: features=[...], or pass schema="
    )


def unknown_length_text() -> str:
    """The number of rows is not known in advance."""
    return (
        "this loader has no length: how many rows come is known only after they were read\n"
        "  Count while looping: enumerate(loader)"
    )


def other_process_text() -> str:
    """An iterator was carried over a fork, its thread was not."""
    return (
        "this iterator belongs to the process that made it, whose thread prepares the batches\n"
        "  Call iter(loader) in this process"
    )


def numpy_device_text(device: str) -> str:
    """NumPy arrays were asked for on a GPU."""
    return f'device={device!r}: NumPy arrays are on the CPU\n  For a GPU: to="torch"'


def no_cuda_text(device: str, count: int) -> str:
    """torch sees no such GPU."""
    seen = f"{count} CUDA devices" if count else "no CUDA device"
    return f'device={device!r}: torch sees {seen}\n  Type: device="cpu", or install torch for CUDA'


def _number_advice(name: str, dtype: pa.DataType) -> str:
    value: Any = value_type(dtype)
    if pt.is_string(value) or pt.is_large_string(value) or pt.is_string_view(value):
        return f"Number its values: transform(OrdinalEncoder([{name!r}])), or drop({name!r})"
    if pt.is_temporal(value):
        return f"Derive numbers from it in a row function (hour, weekday), then drop({name!r})"
    if pt.is_nested(value):
        return f"Give its elements columns of their own in a row function, then drop({name!r})"
    if pt.is_null(value):
        return f"Every value is null: drop({name!r}), or give numbers"
    return f"Make it numbers in a row function, float(...) or int(...), or drop({name!r})"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:10])
    return short_repr(shown)[1:-1] if shown else "none"
