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
