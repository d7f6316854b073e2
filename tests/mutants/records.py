"""Faults in the machine code that reads dicts."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_OBJECTS: Final = "batchprep/kernels/cpu/objects.py"
_PLAIN: Final = "batchprep/kernels/cpu/plain_records.py"
_BLOCKS: Final = "batchprep/kernels/cpu/plain_blocks.py"
_COLUMNS: Final = "tests/batch/test_record_columns.py tests/batch/test_record_keys.py"

RECORDS: tuple[Fault, ...] = (
    Fault(
        "third digit of an int dropped",
        _OBJECTS,
        "    if _count_of_digits(value, layout) == FEW_DIGITS:\n",
        "    if _count_of_digits(value, layout) > FEW_DIGITS:\n",
        _COLUMNS,
    ),
    Fault(
        "int of several digits read without its sign",
        _OBJECTS,
        "    return -number if is_negative else number\n",
        "    return number\n",
        _COLUMNS,
    ),
    Fault(
        "fold of a datetime not looked at",
        _OBJECTS,
        " and load_int8(moment + FOLD) == 0\n",
        "\n",
        _COLUMNS,
    ),
    Fault(
        "value of another key taken at its place",
        _BLOCKS,
        "    return key != 0 and (key == known_key or objects.is_equal(key, name))\n",
        "    return key != 0\n",
        _COLUMNS,
    ),
    Fault(
        "value of another key taken where dicts look alike",
        _BLOCKS,
        "        if load_int64(entry) != known_key:\n",
        "        if load_int64(entry) == 0:\n",
        _COLUMNS,
    ),
    Fault(
        "ints of two digits read as if of one",
        _BLOCKS,
        " or not objects.is_short(value, layout):\n",
        ":\n",
        _COLUMNS,
    ),
    Fault(
        "short strings told apart by their first and last bytes alone",
        "batchprep/kernels/cpu/known_texts.py",
        "        and load_int64(slot + _LENGTH) == length + 1\n",
        "",
        "tests/batch/test_known_texts.py",
    ),
    Fault(
        "kinds that helpers saw are lost",
        _PLAIN,
        "    for worker in range(helpers + 1):\n",
        "    for worker in range(1):\n",
        _COLUMNS,
    ),
    Fault(
        "block that only the API can read is not left to it",
        _PLAIN,
        "            store(cell(work, LEFT) + block, np.int8(1))\n",
        "            store(cell(work, LEFT) + block, np.int8(0))\n",
        _COLUMNS,
    ),
    Fault(
        "records behind a key's own code stay as they were read",
        "batchprep/kernels/cpu/records.py",
        "        if left != 0 and outcome == READ and _may_have_run(scratch + 8, stop - start):\n",
        "        if left < 0 and outcome == READ and _may_have_run(scratch + 8, stop - start):\n",
        _COLUMNS,
    ),
)
