"""Rules for lists, dicts and dates, in addition to those of `rules` and `text_rules`.

Names inside a comprehension are fixed: n and m for ints, s for texts, d for dicts, k and v for
items. What reads them stands in the options.
"""

from __future__ import annotations

from tests.fuzz.rules import BRANCHES, LEAVES, OPTIONS
from tests.fuzz.text_rules import Rule

LIST_NUMBERS: tuple[Rule, ...] = (
    (3, "len of a list", "len({list})"),
    (3, "item of a list", "{ints}[{place}]"),
    (2, "sum of a list", "sum({ints})"),
    (2, "min or max of a list", "{extreme}({ints}, default={num})"),
    (1, "min or max of a list", "{extreme}({ints})"),
    (2, "generator", "sum({of_n} for n in {ints} if {n_test})"),
    (2, "generator over dicts", "sum({of_d} for d in {dicts})"),
    (1, "generator over dicts", "sum({of_d} for d in {dicts} if {d_test})"),
    (3, "next with a default", "next(({of_n} for n in {ints} if {n_test}), {any})"),
    (1, "next", "next(n for n in {ints} if {n_test})"),
    (2, "min or max of a generator", "{extreme}(({of_n} for n in {ints}), default=0)"),
    (2, "size of a set", "len(set({list}))"),
    (1, "list.count", "{list}.count({any})"),
    (1, "list.index", "{strs}.index({str})"),
    (3, "field of a nested dict", '{dict}["n"]'),
    (2, "nested get", '{dict}.get("n", {num})'),
    (1, "nested get", '({dict} or {{}}).get("n", 0)'),
    (1, "sum of values", "sum(v for v in {dict}.values() if isinstance(v, int))"),
    (2, "item of a dict in a list", '{dicts}[{place}]["n"]'),
    (1, "max with a key", "max({ints}, key=lambda n: {of_n}, default=0)"),
    (1, "enumerate", "sum(i * n for i, n in enumerate({ints}))"),
    (1, "zip", "sum(n * m for n, m in zip({ints}, {ints}))"),
    (1, "range", "sum(i + {num} for i in range({small_count}))"),
)  # fmt: skip

DATE_NUMBERS: tuple[Rule, ...] = (
    (3, "part of a date", "{date}.{date_part}"),
    (3, "part of a datetime", "{datetime}.{time_part}"),
    (2, "part of a timedelta", "{timedelta}.{wait_part}"),
    (2, "date.weekday", "{date}.{weekday}()"),
    (2, "total_seconds", "{timedelta}.total_seconds()"),
    (2, "difference of dates", "({date} - {date}).days"),
    (1, "difference of datetimes", "({datetime} - {datetime}).total_seconds()"),
    (1, "toordinal", "{date}.toordinal()"),
    (1, "timedelta // timedelta", "({timedelta} // datetime.timedelta(hours=1))"),
    (1, "timedelta / timedelta", "({timedelta} / datetime.timedelta(seconds=7))"),
)

LIST_TEXTS: tuple[Rule, ...] = (
    (3, "join of a list", "{joiner}.join({strs})"),
    (2, "join of a comprehension", "{joiner}.join([{of_s} for s in {strs} if {s_test}])"),
    (2, "join of dicts", '"|".join(str(d["k"]) for d in {dicts})'),
    (2, "item of a list", "{strs}[{place}]"),
    (2, "next with a default", "next((s for s in {strs} if {s_test}), {str})"),
    (2, "field of a nested dict", '{dict}["name"]'),
    (4, "field two levels down", '{dict}["place"]["city"]'),
    (2, "chain of gets", '(({dict} or {{}}).get("place") or {{}}).get("city", {str})'),
    (4, "repr of a list", "str({list})"),
    (1, "f-string of a list", "f'{{{field_of_lists}}}'"),
)

DATE_TEXTS: tuple[Rule, ...] = (
    (3, "strftime", "{moment}.strftime({date_format})"),
    (3, "isoformat", "{moment}.isoformat()"),
    (1, "isoformat", '{datetime}.isoformat(" ", "minutes")'),
    (2, "str of a date", "str({moment})"),
    (4, "str of a timedelta", "str({timedelta})"),
    (4, "f-string of a date", "f'{{{field_of_dates}:%Y/%m}}'"),
)

NESTED_TESTS: tuple[Rule, ...] = (
    (3, "in a list", "({str} in {strs})"),
    (1, "in a list", "({num} not in {ints})"),
    (2, "any or all", "any({n_test} for n in {ints})"),
    (1, "any or all", "all({s_test} for s in {strs})"),
    (2, "any or all of dicts", "any({d_test} for d in {dicts})"),
    (2, "truth of a list", "bool({list})"),
    (1, "== of lists", "({list} == {list})"),
    (4, "order of lists", "({ints} < {ints})"),
    (2, "key in a nested dict", '("name" in {dict})'),
    (1, "is of a list", "({field_of_lists} is {field_of_lists})"),
    (1, "isinstance of a list", "isinstance({field_of_lists}, (list, tuple))"),
)
DATE_TESTS: tuple[Rule, ...] = (
    (4, "order of dates", "({date} {order} {date})"),
    (2, "order of datetimes", "({datetime} {order} {datetime})"),
    (1, "order of timedeltas", "({timedelta} {order} {timedelta})"),
    (1, "== of dates", "({date} == {datetime})"),
    (4, "order of a date and others", "({date} < {any})"),
    (4, "truth of a timedelta", "bool({timedelta})"),
)

LISTS: tuple[Rule, ...] = (
    (3, "list comprehension", "[{of_n} for n in {ints} if {n_test}]"),
    (2, "list comprehension", "[{of_s} for s in {strs}]"),
    (3, "comprehension over dicts", "[{of_d} for d in {dicts} if {d_test}]"),
    (4, "nested comprehension", "[n + m for n in {ints} for m in {ints}[:2]]"),
    (2, "slice of a list", "{field_of_lists}[{end}:{end}]"),
    (1, "+ of lists", "({ints} + [{num}])"),
    (2, "list with a star", "[*{list}, {any}]"),
    (2, "sorted", "sorted({list})"),
    (2, "sorted with a key", "sorted({ints}, key=lambda n: {of_n})"),
    (2, "sorted with a key", "sorted({dicts}, key=lambda d: {of_d}, reverse={flag})"),
    (1, "sorted set", "sorted(set({strs}))"),
    (1, "list of items", "list({dict}.items())"),
    (1, "list(map)", "list(map(str, {ints}))"),
    (1, "list or value", "({list} or [{any}])"),
    (1, "enumerate", "[(i, s) for i, s in enumerate({strs})]"),
    (1, "zip", "list(zip({ints}, {strs}))"),
    (4, "split as a list", "{str}.split({sep})"),
)  # fmt: skip

OBJECTS: tuple[Rule, ...] = (
    (2, "dict comprehension", "{{s: len(s) for s in {strs}}}"),
    (2, "dict comprehension", "{{k: v for k, v in {dict}.items() if v}}"),
    (3, "dict comprehension over dicts", '{{d["k"]: {of_d} for d in {dicts}}}'),
    (2, "set comprehension", "{{n % 3 for n in {ints}}}"),
    (2, "tuple of a generator", "tuple({of_n} for n in {ints})"),
    (3, "dict of parts", '{{"list": {list}, "dict": {dict}, "n": {num}}}'),
    (3, "nested dict spread", '{{**{dict}, "new": {any}}}'),
    (3, "dict literal with other keys", '({{"a": {any}}} if {bool} else {{"b": {any}, "a": 1}})'),
    (2, "own part", "{field_of_lists}"),
    (3, "tuple of lists", "({list}, {list})"),
    (2, "moment", "{moment}"),
    (1, "list of dates", "[{date}, {timedelta}]"),
)

MOMENTS: tuple[Rule, ...] = (
    (3, "datetime + timedelta", "({datetime} + {timedelta})"),
    (2, "date + timedelta", "({date} + datetime.timedelta(days={small_count}))"),
    (2, "datetime - timedelta", "({datetime} - {timedelta})"),
    (2, "datetime.replace", "{datetime}.replace({replaced})"),
    (2, "datetime.date", "{datetime}.date()"),
    (3, "datetime.strptime", 'datetime.datetime.strptime({date_text}, "%Y-%m-%d")'),
    (2, "fromisoformat", "datetime.date.fromisoformat({date_text})"),
    (2, "fromisoformat", "datetime.datetime.fromisoformat({date_text})"),
    (2, "min or max of dates", "{extreme}({date}, {date})"),
    (2, "datetime()", "datetime.datetime({int}, {int} % 13, 1)"),
)

NESTED_BRANCHES = {
    **BRANCHES,
    "num": (*BRANCHES["num"], (34, LIST_NUMBERS), (12, DATE_NUMBERS)),
    "str": (*BRANCHES["str"], (20, LIST_TEXTS), (9, DATE_TEXTS)),
    "bool": (*BRANCHES["bool"], (20, NESTED_TESTS), (8, DATE_TESTS)),
    "list": ((1, LISTS),),
    "object": ((6, OBJECTS), (1, LISTS)),
    "moment": ((1, MOMENTS),),
}

NESTED_LEAVES: dict[str, tuple[Rule, ...]] = {
    **LEAVES,
    "list": ((3, "", "{field_of_lists}"), (1, "", "{list_name}"), (1, "", "[1, 2]")),
    "object": ((1, "", "{field_of_lists}"), (1, "", "{dict}"), (1, "", "[]")),
    "moment": ((2, "", "{datetime}"), (2, "", "{date}")),
}

NESTED_OPTIONS: dict[str, tuple[str, ...]] = {
    **OPTIONS,
    "extreme": ("min", "max"),
    "small_count": ("3", "0", "({int} % 5)", "{small}"),
    "of_n": ("n", "n * 2", "n + {number_name}", "-n", "n % 3", "abs(n)", "12 // n", "str(n)"),
    "n_test": ("n > 2", "n % 2", "n is not None", "n == {number_name}", "n", "True"),
    "of_s": ("s", "s.upper()", "s + {text_name}", "s[:1]", "s.strip()", "s[0]"),
    "s_test": ("s", "s > 'b'", "s.isalpha()", "s == {text_name}", "len(s) > 1"),
    "of_d": ('d["n"]', 'd["n"]', 'd.get("n", 0)', 'd["n"] + 1', '(d.get("n") or 0)', "len(d)"),
    "d_test": ('d["n"] > 1', 'd.get("n")', 'd["k"] == "a"', "d", '"k" in d', "d is not None"),
    "date_part": ("year", "month", "day"),
    "time_part": ("year", "month", "hour", "minute", "second", "microsecond"),
    "wait_part": ("days", "seconds", "microseconds"),
    "weekday": ("weekday", "isoweekday"),
    "date_format": ('"%Y-%m-%d"', '"%d.%m.%y"', '"%H:%M:%S.%f"', '"%j %U"', '"%A %b"', '"%%"'),
    "replaced": ("day=1", "year=2024", "month={int} % 14", "microsecond=0", "hour=12, minute=0"),
    "date_text": ('"2024-02-29"', "{str}", "str({date})", "{date}.isoformat()", '"2023-02-29"'),
    "lists_of_ints": ("[3, 1, 2]", "[]", "[0]"),
    "lists_of_strs": ('["a", "b"]', "[]", '[""]'),
    # In place of None, as they stand.
    "lists_of_dicts": ("[]", '[{"k": "a", "n": 1}]'),
    "dicts_alone": ("{}", '{"name": "a", "n": 1, "place": {}}'),
    "days": ("datetime.date(2024, 2, 29)", "datetime.date.min"),
    "moments": ("datetime.datetime(2024, 2, 29, 12)", "datetime.datetime.max"),
    "waits": ("datetime.timedelta(days=1)", "datetime.timedelta(0)"),
}  # fmt: skip
