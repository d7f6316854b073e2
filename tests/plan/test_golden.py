"""The text of plans: a change of folding, sharing or checks shows here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inline_snapshot import snapshot

from batchprep.plan.finish import specialise
from batchprep.plan.printer import print_stage
from batchprep.plan.verify import verify
from tests.plan.schemas import plan_text, stage_of


def root_value(r: dict[str, Any]) -> Any:
    value = r["price"] * r["volume"]
    if value > 50_000:
        return value**0.5


def test_article() -> None:
    assert plan_text(root_value, price="none float", volume="none int") == snapshot("""\
%0:f = buffer(price float)
%1:i = buffer(volume int)
%2:f = i2f(%1)
%3:f = fmul(%0, %2)
%4:b = fgt(%3, 50000.0)
%5:k = select(%4, <float>, <none>)
%6:f = fpow(%3, 0.5)
%7:k = kind(price)
%8:b = has_kind(%7, none)
%9:k = kind(volume)
%10:b = has_kind(%9, none)
%11:b = or(%8, %10)
deviation 1: %11 -> raise TypeError: * of none or float and none or int
result: by %5 of float %6 | none\
""")


def test_article_without_nulls_has_no_deviation() -> None:
    stage = stage_of(root_value, price="none float", volume="none int")
    assert print_stage(specialise(stage, frozenset({"price", "volume"}))) == snapshot("""\
%0:f = buffer(price float)
%1:i = buffer(volume int)
%2:f = i2f(%1)
%3:f = fmul(%0, %2)
%4:b = fgt(%3, 50000.0)
%5:k = select(%4, <float>, <none>)
%6:f = fpow(%3, 0.5)
result: by %5 of float %6 | none\
""")


def test_a_field_read_twice_is_checked_once() -> None:
    assert plan_text(lambda r: r["n"] + r["n"] * r["n"], n="none float") == snapshot("""\
%0:f = buffer(n float)
%1:f = fmul(%0, %0)
%2:f = fadd(%0, %1)
%3:k = kind(n)
%4:b = has_kind(%3, none)
deviation 1: %4 -> raise TypeError: * of none or float and none or float
result: float %2\
""")


def test_path_facts_remove_the_zero_check() -> None:
    assert plan_text(lambda r: 10 / r["n"] if r["n"] > 0 else 0.0, n="float") == snapshot("""\
%0:f = buffer(n float)
%1:b = fgt(%0, 0.0)
%2:f = fdiv(10.0, %0)
%3:f = select(%1, %2, 0.0)
result: float %3\
""")


def test_narrow_columns_cannot_overflow() -> None:
    assert plan_text(lambda r: r["n"] * r["n"] + 1, n="int8") == snapshot("""\
%0:i = buffer(n int)
%1:i = imul(%0, %0)
%2:i = iadd(%1, 1)
result: int %2\
""")


def test_int_overflow_is_checked_in_wide_columns() -> None:
    assert plan_text(lambda r: r["n"] * 3, n="int") == snapshot("""\
%0:i = buffer(n int)
%1:i = imul(%0, 3)
%2:b = imul_overflows(%0, 3)
deviation 1: %2 -> escape: int beyond 64 bits
result: int %1\
""")


def test_constants_fold() -> None:
    assert plan_text(lambda r: (2 + 3 * 4, "a" if 1 > 2 else r["n"]), n="int") == snapshot(
        "result: tuple {0: int 14, 1: record['n']}"
    )


def test_or_narrows_the_kinds_of_its_left_operand() -> None:
    assert plan_text(lambda r: (r["n"] or 0) + 1, n="none float") == snapshot("""\
%0:k = kind(n)
%1:b = has_kind(%0, none)
%2:b = not(%1)
%3:f = buffer(n float)
%4:b = fne(%3, 0.0)
%5:b = and(%2, %4)
%6:k = select(%5, <float>, <int>)
%7:f = fadd(%3, 1.0)
result: by %6 of int 1 | float %7\
""")


def test_absent_is_not_none() -> None:
    assert plan_text(lambda r: (r["key"], r.get("key", 7)), key="absent none int") == snapshot("""\
%0:k = kind(key)
%1:b = has_kind(%0, absent)
%2:b = not(%1)
%3:b = has_kind(%0, none)
%4:b = and(%2, %3)
%5:k = select(%4, <none>, <int>)
%6:i = buffer(key int)
%7:i = select(%1, 7, %6)
deviation 1: %1 -> raise KeyError: KeyError: 'key'
result: tuple {0: record['key'], 1: by %5 of none | int %7}\
""")


def test_record_with_written_slots() -> None:
    def flagged(r: dict[str, Any]) -> Any:
        r["m"] = r["n"]
        if r["n"] > 3:
            r["big"] = True
        return r

    assert plan_text(flagged, n="float") == snapshot("""\
%0:f = buffer(n float)
%1:b = fgt(%0, 3.0)
result: struct {**record, 'm': record['n'], 'big'?%1: bool True}\
""")


def test_strings_are_codes_and_tables() -> None:
    table = {"NO": 1, "SE": 2}
    text = plan_text(lambda r: table[r["c"]] if r["c"] != "XX" else len(r["c"]), c="str")
    assert text == snapshot("""\
%0:s = buffer(c str)
%1:b = sne(%0, 'XX')
%2:i = word(%0, position of 2 keys as int)  once per distinct text
%3:i = gather(%2, 2 values)
%4:i = word(%0, len as int)  once per distinct text
%5:i = select(%1, %3, %4)
%6:b = ieq(%2, 0)
%7:b = and(%1, %6)
deviation 1: %7 -> raise KeyError: KeyError of a constant table
result: int %5\
""")


def test_a_byte_numbers_all_deviations(tmp_path: Path) -> None:
    lines = [f"    if r['n'] == {i}: return r['k{i}'] + 1" for i in range(300)]
    path = tmp_path / "many.py"
    path.write_text("\n".join(["def many(r):", *lines]))
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    fields = {f"k{i}": "none int" for i in range(300)}

    stage = stage_of(namespace["many"], n="int", **fields)

    assert len(stage.deviations) <= 254
    assert verify(stage) is stage
