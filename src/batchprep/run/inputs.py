"""What a kernel reads: a stage's leaves and tables as arrays of one batch."""

from __future__ import annotations

import dataclasses
import weakref
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from batchprep.backends.kernel import NUMPY_DTYPE, Array
from batchprep.batch.arrow_columns import kinds_of_array
from batchprep.batch.batch import Batch
from batchprep.batch.column import Column
from batchprep.batch.record_rows import RecordRows
from batchprep.dtypes import KIND_CODE, Kind
from batchprep.plan.finish import specialise
from batchprep.plan.node import FALSE, Node, in_order
from batchprep.plan.stage import Output, Stage
from batchprep.plan.tables import KeyTable, Outcome, Pure, ValueTable
from batchprep.run.batch_rows import batch_rows
from batchprep.run.byte_texts import are_loaded
from batchprep.run.kernels import Kernels
from batchprep.run.outcomes import Caller, word_array
from batchprep.run.result_types import depends_on_batch, output_type
from batchprep.run.text_chunks import TextColumns, Worked, is_readable
from batchprep.run.text_rows import TextRows, text_rows
from batchprep.run.words import FixedWords, Pool
from batchprep.schema import Field

if TYPE_CHECKING:
    import pyarrow as pa

    from batchprep.rowfn.trace import Trace

Mask = npt.NDArray[np.bool_]
Callers = dict[tuple[Pure, tuple[Node, ...]], Caller]
TEXTS: Final[frozenset[Kind]] = frozenset({"str", "none"})
# Of its rows, above which a batch of texts read by row would have been the faster by code.
MOST_BY_PYTHON: Final = 0.3
NO_COLUMNS: Final[Mapping[str, Any]] = {}
NO_TEXTS: Final = Worked({}, {}, Counter())
PLAIN_DICTS: Final = frozenset({dict, OrderedDict, defaultdict})


class Inputs(NamedTuple):
    """The arrays of one batch: `rows` has one value a row, `whole` does not depend on the rows."""

    rows: dict[Node, Array]
    whole: dict[Node, Any]
    layout: dict[Node, np.dtype[Any]]
    pool: Pool
    irregular: list[tuple[str, Mask]]  # reason and rows
    texts: Mapping[Node, pa.Array[Any]]  # whole results
    by_python: Mapping[str, int]  # texts that the kernels over bytes left to Python, by function


class Plan:
    """A stage for batches of one kind, with all that stays the same from batch to batch."""

    def __init__(
        self, stage: Stage, reads: Mapping[str, Field], by_row: TextRows | None = None
    ) -> None:
        self.stage = stage
        self.reads = dict(reads)
        self.by_row = by_row
        self.pays = True  # by row, as far as its batches have shown
        self.kernels = Kernels(stage)
        self._copies_records = _copies_records(stage.template)
        self.fixed = FixedWords(_stage_strings(stage))
        columnar = [leaf for leaf in stage.inputs if leaf.op in {"kind", "buffer"}]
        self._leaves = [(leaf, *_leaf_name(leaf)) for leaf in columnar]
        self._objects = [leaf for leaf in stage.inputs if leaf.op == "object"]
        self._regular = [leaf for leaf in stage.inputs if leaf.op == "regular"]
        self._inputs = frozenset(stage.inputs)
        self._spelled = [name for _, name, kind in self._leaves if kind == "str"]
        self._words = [node for node in stage.tables if node.op == "word"]
        self._calls = [node for node in stage.tables if node.op == "call"]
        self._shown = _only_shown(stage)
        self._grown = _beyond_columns(stage)
        self._constant = self._constant_inputs()

    def _constant_inputs(self) -> dict[Node, Any]:
        constant: dict[Node, Any] = {
            node: self.fixed.code(cast("str", node.attr)) for node in self.stage.strings
        }
        for node in self.stage.tables:
            if node.op in {"find", "gather"}:
                constant[node] = self._table_array(node)
        return constant

    def _table_array(self, node: Node) -> Array:
        table = cast("KeyTable | ValueTable", node.attr)
        if table.dtype != "s":
            return _constant_array(table)
        codes = map(self.fixed.code, cast("ValueTable", table).values)
        return np.fromiter(codes, np.int32)

    def bind(self, batch: Batch, threads: int = 1) -> Inputs:
        """The stage's inputs of a batch.

        Errors:  TooLong where texts that are read by row take 2 GiB or more
        """
        columns, length = self._columns(batch, threads), len(batch)
        pool = Pool(self.fixed, self._words_of(columns) if self._spelled else NO_COLUMNS)
        rows = self._arrays(columns, pool, length)
        irregular = [
            (f"irregular value in {name}", column.irregular)
            for name, column in columns.items()
            if column.irregular is not None
        ]
        if self._copies_records:
            irregular += self._strange_records(batch)
        worked = NO_TEXTS
        if self.by_row is not None:
            worked = self._worked(self.by_row, batch, threads)
            rows |= worked.values
            for leaf, text in worked.texts.items():
                if leaf in self._inputs:
                    rows[leaf] = pool.codes_for_show(text)
        for leaf in self._objects:
            rows[leaf] = pool.held.field(batch, cast("str | None", leaf.attr))
        for leaf in self._regular:
            rows[leaf] = _regular_rows(irregular, length)
        whole = self._constant.copy()
        if self._words or self._calls:
            self._add_tables(whole, pool)
        layout = {leaf: array.dtype for leaf, array in rows.items()}
        return Inputs(rows, whole, layout, pool, irregular, worked.texts, worked.by_python)

    def _arrays(self, columns: Mapping[str, Column], pool: Pool, length: int) -> dict[Node, Array]:
        arrays: dict[Node, Array] = {}
        for leaf, name, kind in self._leaves:
            column = columns[name]
            if kind is None:
                arrays[leaf] = _kind_codes(column, length)
            elif kind == "str" and name in pool.maps:
                arrays[leaf] = pool.maps[name].take(column.buffers[kind])
            else:
                arrays[leaf] = column.buffers[kind]
        return arrays

    def _add_tables(self, whole: dict[Node, Any], pool: Pool) -> None:
        """What functions give for each word, and what calls them."""
        for node in self._words:
            count = len(pool) if node.args[0] in self._grown else pool.base
            shown = node in self._shown
            whole[node] = word_array(cast("Outcome", node.attr), pool, count, shown=shown)
        callers: Callers = {}
        for node in self._calls:
            outcome = cast("Outcome", node.attr)
            caller = _caller(outcome.pure, node.args, pool, callers)
            whole[node] = caller.part(outcome, shown=node in self._shown)

    def _words_of(self, columns: Mapping[str, Column]) -> dict[str, Any]:
        return {name: columns[name].words for name in self._spelled}

    def _columns(self, batch: Batch, threads: int) -> dict[str, Column]:
        """The columns that are read; of texts that are read by row, only where they are None."""
        if self.by_row is None:
            return batch.columns(self.reads, threads)
        fields = self.by_row.fields
        others = {name: field for name, field in self.reads.items() if name not in fields}
        columns = batch.columns(others, threads)
        for name in fields:
            array = cast("pa.Array[Any]", batch.arrow(name))
            columns[name] = kinds_of_array(array, self.reads[name])
        return columns

    def _worked(self, by_row: TextRows, batch: Batch, threads: int) -> Worked:
        arrays = {name: batch.arrow(name) for name in by_row.fields}
        worked = TextColumns(by_row, self.fixed, arrays).work(len(batch), threads)
        self.pays = worked.by_python.total() <= MOST_BY_PYTHON * len(batch)
        return worked

    def _strange_records(self, batch: Batch) -> list[tuple[str, Mask]]:
        """Records that only the interpreter may copy: a class of their own may do anything."""
        if not isinstance(batch.rows, RecordRows):
            return []
        types = list(map(type, batch.records()))
        if PLAIN_DICTS.issuperset(types):
            return []
        strange = (type_ not in PLAIN_DICTS for type_ in types)
        return [("record of another type than dict", np.fromiter(strange, np.bool_, len(types)))]


def _caller(pure: Pure, args: tuple[Node, ...], pool: Pool, callers: Callers) -> Caller:
    """The caller of a function over these arguments, which knows that of its base."""
    found = callers.get((pure, args))
    if found is None:
        base = None if pure.base is None else _caller(pure.base, args, pool, callers)
        found = callers[pure, args] = Caller(pure, [arg.dtype for arg in args], pool, base)
    return found


def _regular_rows(irregular: Iterable[tuple[str, Mask]], length: int) -> Mask:
    regular = np.ones(length, np.bool_)
    for _, rows in irregular:
        regular &= ~rows
    return regular


def _only_shown(stage: Stage) -> frozenset[Node]:
    """Strings that become results or arguments of functions, perhaps through selects.

    Two codes may stand for one of them: nothing compares its codes.
    """
    guards = [deviation.guard for deviation in stage.deviations]
    nodes = in_order((*stage.outputs, *guards))
    read = set(guards)
    for node in reversed(nodes):  # users come after what they use
        if node.op in {"word", "call"}:
            continue
        handed_on = node.op == "select" and node.dtype == "s" and node not in read
        read.update(node.args[:1] if handed_on else node.args)
    return frozenset(node for node in nodes if node.dtype == "s" and node not in read)


def _beyond_columns(stage: Stage) -> frozenset[Node]:
    """Strings that may be none of the columns' and none of the stage's own."""
    found: set[Node] = set()
    for node in in_order((*stage.outputs, *(deviation.guard for deviation in stage.deviations))):
        if node.dtype == "s" and (node.op in {"word", "call"} or not found.isdisjoint(node.args)):
            found.add(node)
    return frozenset(found)


class Plans:
    """The plans of one trace: one for each set of fields that have no null in a batch."""

    def __init__(self, stage: Stage, reads: Mapping[str, Field]) -> None:
        self._stage = stage
        self._type = None if depends_on_batch(stage.template) else output_type(stage.template, None)
        self._reads = reads
        self.batch_rows = batch_rows(stage)
        self._texts = [name for name, field in reads.items() if field.kinds <= TEXTS]
        self._nullable = [name for name, field in reads.items() if "none" in field.kinds]
        self.has_kernels = bool(stage.outputs or stage.deviations)
        self._plans: dict[frozenset[str], Plan] = {}
        self._by_row: dict[tuple[frozenset[str], frozenset[str]], Plan] = {}

    def result_type(self, batch: Batch) -> pa.DataType:
        """Type of the column of results, the same for every batch of the batch's schema."""
        return output_type(self._stage.template, batch) if self._type is None else self._type

    def interpreted(self, rows: int) -> None:
        """Count rows that the interpreter has answered, for which faster kernels may pay."""
        for plan in [*self._plans.values()]:
            plan.kernels.interpreted(rows)

    def has_risen(self) -> bool:
        """Whether `auto` has a kernel of numba's for any of the plans, or there is none to have."""
        return not self.has_kernels or any(plan.kernels.has_risen() for plan in self._every())

    def await_kernels(self, rows: int) -> None:
        """Have compiled what pays for batches of so many rows."""
        for plan in self._every():
            plan.kernels.await_kernels(rows)

    def _every(self) -> list[Plan]:
        return [*self._plans.values(), *self._by_row.values()]

    def plan(self, batch: Batch, *, by_row: bool = False) -> Plan:
        """The plan that fits a batch.

        `by_row` allows that texts are worked out over their bytes, where the kernels are there.
        """
        plan = self._by_code(batch)
        texts = self._readable(batch) if by_row and self._texts else None
        if not texts:
            return plan
        found = self._read_by_row(batch, plan, texts)
        rows = found.by_row
        if rows is None or not found.pays or not are_loaded(rows.kernels, len(batch)):
            return plan
        return found

    def _readable(self, batch: Batch) -> frozenset[str]:
        return frozenset(name for name in self._texts if is_readable(batch, name))

    def _read_by_row(self, batch: Batch, plan: Plan, texts: frozenset[str]) -> Plan:
        key = frozenset(filter(batch.rows.null_free, self._nullable)), texts
        found = self._by_row.get(key)
        if found is None:
            rows = text_rows(plan.stage, texts)
            stage = plan.stage if rows is None else rows.stage
            found = self._by_row.setdefault(key, Plan(stage, plan.reads, rows))
        return found

    def _by_code(self, batch: Batch) -> Plan:
        null_free = frozenset(filter(batch.rows.null_free, self._nullable))
        found = self._plans.get(null_free)
        if found is None:
            reads = {n: _narrowed(f) if n in null_free else f for n, f in self._reads.items()}
            found = Plan(specialise(self._stage, null_free), reads)
            found = self._plans.setdefault(null_free, found)
        return found


_plans: Final[dict[int, tuple[weakref.ref[Trace], Plans]]] = {}


def plans_of(trace: Trace) -> Plans:
    """The plans of a trace, kept as long as the trace lives."""
    key = id(trace)
    found = _plans.get(key)
    if found is not None and found[0]() is trace:
        return found[1]
    plans = Plans(trace.stage, trace.reads)
    _plans[key] = (weakref.ref(trace, lambda _: _plans.pop(key, None)), plans)
    return plans


def _narrowed(field: Field) -> Field:
    return dataclasses.replace(field, kinds=field.kinds - {"none"})


def _leaf_name(leaf: Node) -> tuple[str, Kind | None]:
    """Field of a leaf, and the kind of its buffer (None: the leaf is the kind codes)."""
    if leaf.op == "kind":
        return str(leaf.attr), None
    name, kind, *_bounds = cast("tuple[str, Kind, Any]", leaf.attr)
    return name, kind


def _kind_codes(column: Column, length: int) -> Array:
    if column.kind is not None:
        codes: Any = column.kind  # slices of it are arrays, and all that is read
        return codes
    (only,) = column.field.kinds
    return np.full(length, KIND_CODE[only], np.int8)


# A table of a million entries is turned into an array once, not once for each batch.
_arrays: Final[weakref.WeakKeyDictionary[KeyTable | ValueTable, Array]] = (
    weakref.WeakKeyDictionary()
)


def _constant_array(table: KeyTable | ValueTable) -> Array:
    found = _arrays.get(table)
    if found is None:
        values = table.keys if isinstance(table, KeyTable) else table.values
        found = _arrays[table] = np.array(values, NUMPY_DTYPE[table.dtype])
    return found


def _copies_records(output: Output) -> bool:
    """Whether results are made from copies of the caller's records."""
    return any(
        (parts.base is not FALSE and bool(parts.parts or parts.fresh is not FALSE))
        or any(_copies_records(part.output) for part in parts.parts)
        for _, parts in output.parts
    )


def _stage_strings(stage: Stage) -> list[str]:
    """Every string that the stage itself may give or compare with."""
    strings = [cast("str", node.attr) for node in stage.strings]
    for node in stage.tables:
        if isinstance(node.attr, ValueTable) and node.attr.dtype == "s":
            strings.extend(node.attr.values)
    return strings
