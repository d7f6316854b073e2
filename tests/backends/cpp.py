"""Stages rendered to C++ with the op table's C spellings, compiled by g++, called by ctypes."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

import batchprep.kernels
from batchprep.backends.constants import asked_kind, constant, is_string
from batchprep.backends.kernel import NUMPY_DTYPE
from batchprep.ops import OPS, Gap
from batchprep.plan.node import in_order
from batchprep.plan.segments import LEAVES, TABLES

HEADERS = Path(batchprep.kernels.__file__).parent / "cuda"
NAMES = ("integers", "floats", "calendar", "tables")
INCLUDES = "".join(f'#include "{name}.cuh"\n' for name in NAMES)
ELEMENT = {
    "b": "bool",
    "i": "int64_t",
    "f": "double",
    "s": "int32_t",
    "k": "int8_t",
    "r": "int32_t",
}
EXACT_IN_C = tuple(op.name for op in OPS.values() if not isinstance(op.c, Gap) and op.exact_on("c"))


def value_type(dtype):
    return {"b": "bool", "f": "double"}.get(dtype, "int64_t")


class CppStage:
    """A stage's function `void NAME(n, pointers)`: every argument is behind a pointer."""

    def __init__(self, name, stage):
        self.name = name
        self.stage = stage
        guards = [deviation.guard for deviation in stage.deviations]
        self.order = in_order((*stage.outputs, *guards))
        self.scalars = [node for node in self.order if node.op in {"const", "ref"}]
        self.pointers = []  # ("input" | "table" | "scalar" | "output" | "deviation", node)

    def source(self):
        lines = []
        names = {}
        for node in self.order:
            names[node] = f"v{len(names)}"
            lines.append(
                f"const {value_type(node.dtype)} {names[node]} = {self.text(node, names)};"
            )
        lines += [
            f"{self.pointer('output', node, ELEMENT[node.dtype])}[i] = {names[node]};"
            for node in self.stage.outputs
        ]
        byte = "0"
        for place in range(len(self.stage.deviations), 0, -1):
            byte = f"{names[self.stage.deviations[place - 1].guard]} ? {place} : ({byte})"
        lines.append(f"{self.pointer('deviation', None, 'uint8_t')}[i] = {byte};")
        body = "\n    ".join(lines)
        return (
            f'extern "C" void {self.name}(int64_t n, void** p) {{\n'
            f"  for (int64_t i = 0; i < n; ++i) {{\n    {body}\n  }}\n}}\n"
        )

    def pointer(self, role, node, element):
        self.pointers.append((role, node))
        return f"(({element}*)p[{len(self.pointers) - 1}])"

    def text(self, node, names):
        if node in self.scalars:
            return f"*{self.pointer('scalar', node, value_type(node.dtype))}"
        if node.op in LEAVES:
            return f"{self.pointer('input', node, ELEMENT[node.dtype])}[i]"
        return self.call(node).format(*(names[arg] for arg in node.args))

    def call(self, node):
        if node.op == "has_kind":
            return f"({{0}} == {asked_kind(node)})"
        if node.op in TABLES:
            dtype = node.attr.dtype
            table = self.pointer("table", node, ELEMENT[dtype])
            if node.op == "find":
                return f"bp_find_{dtype}64({table}, {len(node.attr.keys)}, {{0}})"
            return f"{table}[{{0}}]"
        return OPS[node.op].c

    def __call__(self, library, inputs, rows):
        """Outputs in order, and the deviation bytes."""
        outputs = {node: np.full(rows, 77, NUMPY_DTYPE[node.dtype]) for node in self.stage.outputs}
        deviation = np.full(rows, 99, np.uint8)
        arrays = [self.array(*p, inputs, outputs, deviation) for p in self.pointers]
        addresses = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        getattr(library, self.name)(ctypes.c_int64(rows), addresses)
        return [*outputs.values(), deviation]

    def array(self, role, node, inputs, outputs, deviation):
        if role == "deviation":
            return deviation
        if role == "output":
            return outputs[node]
        if role == "scalar":
            value = inputs[node] if is_string(node) else constant(node, self.stage)
            width = {"b": np.bool_, "f": np.float64}.get(node.dtype, np.int64)
            return np.array([value], width)
        return np.ascontiguousarray(inputs[node])


def compiled(stages, folder):
    """The shared library of one unit."""
    source = folder / "unit.cpp"
    library = folder / "unit.so"
    source.write_text(INCLUDES + "\n".join(stage.source() for stage in stages))
    flags = ["-O2", "-ffp-contract=off", "-shared", "-fPIC", "-std=c++17", f"-I{HEADERS}"]
    subprocess.run(["g++", *flags, "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))
