"""The seeded faults: a text of the sources, and what it becomes."""

from __future__ import annotations

from tests.mutants.fault import Fault
from tests.mutants.pieces import PIECES
from tests.mutants.records import RECORDS

FAULTS: tuple[Fault, ...] = (
    # ---- front end: checks
    Fault(
        "overflow check of + - * dropped",
        "batchprep/rowfn/operators.py",
        '        frame.escape(build(f"{op}_overflows", x, y), "int beyond 64 bits", node)\n',
        "",
    ),
    Fault(
        "zero division of ints unchecked",
        "batchprep/rowfn/operators.py",
        '    frame.fault(build("ieq", y, ZERO), "ZeroDivisionError", "division by zero", node)\n',
        "",
    ),
    Fault(
        "int beyond 2**53 divided as a float",
        "batchprep/rowfn/operators.py",
        "EXACT_IN_FLOAT: Final = 2**53",
        "EXACT_IN_FLOAT: Final = 2**62",
    ),
    Fault(
        "negation of the lowest int unchecked",
        "batchprep/rowfn/operators.py",
        '    frame.escape(both(guard, lowest), "int beyond 64 bits", node)\n',
        "",
    ),
    Fault(
        "None in arithmetic unchecked",
        "batchprep/rowfn/operators.py",
        '    frame.fault(wrong, "TypeError", f"{symbol} of {kinds}", node)\n\n\ndef _is_type_error',
        "\n\ndef _is_type_error",
    ),
    Fault(
        "absent key unchecked in r[name]",
        "batchprep/rowfn/dicts.py",
        '            frame.fault(missing, "KeyError", f"KeyError: {key!r}", node)\n',
        "",
    ),
    Fault(
        "complex power unchecked",
        "batchprep/rowfn/operators.py",
        '    frame.escape(both(broken, finite), "a power that is complex", node)\n',
        "",
    ),
    Fault(
        "math domain error unchecked",
        "batchprep/rowfn/numbers.py",
        '        frame.fault(domain, "ValueError", f"{name} domain error", node)\n',
        "",
    ),
    Fault(
        "path condition lost in deviations",
        "batchprep/rowfn/frame.py",
        "guard = both(path, simplify(condition, path))",
        "guard = simplify(condition, path)",
    ),
    # ---- front end: values and paths
    Fault(
        "a ternary takes its second branch always",
        "batchprep/rowfn/expressions.py",
        "lambda: evaluate(frame, node.body),",
        "lambda: evaluate(frame, node.orelse),",
    ),
    Fault(
        "early return forgets the later ones",
        "batchprep/rowfn/tracer.py",
        "for earlier in reversed(returns[:-1]):",
        "for earlier in reversed(returns[1:-1]):",
    ),
    Fault(
        "or goes on where its operand is true",
        "batchprep/rowfn/expressions.py",
        "goes_on = holds if isinstance(node.op, ast.And) else invert(holds)",
        "goes_on = holds",
    ),
    Fault(
        "chained comparison forgets its first half",
        "batchprep/rowfn/expressions.py",
        "result = both(result, compared(frame, op, left, right, node))",
        "result = compared(frame, op, left, right, node)",
    ),
    Fault(
        "max keeps the last of equals",
        "batchprep/rowfn/calls.py",
        "frame.pick(compare(frame, relation, item, best, node), item, best, node)",
        "frame.pick(compare(frame, relation, best, item, node), best, item, node)",
    ),
    Fault(
        "<= compiled as <",
        "batchprep/rowfn/truth.py",
        '    ast.LtE: "le",',
        '    ast.LtE: "lt",',
    ),
    Fault(
        "a float is true when it is positive",
        "batchprep/rowfn/truth.py",
        '"float": lambda x: build("fne", x, const(0.0)),',
        '"float": lambda x: build("fgt", x, const(0.0)),',
    ),
    Fault(
        "int and float merge into one kind",
        "batchprep/rowfn/operators.py",
        '        result.put("float", both(guard, negative), as_floats)\n',
        '        result.put("int", both(guard, negative), build("f2i", as_floats))\n',
    ),
    Fault(
        "stale globals",
        "batchprep/rowfn/dependencies.py",
        "return found is self.value or same(found, self.value)",
        "return self.name in self.namespace or True",
    ),
    Fault(
        "stale tables",
        "batchprep/rowfn/dependencies.py",
        "            return _same_items(self.table, self.snapshot) and _same_items(\n"
        "                self.table.values(), self.snapshot.values()\n"
        "            )",
        "            return True",
    ),
    Fault(
        "a written key loses its place",
        "batchprep/rowfn/dicts.py",
        "        kept[places[0]] = new\n",
        "        del kept[places[0]]\n        kept.append(new)\n",
    ),
    # ---- plan
    Fault(
        "facts: `<=` learnt as `<`",
        "batchprep/plan/facts.py",
        '_below(value, whole) if relation == "lt" else value',
        "_below(value, whole)",
    ),
    Fault(
        "facts: a sum has the range of its left operand",
        "batchprep/plan/facts.py",
        "return Range(left.low + right.low, left.high + right.high)",
        "return left",
    ),
    Fault(
        "select(not c, a, b) keeps its branches",
        "batchprep/plan/build.py",
        'return select(condition.args[0], no, yes) if condition.op == "not" else None',
        'return select(condition.args[0], yes, no) if condition.op == "not" else None',
    ),
    Fault(
        "x + 0.0 folded to x",
        "batchprep/plan/build.py",
        '    "fmul": (_neutral(1.0),),',
        '    "fadd": (_neutral(0.0),),\n    "fmul": (_neutral(1.0),),',
    ),
    # ---- ops and backends
    Fault(
        "// of floats truncates",
        "batchprep/kernels/cpu/floats.py",
        "quotient -= 1.0",
        "quotient -= 0.0",
    ),
    Fault(
        "% keeps the sign of its left operand",
        "batchprep/ops/integers.py",
        'array="np.remainder({0}, {1})"',
        'array="np.fmod({0}, {1})"',
    ),
    # ---- run
    Fault(
        "irregular values ignored",
        "batchprep/run/inputs.py",
        "            if column.irregular is not None\n",
        "            if column.irregular is not None and not name\n",
    ),
    Fault(
        "codes of strings not mapped to the pool",
        "batchprep/run/words.py",
        "place if own is None else place[own]",
        "place if own is None else own",
    ),
    Fault(
        "the record that is written into is not copied",
        "batchprep/run/assemble.py",
        "values[row], written[row] = record_copy(values[row]), True",
        "written[row] = True",
    ),
    Fault(
        "an answer is spliced in one row late",
        "batchprep/run/splice.py",
        "for upto, answer in zip(before, answers, strict=True):",
        "for upto, answer in zip((b + 1 for b in before), answers, strict=True):",
    ),
    *PIECES,
    *RECORDS,
)
