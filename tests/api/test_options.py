import threading

import pyarrow as pa
import pytest

import batchprep as bp
from batchprep.api.options import available_cpus, in_use


def inverse(r):
    return 1 / r["a"]


DATA = [{"a": 0}, {"a": 4}]


def stage(f):
    return f.report().stages[0]


def test_use_reaches_every_call_inside():
    f = bp.vectorize(inverse)
    with bp.use(backend="python", on_error="null"):
        assert f(DATA) == [None, 0.25]
        assert stage(f).backend == "python"
    with pytest.raises(ZeroDivisionError):
        f(DATA)


def test_inner_use_changes_only_what_it_names():
    f = bp.vectorize(inverse)
    with bp.use(backend="python", on_error="null"), bp.use(on_error="drop"):
        assert f(DATA) == [0.25]
        assert stage(f).backend == "python"


def test_the_function_goes_before_use():
    f = bp.vectorize(inverse, on_error="drop", backend="numpy")
    with bp.use(on_error="null", backend="python"):
        assert f(DATA) == [0.25]
        assert stage(f).backend == "numpy"


def test_use_ends_with_an_exception():
    with pytest.raises(KeyError), bp.use(backend="python"):
        raise KeyError
    assert in_use().backend is None


def test_use_can_be_entered_again_and_within_itself():
    block = bp.use(backend="python")
    with block, bp.use(on_error="null"), block:
        assert (in_use().backend, in_use().on_error) == ("python", "null")
    assert in_use().backend is None
    with block:
        assert in_use().backend == "python"
    assert in_use().backend is None


def test_use_decorates_a_function():
    @bp.use(backend="python")
    def backend():
        return in_use().backend

    assert [backend(), backend(), in_use().backend] == ["python", "python", None]


def test_use_is_per_thread():
    seen = []
    with bp.use(backend="python"):
        thread = threading.Thread(target=lambda: seen.append(in_use().backend))
        thread.start()
        thread.join()

    assert seen == [None]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"backend": "gpu"}, ValueError),
        ({"threads": 0}, ValueError),
        ({"threads": -2}, ValueError),
        ({"threads": "all"}, TypeError),
        ({"threads": True}, TypeError),
    ],
)
def test_wrong_value_is_refused_when_use_is_called(options, error):
    with pytest.raises(error, match=next(iter(options))):
        bp.use(**options)


def test_threads_default_to_the_cpus_of_this_process():
    assert available_cpus() >= 1
    with bp.use(threads=1, backend="numpy"):
        assert bp.vectorize(inverse)([{"a": n} for n in range(1, 200_001)])[-1] == 1 / 200_000


def test_returns_fixes_the_arrow_type():
    table = pa.table({"a": [1, 2]})

    assert bp.vectorize(lambda r: r["a"], returns=pa.int8())(table).type == pa.int8()
    assert bp.vectorize(lambda r: {"b": r["a"]}, returns=pa.schema([("b", pa.float64())]))(
        table
    ).schema == pa.schema([("b", pa.float64())])


def test_returns_keeps_not_null_and_metadata():
    schema = pa.schema([pa.field("b", pa.int64(), nullable=False)], {"made": "by hand"})
    table = pa.table({"a": [1, 2]})
    f = bp.vectorize(lambda r: {"b": r["a"] if r["a"] > 1 else None}, returns=schema)

    result = f(table.slice(1))
    assert result.schema.equals(schema, check_metadata=True)
    result.validate(full=True)
    with pytest.raises(TypeError, match="None does not fit column 'b', whose type is int64 not nu"):
        f(table)
    with bp.use(on_error="null"):
        assert f(table).to_pydict() == {"b": [None, 2]}


def test_returns_names_a_dictionary_type_as_it_was_given():
    table = pa.table({"a": range(200)})
    small = pa.dictionary(pa.int8(), pa.int64())

    with pytest.raises(TypeError, match="type is dictionary<values=string, indices=int8"):
        bp.vectorize(lambda r: r["a"], returns=pa.dictionary(pa.int8(), pa.string()))(table)
    with pytest.raises(OverflowError, match="200 distinct values are more than dictionary"):
        bp.vectorize(lambda r: r["a"], returns=small)(table)
    assert bp.vectorize(lambda r: r["a"] % 2, returns=small)(table).type == small
