"""Which functions are known to change nothing, and what is said of the others."""

import collections
import dataclasses
import datetime as dt
import functools
import hashlib
import json
import logging
import math
import os
import random
import re
import time
from contextlib import suppress

import pytest

from batchprep.rowfn.marked import MARK
from batchprep.run.workers_body import Impure
from batchprep.run.workers_judge import judge

WORDS = {"red": 1, "blue": 2}
NAMES = ["a", "b"]
ALLOWED = frozenset({"red", "blue"})
LISTS = {"red": [1]}
PATTERN = re.compile("[a-z]+")
SEEN = []
COUNTER = 0
CACHE = {}


class BadRow(Exception):  # noqa: N818
    """An exception that only keeps what it is given."""

    def __init__(self, why):
        super().__init__(why)
        self.why = why


class Counted(Exception):  # noqa: N818
    made = 0

    def __init__(self):
        Counted.made += 1


class Settings:
    limit = 3


@dataclasses.dataclass
class Loud:
    n: int

    def double(self):
        print(self.n)
        return self.n * 2


def helper(x, y=1):
    return math.sqrt(x) + y


def prints_inside(x):
    print(x)
    return x


def appends(items, x):
    items.append(x)
    return items


def by_range(value, low, high):
    return low <= value < high


RULES = [(helper, "first"), (by_range, "second")]


def counts_digits(r):
    total, seen = 0, {}
    for ch in str(r["n"]):
        if ch.isdigit():
            total += int(ch)
            seen[ch] = seen.get(ch, 0) + 1
    return {"total": total, "seen": seen, "word": WORDS.get(r["k"], 0)}


def tries(r):
    try:
        if not r["n"]:
            raise BadRow("nothing")
        return 1 / r["n"]
    except (BadRow, ZeroDivisionError) as error:
        return str(error)


def nested(r):
    def deeper(x):
        return [item for item in x if item in ALLOWED]

    with suppress(KeyError):
        return deeper(r["names"])
    return sorted(WORDS, key=lambda word: WORDS[word])


def fills_a_new_list(r):
    out = []
    for x in (1, 2, 3):
        appends(out, x * 2)
    return out


def yields(r):
    yield from range(r["n"])


def own_counter(r):
    count = 0

    def add():
        nonlocal count
        count += 1

    add()
    return count


def raises_with_the_record(r):
    if json.dumps(r) == "{}":
        raise BadRow(r)
    return 1


PURE = [
    raises_with_the_record,
    counts_digits,
    tries,
    nested,
    fills_a_new_list,
    yields,
    own_counter,
    lambda r: helper(r["n"]) if r["n"] in WORDS else NAMES[0],
    lambda r: hashlib.md5(json.dumps(r["a"]).encode()).hexdigest(),
    lambda r: collections.Counter(r["name"]).most_common(1),
    lambda r: dt.datetime.strptime(r["day"], "%Y-%m-%d").isoformat(),  # noqa: DTZ007
    lambda r: max(r["names"], key=len) + PATTERN.sub("", r["name"]),
    lambda r: len(set(r["names"])) + len({1, 2}) + len({n for n in r["names"]}),  # noqa: C416
    lambda r: sorted(set(r["names"])),
    lambda r: r["k"] in {"x", "y"} or isinstance(r["k"], (set, str)),
    lambda r: [f"{word}={n}" for word, n in WORDS.items()] + NAMES,
    lambda r: ", ".join(r.keys()) + str({**WORDS, "x": 1}),
    lambda r: [why for rule, why in RULES if rule(r["n"], 1)],
    functools.partial(by_range, low=1, high=2),
    len,
]


@pytest.mark.parametrize("function", PURE)
def test_function_that_changes_nothing_is_known_as_that(function):
    judge(function)


def sets_a_global(r):
    global COUNTER  # noqa: PLW0603
    COUNTER += 1
    return COUNTER


def keeps_a_cache(r):
    CACHE[r["n"]] = 1
    return 1


def default_as_state(r, seen=[]):  # noqa: B006  that is what is tested
    seen.append(r["n"])
    return len(seen)


def writes_into_record(r):
    r["x"] = 1


def writes_through_helper(r):
    appends(r["names"], 1)
    return appends(r, 2)


def sets_an_attribute(r):
    Settings.limit = 4


def imports(r):
    import os

    return os.getpid()


def opens(r):
    with open("x") as file:  # noqa: PTH123
        return file.read()


def shadowed(r):
    marks = [print for print in r["names"]]  # noqa: A001, C416
    print(marks)
    return marks


IMPURE = [
    (lambda r: print(r), "print"),  # noqa: PLW0108
    (lambda r: prints_inside(r["n"]), "print"),
    (lambda r: list(map(prints_inside, r["names"])), "print"),
    (shadowed, "print"),
    (lambda r: random.random() + r["n"], "random"),
    (lambda r: time.time(), "time"),
    (lambda r: dt.datetime.now(), "clock"),  # noqa: DTZ005
    (lambda r: r["day"].today(), "clock"),
    (lambda r: logging.info("x"), "logging.info"),  # noqa: LOG015
    (lambda r: os.environ["X"], "os.environ"),
    (lambda r: SEEN.append(r["n"]), "SEEN"),
    (lambda r: WORDS, "WORDS"),
    (lambda r: LISTS["red"], "LISTS"),
    (lambda r: Settings.limit, "Settings"),
    (lambda r: Loud(1).double(), "Loud"),
    (lambda r: eval("1"), "eval"),
    (lambda r: hash(r["name"]), "hash"),
    (lambda r: id(r), "id"),  # noqa: PLW0108
    (lambda r: list(set(r["names"])), "order"),
    (lambda r: [*{"a", r["k"]}], "order"),
    (lambda r: list(map(set, r["names"])), "order"),
    (lambda r: list(r.keys() & WORDS.keys()), "order"),
    (lambda r: list(ALLOWED), "ALLOWED"),
    (lambda r: helper.__globals__, "__globals__"),
    (lambda r: Counted(), "Counted.made"),
    (lambda r: unknown_name(r), "unknown_name is not defined"),  # noqa: F821, PLW0108
    (sets_a_global, "COUNTER"),
    (keeps_a_cache, "CACHE"),
    (default_as_state, "default"),
    (writes_into_record, "writes into its record"),
    (writes_through_helper, "writes into its record"),
    (sets_an_attribute, "Settings.limit"),
    (imports, "imports"),
    (opens, "open"),
    (functools.partial(lambda x, r: r, []), "bound to []"),
    (functools.lru_cache(helper), "lru_cache"),
]


@pytest.mark.parametrize(("function", "word"), IMPURE)
def test_function_that_may_change_something_is_refused_with_the_reason(function, word):
    with pytest.raises(Impure) as caught:
        judge(function)

    assert word in str(caught.value)


def test_variable_of_an_enclosing_function_that_is_set_is_a_change():
    count = 0

    def counted(r):
        nonlocal count
        count += 1
        return count

    with pytest.raises(Impure, match="count"):
        judge(counted)


def test_copied_records_may_be_written_into():
    def marked(r):
        r["x"] = 1
        return r

    with pytest.raises(Impure):
        judge(marked)
    judge(marked, copied=True)


def test_what_the_author_calls_pure_is_believed():
    def prints(r):
        print(r)

    setattr(prints, MARK, True)
    judge(prints)
    judge(lambda r: prints(r))  # noqa: PLW0108


def test_addition_in_place_of_what_may_be_a_list_asks_for_flat_records():
    def adds(r):
        value = r["n"]
        value += 1
        return value

    assert judge(adds).flat
    assert not judge(counts_digits).flat
