"""What a row function reads besides its record, and what it does to records and dicts."""

from __future__ import annotations

import functools
import linecache
from typing import Any

import pytest

import batchprep as bp
from tests.rowfn.constructs import half, text


def test_closures_are_read_again_at_each_call(backend: str) -> None:
    limit = 1

    def above(r: dict[str, Any]) -> Any:
        return r["x"] > limit

    run = bp.vectorize(above, backend=backend, on_unsupported="raise")
    assert run([{"x": 2}]) == [True]
    limit = 5
    assert run([{"x": 2}]) == [False]


def test_tables_are_read_again_at_each_call(backend: str) -> None:
    table = {"a": 1}
    run = bp.vectorize(lambda r: table.get(r["k"]), backend=backend, on_unsupported="raise")
    assert run([{"k": "a"}, {"k": "b"}]) == [1, None]
    table["b"] = True
    table["a"] = 1.0
    assert text(run([{"k": "a"}, {"k": "b"}])) == "[1.0, True]"


def test_further_arguments_are_constants_of_the_call(backend: str) -> None:
    def scaled(r: dict[str, Any], factor: float, *, offset: float = 0) -> Any:
        return r["x"] * factor + offset

    run = bp.vectorize(scaled, backend=backend, on_unsupported="raise")
    assert run([{"x": 2}], 3) == [6]
    assert run([{"x": 2}], factor=3.5, offset=1) == [8.0]


def test_methods_and_attributes_of_objects_are_constants(backend: str) -> None:
    class Scaler:
        low = 2

        def __init__(self, span: float) -> None:
            self.span = span

        def scale(self, r: dict[str, Any]) -> Any:
            return self._clip((r["x"] - self.low) / self.span)

        @staticmethod
        def _clip(x: float) -> float:
            return 0.0 if x < 0 else x

    scaler = Scaler(4)
    run = bp.vectorize(scaler.scale, backend=backend, on_unsupported="raise")
    assert run([{"x": 4}, {"x": 0}]) == [0.5, 0.0]
    scaler.span = 8
    assert run([{"x": 4}, {"x": 0}]) == [0.25, 0.0]


def test_a_fallback_hands_back_the_same_record_where_nothing_can_write() -> None:
    def kept(r: dict[str, Any]) -> Any:
        half(r["x"], by=len(str(r["s"])))
        return r

    records = [{"x": 1.0, "s": "a"}]
    run = bp.vectorize(kept, on_unsupported="ignore")
    assert run(records)[0] is records[0]


def test_a_fallback_that_writes_without_returning_gets_the_originals() -> None:
    def first(r: dict[str, Any]) -> Any:
        return r["x"] if r["x"] else 1

    def marked(r: dict[str, Any]) -> Any:
        lowest = min(first(r), 1)
        r["seen"] = True
        return lowest

    records = [{"x": 1.0}]
    run = bp.vectorize(marked, on_unsupported="ignore")
    assert run(records) == [1.0]
    assert records == [{"x": 1.0, "seen": True}]


def test_a_fallback_that_may_write_through_a_helper_gets_a_copy() -> None:
    def stamp(r: dict[str, Any]) -> None:
        r["seen"] = str(r["x"])

    def stamped(r: dict[str, Any]) -> Any:
        stamp(r)
        return r

    records = [{"x": 1.0}]
    run = bp.vectorize(stamped, on_unsupported="ignore")
    assert run(records) == [{"x": 1.0, "seen": "1.0"}]
    assert records == [{"x": 1.0}]


def joined(r: dict[str, Any]) -> Any:
    first: dict[str, Any] = {}
    second = first
    if (r["x"] or 0) > 2:
        second = {"n": 1}
    first["z"] = 2
    return second


def joined_inside(r: dict[str, Any]) -> Any:
    inner: dict[str, Any] = {}
    out: dict[str, Any] = {"k": 1}
    if r["x"]:
        out["a"] = inner
    inner["z"] = 1
    return out


def given_back(r: dict[str, Any]) -> Any:
    first: dict[str, Any] = {"k": 0}

    second = first if r["x"] else {"k": 9}
    first["k"] = r["x"]
    return second["k"]


def held_twice(r: dict[str, Any]) -> Any:
    inner = {"x": r["x"]}
    return {"p": inner, "q": inner}


@pytest.mark.parametrize("function", [joined, joined_inside, given_back, held_twice])
def test_aliases_of_dicts_see_every_write(function: Any) -> None:
    run = bp.vectorize(function, backend="numpy", on_unsupported="ignore")
    records = [{"x": 1}, {"x": 3}, {"x": None}]
    answers = run(records)
    assert answers == [function(dict(record)) for record in records]
    if function is held_twice:
        assert answers[0]["p"] is answers[0]["q"]


def test_changed_defaults_partials_and_methods_are_read_again(backend: str) -> None:
    def scaled(r: dict[str, Any], *, by: float = 2) -> Any:
        return r["x"] * by

    class Scaler:
        def __call__(self, r: dict[str, Any]) -> Any:
            return self.scale(r["x"])

        def scale(self, x: float) -> float:
            return x * 2

    bound = functools.partial(scaled, by=2)
    scaler = Scaler()
    runs = [
        bp.vectorize(function, backend=backend, on_unsupported="raise")
        for function in (scaled, bound, scaler)
    ]
    assert [run([{"x": 1}]) for run in runs] == [[2], [2], [2]]

    assert scaled.__kwdefaults__
    scaled.__kwdefaults__["by"] = 2.0
    bound.keywords["by"] = 5
    Scaler.scale = lambda self, x: x * 7
    assert text([run([{"x": 1}]) for run in runs]) == "[[2.0], [5], [7]]"


def test_deep_and_long_functions_compile_or_fall_back() -> None:
    source = "def deep(r):\n    return " + " + ".join(["r['x']"] * 900) + "\n"
    source += "def long(r):\n    x = r['x']\n" + "    x = x + r['x']\n" * 600 + "    return x\n"
    namespace: dict[str, Any] = {}
    linecache.cache["<deep>"] = (len(source), None, source.splitlines(keepends=True), "<deep>")
    exec(compile(source, "<deep>", "exec"), namespace)

    for name, expected in (("deep", 900), ("long", 601)):
        run = bp.vectorize(namespace[name], backend="numpy", on_unsupported="ignore")
        assert run([{"x": 1}, {"x": 2}]) == [expected, 2 * expected]


def test_unmodified_records_are_the_same_objects() -> None:
    def touched(r: dict[str, Any]) -> Any:
        if r["x"] > 1:
            r["big"] = True
        return r

    records = [{"x": 1}, {"x": 2}]
    small, big = bp.vectorize(touched, backend="numpy", on_unsupported="raise")(records)
    assert small is records[0]
    assert big == {"x": 2, "big": True}
    assert records[1] == {"x": 2}
