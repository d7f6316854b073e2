"""The Python function that runs when a callable is called."""

import functools
import math
import operator
import types

import numpy as np
import pytest

from batchprep.errors import Unsupported
from batchprep.rowfn.source import unwrap


def plain(*args, **keywords):
    return args, keywords


class Scaler:
    def method(self, *args, **keywords):
        return self, args, keywords

    @classmethod
    def of_class(cls, *args):
        return cls, args

    @staticmethod
    def static(*args):
        return args

    def __call__(self, *args, **keywords):
        return self, args, keywords


class StaticCall:
    __call__ = staticmethod(plain)


class ClassCall:
    @classmethod
    def __call__(cls, *args):
        return cls, args


CALLABLES = {
    "function": plain,
    "partial": functools.partial(plain, 1, k=2),
    "nested partial": functools.partial(functools.partial(plain, 1, k=2, m=3), 4, k=5),
    "bound method": Scaler().method,
    "class method": Scaler.of_class,
    "static method": Scaler.static,
    "static method object": staticmethod(plain),
    "callable object": Scaler(),
    "static __call__": StaticCall(),
    "class __call__": ClassCall(),
    "partial of a bound method": functools.partial(Scaler().method, 1, k=2),
    "partial of a callable object": functools.partial(Scaler(), 1),
    "method of a partial": types.MethodType(functools.partial(plain, 1), 2),
    "method of a callable object": types.MethodType(Scaler(), 2),
}


@pytest.mark.parametrize("name", CALLABLES)
def test_unwrapped_call_gives_what_the_callable_gives(name):
    callable_ = CALLABLES[name]
    call = unwrap(callable_)

    assert type(call.function) is types.FunctionType
    assert call.function(*call.args, 7, **call.keywords) == callable_(7)


def test_a_decorated_function_is_its_wrapper():
    @functools.wraps(plain)
    def wrapper(r):
        return plain(r)

    assert unwrap(wrapper).function is wrapper


class LoudPartial(functools.partial):
    __slots__ = ()

    def __call__(self, r):
        return "loud"


def test_a_partial_that_overrides_its_call_runs_its_own():
    call = unwrap(LoudPartial(plain, 1))

    assert call.function(*call.args, 7) == "loud"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (len, "len is a built-in, not a Python function"),
        (math.sqrt, "sqrt is a built-in, not a Python function"),
        ("".join, "join is a built-in, not a Python function"),
        (str.upper, "upper is a built-in, not a Python function"),
        (np.sqrt, "sqrt is a numpy ufunc, not a Python function"),
        (operator.itemgetter("a"), "itemgetter is a operator itemgetter, not a Python function"),
        (int, "int is a class, not a Python function"),
        (Scaler, "Scaler is a class, not a Python function"),
        (functools.lru_cache(plain), "plain is wrapped by functools._lru_cache_wrapper"),
        (functools.partial(len), "len is a built-in, not a Python function"),
        (3, "3 cannot be called"),
    ],
)
def test_what_is_not_python_says_so(function, reason):
    with pytest.raises(Unsupported) as caught:
        unwrap(function)

    assert str(caught.value) == reason
    assert caught.value.hint


def test_a_numba_function_names_the_function_beneath():
    numba = pytest.importorskip("numba")

    with pytest.raises(Unsupported) as caught:
        unwrap(numba.njit(plain))

    assert str(caught.value) == "plain is compiled by numba already"
    assert caught.value.hint == "Hand over the function beneath: plain.py_func."
