"""Functions that call a method of their record: copied only where that may write into it."""

import copy
import functools
import math
from dataclasses import dataclass, field

import pytest

import batchprep as bp


def untouched(method):
    @functools.wraps(method)
    def call(self, *args):
        return method(self, *args)

    return call


@dataclass
class Point:
    x: float
    y: float
    tags: list[str] = field(default_factory=list)

    def place(self):
        return id(self)

    def place_by_another(self):
        return self.place() + 0

    def norm(self):
        return math.hypot(self.x, self.y)

    def itself(self):
        return self

    def moved(self):
        self.x += 1
        return self

    def moved_by_another(self):
        return self.moved()

    def tagged(self):
        self.tags.append("seen")
        return self

    def tags_of_self(self):
        return self.tags

    @untouched
    def wrapped(self):
        self.x += 1
        return self

    def counted(self):
        self.x += 1
        return self.x


class Moving(Point):
    def place(self):
        self.x += 1
        return self

    def itself(self):
        return super().moved()


def records(*classes):
    return [classes[i % len(classes)](float(i), 2.0) for i in range(40)]


def place(p):
    return p.place()


def place_by_another(p):
    return p.place_by_another()


def norm(p):
    return p.norm()


def itself(p):
    return p.itself()


def moved(p):
    return p.moved()


def moved_by_another(p):
    return p.moved_by_another()


def tagged(p):
    return p.tagged()


def moved_tags(p):
    tags = p.tags_of_self()
    tags.append("mine")
    return p


def wrapped(p):
    return p.wrapped()


BACKENDS = pytest.mark.parametrize("backend", ["numpy", "python", "auto"])


@BACKENDS
@pytest.mark.parametrize("function", [place, place_by_another])
def test_a_method_that_only_reads_gets_the_record_itself(backend, function):
    points = records(Point)

    found = bp.vectorize(function, backend=backend, on_unsupported="ignore")(points)

    assert found == list(map(id, points))


@BACKENDS
def test_a_method_that_gives_the_record_gives_the_callers_own(backend):
    points = records(Point)

    found = bp.vectorize(itself, backend=backend, on_unsupported="ignore")(points)

    assert all(a is b for a, b in zip(found, points, strict=True))


@BACKENDS
@pytest.mark.parametrize("function", [moved, moved_by_another, tagged, moved_tags, wrapped])
@pytest.mark.parametrize("classes", [(Point,), (Point, Moving)])
def test_a_method_that_writes_gets_a_copy(backend, function, classes):
    points = records(*classes)
    before = copy.deepcopy(points)

    found = bp.vectorize(function, backend=backend, on_unsupported="ignore")(points)

    assert points == before
    assert found == list(map(function, before))


@BACKENDS
@pytest.mark.parametrize("function", [place, itself])
def test_a_subclass_is_judged_by_its_own_method(backend, function):
    points = records(Point, Moving)
    before = copy.deepcopy(points)

    found = bp.vectorize(function, backend=backend, on_unsupported="ignore")(points)

    assert points == before
    assert [type(f) for f in found[1::2]] == [Moving] * 20
    assert [f.x for f in found[1::2]] == [p.x + 1 for p in points[1::2]]


def test_a_method_that_lives_by_its_side_effect_has_it():
    points = records(Point)

    found = bp.vectorize(lambda p: p.counted(), on_unsupported="ignore")(points)

    assert found == [p.x for p in points] == [i + 1.0 for i in range(40)]
