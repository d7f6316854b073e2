"""Seeded faults in what runs pieces of a row function in Python, and in loops."""

from __future__ import annotations

from tests.mutants.fault import Fault

VALUES = "tests/rowfn/test_pieces_values.py tests/rowfn/test_pieces_aliases.py"
SHARING = "tests/rowfn/test_pieces_sharing.py tests/rowfn/test_pieces_distinct.py"
EFFECTS = "tests/rowfn/test_pieces_effects.py tests/rowfn/test_pieces_user_code.py"
ROWS = "tests/rowfn/test_pieces_rows.py"
LOOPS = (
    "tests/loops/test_states.py tests/loops/test_table.py tests/loops/test_edges.py"
    " tests/loops/test_loop.py::test_the_state_goes_on_from_batch_to_batch"
)
REACHED = f"{ROWS}::test_a_piece_runs_for_the_rows_that_get_to_it_alone"

PIECES: tuple[Fault, ...] = (
    # ---- which rows, and how often
    Fault(
        "piece run for rows that do not get there",
        "batchprep/rowfn/outlined.py",
        "    path = frame.state.path\n    if not outline.endless:",
        "    path = TRUE\n    if not outline.endless:",
        REACHED,
    ),
    Fault(
        "equal calls are one object",
        "batchprep/rowfn/lazy.py",
        "known = (known, frame.tracer.count((known, nodes)) if makes else 0)",
        "known = (known, 0)",
        SHARING,
    ),
    Fault(
        "list of constants is one for all rows",
        "batchprep/rowfn/lazy.py",
        "if not isinstance(found, Static) or not may_change(found.value):",
        "if True:",
        f"{SHARING} {VALUES}",
    ),
    Fault(
        "dict that was given away is written",
        "batchprep/rowfn/lazy.py",
        "cell.sealed = cell.given = cell is not frame.tracer.record",
        "cell.sealed = cell.given = False",
        VALUES,
    ),
    Fault(
        "return inside of a piece is not seen",
        "batchprep/rowfn/returning.py",
        "return ast.Return(ast.Tuple([ast.Constant(1), value], ast.Load()))",
        "return ast.Return(ast.Tuple([ast.Constant(0), value], ast.Load()))",
        VALUES,
    ),
    Fault(
        "handler of a try that returns is left out",
        "batchprep/rowfn/returning.py",
        "whole and all(always_leaves(handler.body) for handler in handlers)",
        "whole",
        VALUES,
    ),
    # ---- what may be read and changed
    Fault(
        "`is` of two computed objects",
        "batchprep/rowfn/outline.py",
        'self._refuse(node, "`is` of two objects")',
        "pass",
        VALUES,
    ),
    Fault(
        "iterator kept as a value",
        "batchprep/rowfn/outline.py",
        'self._refuse(node, "an iterator is no value of a row")',
        "pass",
        VALUES,
    ),
    Fault(
        "bare except sees the refusal",
        "batchprep/rowfn/outline.py",
        "            node.handlers.insert(0, ast.ExceptHandler(refused, None, [ast.Raise()]))\n",
        "            pass\n",
        VALUES,
    ),
    Fault(
        "list of the record is changed by a piece",
        "batchprep/rowfn/outline.py",
        'self._refuse(change.node, f"a change of {name}, which somebody else may hold")',
        "pass",
        f"{EFFECTS} {VALUES}",
    ),
    Fault(
        "field read ahead of the piece that writes it",
        "batchprep/rowfn/parameters.py",
        'if frame.tracer.schema.form != "mapping" or self._is_changed(name):',
        'if frame.tracer.schema.form != "mapping":',
        VALUES,
    ),
    Fault(
        "list of a module is copied",
        "batchprep/rowfn/parameters.py",
        "            self.outside |= may_change(held)\n",
        "",
        SHARING,
    ),
    Fault(
        "what += puts into a list counts as the list's own",
        "batchprep/rowfn/ownership.py",
        "        found.stored[node.target.id] += _contents(node.value)\n",
        "",
        EFFECTS,
    ),
    Fault(
        "what a slice puts into a list counts as the list's own",
        "batchprep/rowfn/ownership.py",
        "_contents(value) if is_slice else [value]",
        "[value]",
        EFFECTS,
    ),
    Fault(
        "object with two names is changed under one",
        "batchprep/rowfn/owners.py",
        "return 0 if is_shared(frame, names, name) else depth",
        "return depth",
        f"{VALUES} {SHARING}",
    ),
    Fault(
        "copy of a list that was given away is changed",
        "batchprep/rowfn/owners.py",
        "any(cell.sealed for cell in cells | slots.origins)",
        "False",
        VALUES,
    ),
    Fault(
        "one new dict at two places is made twice",
        "batchprep/rowfn/places.py",
        "    if len(set(cells)) != len(cells):\n        return True\n",
        "",
        SHARING,
    ),
    Fault(
        "one new object inside of another is made twice",
        "batchprep/rowfn/places.py",
        "return bool(made_inside.intersection(objects)) or any(",
        "return any(",
        SHARING,
    ),
    Fault(
        "methodcaller of any name is pure",
        "batchprep/rowfn/purity.py",
        "return names[0] in READING",
        "return True",
        EFFECTS,
    ),
    Fault(
        "any function of a listed module is pure",
        "batchprep/rowfn/purity.py",
        "    return names is None or name in names\n",
        "    return True\n",
        EFFECTS,
    ),
    Fault(
        "helper may change what it is given",
        "batchprep/rowfn/pure_functions.py",
        "        outline.check_changes()\n",
        "",
        EFFECTS,
    ),
    Fault(
        "object of the user's is given to a piece",
        "batchprep/rowfn/operands.py",
        'return Operand("object", (node,), lambda raw: plain_object(raw[0]), plain_object,'
        " checked=True)",
        'return Operand("object", (node,), lambda raw: raw[0], AS_IT_IS)',
        EFFECTS,
    ),
    # ---- running
    Fault(
        "equal arguments are two objects",
        "batchprep/plan/composed.py",
        "self._first = [read.index(one) for one in read]",
        "self._first = list(range(len(read)))",
        "tests/plan/test_composed.py",
    ),
    Fault(
        "list of constants is one object of a column",
        "batchprep/plan/composed.py",
        "return [decode(()) for _ in columns[0]]",
        "return [decode(())] * len(columns[0])",
        "tests/plan/test_composed.py",
    ),
    Fault(
        "remembered list is shared by rows",
        "batchprep/plan/memo.py",
        "copy.deepcopy(found.value)",
        "found.value",
        "tests/plan/test_memo.py",
    ),
    Fault(
        "answers are remembered without end",
        "batchprep/plan/memo.py",
        "            self._known.clear()\n",
        "            pass\n",
        "tests/plan/test_memo.py",
    ),
    Fault(
        "what a list holds is not looked at",
        "batchprep/plan/plain.py",
        "    if type_ in {list, tuple, set, frozenset, deque}:\n        return _all_plain(value)\n",
        "    if type_ in {list, tuple, set, frozenset, deque}:\n        return True\n",
        "tests/plan/test_plain.py",
    ),
    Fault(
        "refusal is an exception of the user's",
        "batchprep/plan/tables.py",
        "class Refused(BaseException):",
        "class Refused(Exception):",
        "tests/plan/test_plain.py",
    ),
    Fault(
        "escape dropped beside one on another path",
        "batchprep/plan/finish.py",
        "yield from (both(path, covered) for covered in outcome.pure.covers)",
        "yield from outcome.pure.covers",
        VALUES,
    ),
    Fault(
        "slower way keeps the rows",
        "batchprep/run/ways.py",
        'best: Way = "compiled" if holds else "interpreter"',
        'best: Way = "compiled"',
        "tests/run/test_ways.py",
    ),
    Fault(
        "warm-up is a trial",
        "batchprep/run/ways.py",
        "            self._warm = True\n        elif self._settled:",
        "            self._warm = True\n        if self._settled:",
        "tests/run/test_ways.py",
    ),
    Fault(
        "trial of a loop writes into the loop's own state",
        "batchprep/api/loop_ways.py",
        "fresh[name] = copy.copy(value)",
        "fresh[name] = value",
        "tests/loops/test_ways.py",
    ),
    Fault(
        "row that fails later hides a value without a place in its column",
        "batchprep/run/fallback.py",
        "        _fitted(running.answered, records, rows, fit, running)",
        "        pass",
        "tests/run/test_ways.py",
    ),
    Fault(
        "result of a distinct row is shared by its rows",
        "batchprep/run/objects.py",
        "return [copy.copy(values[place]) for place in wanted]",
        "return [values[place] for place in wanted]",
        "tests/run/test_objects.py",
    ),
    Fault(
        "pool gives objects of the user's to functions",
        "batchprep/run/objects.py",
        "            self._foreign.update(int(numbers[row]) for row in rows)\n",
        "            pass\n",
        "tests/run/test_objects.py",
    ),
    Fault(
        "exception inside of a piece is swallowed",
        "batchprep/run/outcomes.py",
        "            raised.append(len(values))\n",
        "",
        VALUES,
    ),
    Fault(
        "objects of distinct rows go to all rows as they are",
        "batchprep/run/outcomes.py",
        'if outcome.dtype == "o" and places is not None and outcome.pure.fresh:',
        "if False:",
        SHARING,
    ),
    Fault(
        "pieces run under the kernel's own errstate",
        "batchprep/run/outcomes.py",
        "with np.errstate(**self._errors):  # the kernel around it has its own",
        'with np.errstate(all="ignore"):',
        EFFECTS,
    ),
    # ---- loops
    Fault(
        "equal last of a minimum is not taken",
        "batchprep/loops/updates.py",
        '    array = array[::-1] if "=" in beats else array\n',
        "",
        LOOPS,
    ),
    Fault(
        "grouped sum starts from nothing",
        "batchprep/loops/groups.py",
        "state[words[place]] = before[place] + sign * int(totals[place])",
        "state[words[place]] = sign * int(totals[place])",
        LOOPS,
    ),
    Fault(
        "last of several steps is the earliest",
        "batchprep/loops/updates.py",
        "        _, number = max(ends)\n",
        "        _, number = min(ends)\n",
        LOOPS,
    ),
    Fault(
        "sum of several steps step by step",
        "batchprep/loops/updates.py",
        "values = np.concatenate(signed)[merged_order(pieces, counts)]",
        "values = np.concatenate(signed)",
        LOOPS,
    ),
    Fault(
        "grouped sum of bools is a bool",
        "batchprep/loops/groups.py",
        '    return found.kind == "bool"\n',
        "    return False\n",
        LOOPS,
    ),
    Fault(
        "NaN that a step computes twice is one key",
        "batchprep/loops/slots.py",
        "                raise GoOn(messages.NAN_TWICE)\n",
        "                continue\n",
        "tests/loops/test_not_a_number.py",
    ),
)
