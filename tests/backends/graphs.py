"""Seeded random stages over the whole op table, and rows for them."""

import numpy as np

from batchprep.dtypes import KINDS
from batchprep.ops import OPS
from batchprep.plan.node import const, intern, kind_const
from batchprep.plan.tables import KeyTable, Outcome, Pure, ValueTable
from tests.ops.rows import EDGES, random_rows
from tests.ops.stages import apply, column, stage_of

COLUMNS = {dtype: [column(f"{dtype}{place}", dtype) for place in range(2)] for dtype in "bifs"}
KIND = intern("kind", (), "mixed", "k")
POOL = 3  # words in the pool of every random batch
FINDABLE = KeyTable((-7, 0, 3, 100), "i")
FINDABLE_FLOAT = KeyTable((-2.5, 0.0, 1.5, 1e300), "f")
GATHERED = {
    "i": ValueTable((0, 5, -7, 2**62, 9), "i"),
    "f": ValueTable((0.0, -0.0, 1.5, float("nan"), 1e308), "f"),
    "b": ValueTable((False, True, False, True, True), "b"),
    "s": ValueTable((0, 2, 1, 0, 2), "s"),
}
WORD = Outcome(Pure("length", len, "length"), "int", "i")


def random_stage(seed, *, size, allowed=tuple(OPS)):
    """A stage of about `size` ops, some of them guards."""
    rng = np.random.default_rng(seed)
    made = {dtype: [*nodes, *_constants(dtype, rng)] for dtype, nodes in COLUMNS.items()}
    made |= {"k": [KIND, kind_const("int")], "r": [intern("ref", (), "a", "r")]}
    made["b"].append(intern("has_kind", (KIND,), "float", "b"))
    for node in _lookups(rng):
        made[node.dtype].append(node)
    fresh = []
    for _ in range(size):
        node = _random_node(OPS[str(rng.choice(allowed))], made, rng)
        made[node.dtype].append(node)
        fresh.append(node)
    bools = [node for node in fresh if node.dtype == "b"]
    guards = list(dict.fromkeys(bools[-6:]))
    outputs = [node for node in dict.fromkeys(fresh[-8:]) if node.op != "const"]
    return stage_of([*outputs, KIND, COLUMNS["f"][0]], guards, refs=("z", "a"))


def _random_node(op, made, rng):
    free = str(rng.choice(list("bifskr")))
    params = op.params.replace("?", free)
    return apply(op.name, *(_recent(made[dtype], rng) for dtype in params))


def _recent(nodes, rng):
    # Mostly what came last, so that graphs are deep.
    back = min(int(rng.geometric(0.25)), len(nodes))
    return nodes[-back]


def _constants(dtype, rng):
    if dtype == "s":
        return [const("left"), const("right")]
    values = rng.choice(EDGES[dtype], 3)
    return [const(value.item()) for value in values]


def _lookups(rng):
    found = intern("find", (COLUMNS["i"][0],), FINDABLE, "i")
    found_float = intern("find", (COLUMNS["f"][0],), FINDABLE_FLOAT, "i")
    dtype = str(rng.choice(list("ifbs")))
    return [
        found_float,
        intern("gather", (found,), GATHERED[dtype], dtype),
        intern("word", (COLUMNS["s"][0],), WORD, "i"),
    ]


def random_inputs(stage, rows, seed):
    """Arrays and codes for the stage: edges and random values."""
    rng = np.random.default_rng(seed)
    inputs = {}
    for node in stage.inputs:
        inputs[node] = _column_rows(node, rows, rng)
    for code, node in enumerate(stage.strings):
        inputs[node] = code % POOL
    for node in stage.tables:
        inputs[node] = _table_array(node)
    return inputs


def _column_rows(node, rows, rng):
    if node.dtype == "k":
        return rng.integers(0, len(KINDS), rows).astype(np.int8)
    return random_rows(node.dtype, rows, rng).astype(EDGES[node.dtype].dtype)


def _table_array(node):
    if node.op == "word":
        return np.array([4, 0, -9][:POOL], np.int64)
    values = node.attr.keys if node.op == "find" else node.attr.values
    return np.array(values, {"s": np.int32}.get(node.attr.dtype))
