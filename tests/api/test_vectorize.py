import copy
import functools
import inspect
import multiprocessing
import pickle
import threading

import cloudpickle
import pytest

import batchprep as bp
from batchprep.api.programs import KEPT, Programs

RECORDS = [{"a": 1}, {"a": 2}]


@pytest.fixture(autouse=True)
def one_backend():
    with bp.use(backend="numpy"):
        yield


@bp.vectorize
def doubled(r):
    """Twice a."""
    return r["a"] * 2


@bp.vectorize(backend="python", on_error="null")
def inverse(r):
    return 1 / r["a"]


def plain(r):
    return r["a"] + 1


class Scale:
    def __init__(self, factor):
        self.factor = factor

    @bp.vectorize
    def apply(self, r):
        return r["a"] * self.factor


# ---------------------------------------------------------------------------------- forms


def test_decorator_with_and_without_parentheses():
    assert doubled(RECORDS) == [2, 4]
    assert inverse([{"a": 0}, {"a": 4}]) == [None, 0.25]
    assert bp.vectorize()(plain)(RECORDS) == [2, 3]


def test_it_looks_like_the_function():
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice a.")
    assert doubled.function({"a": 3}) == 6
    assert str(inspect.signature(doubled)) == "(r)"
    assert repr(doubled) == "<vectorized doubled>"


def test_method_of_an_instance():
    three, five = Scale(3), Scale(5)

    assert three.apply(RECORDS) == [3, 6]
    assert five.apply(RECORDS) == [5, 10]
    three.factor = 4
    assert three.apply(RECORDS) == [4, 8]
    assert three.apply({"a": 1}) == 4


def test_partial_and_bound_method_are_functions():
    assert bp.vectorize(functools.partial(lambda r, n: r["a"] + n, n=5))(RECORDS) == [6, 7]


def test_vectorizing_twice_is_vectorizing_once():
    assert bp.vectorize(doubled).function is doubled.function


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"backend": "nunba"}, ValueError, "backend='nunba' is not one of .*\n  nearest: 'numba'"),
        ({"math": "exakt"}, ValueError, "math='exakt' is not one of 'exact', 'fast'"),
        ({"on_error": "skip"}, ValueError, "on_error='skip' is not one of 'raise', 'null', 'drop'"),
        ({"on_unsupported": "no"}, ValueError, "is not one of 'warn', 'raise', 'ignore'"),
        ({"rows": "pandas"}, ValueError, "rows='pandas' is not one of 'record'"),
        ({"returns": float}, TypeError, "returns takes a pyarrow.DataType"),
        ({"returns": 0}, TypeError, "returns takes a pyarrow.DataType"),
        ({"backend": ""}, ValueError, "backend='' is not one of"),
    ],
)
def test_wrong_option_is_named_with_what_is_allowed(options, error, text):
    with pytest.raises(error, match=text):
        bp.vectorize(plain, **options)


def test_vectorize_takes_functions():
    with pytest.raises(TypeError, match="f takes a function of one record"):
        bp.vectorize(5)


# -------------------------------------------------------------------------------- pickling


def test_decorated_function_pickles_by_name():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert copy.deepcopy(doubled) is doubled


def test_vectorized_function_pickles_with_its_options():
    f = pickle.loads(pickle.dumps(bp.vectorize(plain, on_error="null")))

    assert f.function is plain
    assert f([{"a": 1}, {}]) == [2, None]


def test_lambda_pickles_through_cloudpickle():
    offset = 10
    f = pickle.loads(pickle.dumps(bp.vectorize(lambda r: r["a"] + offset)))

    with bp.use(on_unsupported="ignore"):
        assert f(RECORDS) == [11, 12]
        assert cloudpickle.loads(cloudpickle.dumps(f))(RECORDS) == [11, 12]


def test_bound_method_pickles():
    f = pickle.loads(pickle.dumps(Scale(7).apply))

    assert f(RECORDS) == [7, 14]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_processes_run_it():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(doubled, [[{"a": 5}]]) == [[10]]


# --------------------------------------------------------------------------------- threads


def test_threads_share_one_function():
    f = bp.vectorize(lambda r, n: r["a"] + n)
    results = {}

    def work(n):
        results[n] = [f(RECORDS, n) for _ in range(20)]
        assert f.report().rows == 2

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {n: [[1 + n, 2 + n]] * 20 for n in range(6)}


# ------------------------------------------------------------------------------ programs


def traces_of(monkeypatch):
    made = []
    make = Programs._make

    def counted(self, *args):
        made.append(args)
        return make(self, *args)

    monkeypatch.setattr(Programs, "_make", counted)
    return made


def test_a_second_call_traces_nothing(monkeypatch):
    made = traces_of(monkeypatch)
    f = bp.vectorize(lambda r: r["a"] + 1)
    for _ in range(3):
        f(RECORDS)
        f([{"a": 1.5}])

    assert len(made) == 2


def test_uncompilable_function_is_not_traced_again(monkeypatch):
    made = traces_of(monkeypatch)
    f = bp.vectorize(lambda r: f"{r['a']:>5}".encode(), on_unsupported="ignore")
    for _ in range(3):
        f(RECORDS)

    assert len(made) == 1


def test_dicts_and_objects_have_their_own_programs():
    def either(r):
        return r["a"]

    class Row(tuple):
        __slots__ = ()
        _fields = ("a",)

        def __getitem__(self, key):
            return "item" if key == "a" else tuple.__getitem__(self, key)

        a = property(lambda self: tuple.__getitem__(self, 0))

    f = bp.vectorize(either, on_unsupported="ignore")

    assert f([{"a": 1}]) == [1]
    assert f([Row((2,))]) == ["item"]


def test_closure_and_globals_are_read_at_each_call(monkeypatch):
    limit = 1
    f = bp.vectorize(lambda r: (r["a"] > limit, LIMIT))

    assert f(RECORDS) == [(False, 5), (True, 5)]
    limit = 0
    monkeypatch.setitem(globals(), "LIMIT", 6)
    assert f(RECORDS) == [(True, 6), (True, 6)]


LIMIT = 5


def test_few_programs_are_kept():
    f = bp.vectorize(lambda r, n: r["a"] + n)
    for n in range(KEPT + 5):
        assert f(RECORDS, n) == [1 + n, 2 + n]

    assert len(f._programs._known) == KEPT
