"""What the abstract run says a function may do, against a table and against what it does."""

import ast
import collections
import copy
import json
import math
import re
from dataclasses import fields

import pytest

from batchprep.rowfn.effects import Effects, record_effects
from batchprep.rowfn.source import FunctionSource

NAMESPACE = {
    "math": math,
    "copy": copy,
    "json": json,
    "re": re,
    "deepcopy": copy.deepcopy,
    "defaultdict": collections.defaultdict,
    "TABLE": {"x": 1},
    "LIMIT": 3,
    "helper": lambda *a, **k: None,
}


def analysed(text, parameter=None, namespace=NAMESPACE):
    statement = ast.parse(text).body[0]
    node = statement.value if isinstance(statement, ast.Expr) else statement
    source = FunctionSource(node, "prep.py", tuple(text.splitlines()), "f")
    effects = record_effects(source, parameter, namespace)
    return {field.name for field in fields(Effects) if getattr(effects, field.name)}


def body(*lines):
    return "def f(r):\n" + "".join(f"    {line}\n" for line in lines)


WRITE, DEEP, BACK = "writes_record", "writes_deep", "returns_record"
PASS, PASS_PART, AUGMENT = "passes_record", "passes_part", "augments"

READS = [
    "lambda r: r['a']",
    "lambda r: r.get('a', 0) + r['n']",
    "lambda r: math.sqrt(r['n']) if r['n'] > 0 else None",
    "lambda r: r.name",
    "lambda r: {'a': r['a'], 'b': r['n'] * 2}",
    "lambda r: {**r, 'b': 1}",
    "lambda r: dict(r, b=1)",
    "lambda r: r | {'b': 1}",
    "lambda r: len(r) + len(r['tags']) + sum(r['tags'])",
    "lambda r: 'a' in r and 'x' in r['d']",
    "lambda r: f\"{r['a']}-{r}\" + str(r)",
    "lambda r: sorted(r['tags'], key=lambda t: -t)[0]",
    "lambda r: [t for t in r['tags'] if t > LIMIT]",
    "lambda r: max(r['a'], r['n'])",
    "lambda r: TABLE[r['n']] if r['n'] in TABLE else TABLE.get(r['a'], 'none')",
    "lambda r: r['s'].strip().lower().replace('a', 'b').split(',')",
    "lambda r: '{a}'.format(**r)",
    "lambda r: isinstance(r, dict)",
    "lambda r: (x := r['n']) + x",
    "lambda r: any(t > 1 for t in r['tags'])",
    "lambda r: r['tags'][1:]",
    "lambda r: dict.get(r, 'a')",
    "lambda r: r['when'].strftime('%Y')",
    "lambda: 1",
    "lambda r: None",
    "lambda r: (lambda q: q + 1)",
    body("out = {}", "out['a'] = r['a']", "out['b'] = out['a'] + 1", "return out"),
    body("out = dict(r)", "out['b'] = 1", "del out['a']", "return out"),
    body("r = dict(r)", "r['b'] = 1", "return r"),
    body("r = {**r}", "r.update(b=1)", "r.pop('a')", "return r"),
    body("out = r.copy()", "out['b'] = 1", "return out"),
    body("out = copy.copy(r)", "out['b'] = 1", "return out"),
    body("out = deepcopy(r)", "out['tags'].append(1)", "return out"),
    body("out = {}", "out.update(r)", "out['b'] = 1", "return out"),
    body("out = {k: v for k, v in r.items()}", "out['b'] = 1", "return out"),
    body("out = []", "for t in r['tags']:", "    out.append(t)", "return out"),
    body("tags = list(r['tags'])", "tags.append(1)", "tags.sort()", "return tags"),
    body("tags = r['tags'][:]", "tags.reverse()", "return tags"),
    body("parts = r['s'].split()", "parts.append('x')", "return parts"),
    body("tags = r['tags'] + [1]", "tags.append(2)", "return tags"),
    body("total = 0", "for t in r['tags']:", "    total += t", "return total"),
    body("n = r['n'] + 1", "n *= 2", "return n"),
    body("try:", "    return 10 / r['n']", "except ZeroDivisionError as e:", "    return None"),
    body(
        "match r['n']:",
        "    case 1 | 2:",
        "        return 'few'",
        "    case n:",
        "        return n",
    ),
    body("if r['n'] > 1:", "    x = r['a']", "else:", "    x = None", "return x"),
    body("import math", "while r['n'] < 0:", "    break", "return 1"),
    body("x, y = r['a'], r['n']", "return {'x': x, 'y': y}"),
    body("a, *rest = r['tags']", "return rest"),
    body("def scale(x):", "    return x * 2", "return scale(r['n'])"),
    body("if r['n']:", "    r = {}", "    r['b'] = 1", "    return r", "return 1"),
]

TABLE = [
    # the record itself
    (body("r['b'] = 1", "return r"), {WRITE, BACK}),
    (body("r['b'] = 1"), {WRITE}),
    (body("r['n'] += 1", "return r"), {WRITE, BACK, AUGMENT}),
    (body("del r['a']", "return r['n']"), {WRITE}),
    (body("del (r['a'], r['n'])"), {WRITE}),
    (body("r.a = 1"), {WRITE}),
    (body("del r.a"), {WRITE}),
    (body("setattr(r, 'a', 1)"), {WRITE}),
    (body("r.__dict__['a'] = 1"), {WRITE}),
    (body("r |= {'b': 1}", "return r"), {WRITE, BACK, AUGMENT}),
    (body("r.update(b=1)"), {WRITE}),
    (body("return r.pop('a')"), {WRITE}),
    (body("r.popitem()"), {WRITE}),
    (body("r.clear()"), {WRITE}),
    (body("return r.setdefault('b', 1)"), {WRITE}),
    (body("dict.update(r, b=1)"), {WRITE}),
    (body("dict.__setitem__(r, 'b', 1)"), {WRITE}),
    (body("object.__setattr__(r, 'b', 1)"), {WRITE}),
    (body("update = r.update", "update(b=1)"), {WRITE, PASS_PART}),
    (body("r['a'], x = 1, 2"), {WRITE}),
    (body("for r['a'] in [1]:", "    pass"), {WRITE}),
    (body("with open('x') as r['a']:", "    pass"), {WRITE}),
    (body("[0 for r['a'] in [1]]"), {WRITE}),
    ("lambda r: r.update(b=1) or r", {WRITE, BACK}),
    # through aliases
    (body("out = r", "out['b'] = 1", "return out"), {WRITE, BACK}),
    (body("a = b = r", "b['b'] = 1"), {WRITE}),
    (body("a, b = 1, r", "b['b'] = 1"), {WRITE}),
    (body("a, b = [1, r]", "b['b'] = 1"), {WRITE}),
    (body("a, *b = 1, r", "b[0]['b'] = 1"), {WRITE}),
    (body("(out := r)['b'] = 1"), {WRITE}),
    (body("out = r if r['n'] else {}", "out['b'] = 1", "return 1"), {WRITE}),
    (body("out = r or {}", "out['b'] = 1", "return 1"), {WRITE}),
    (body("rows = [r]", "rows[0]['b'] = 1"), {WRITE}),
    (body("rows = []", "rows.append(r)", "rows[0]['b'] = 1"), {WRITE}),
    (body("box = {'row': r}", "box['row']['b'] = 1", "return box"), {WRITE, BACK}),
    (body("for x in [r]:", "    x['b'] = 1"), {WRITE}),
    (body("for x in [{}, r]:", "    pass", "x['b'] = 1"), {WRITE}),
    (body("[x.update(b=1) for x in (r,)]"), {WRITE}),
    (body("g = lambda: r.update(b=1)", "g()"), {WRITE}),
    (body("def g():", "    r['b'] = 1", "g()", "return r"), {WRITE, BACK}),
    (body("def g(x):", "    x['b'] = 1", "g(r)"), {WRITE, DEEP}),
    (body("list(map(lambda x: x.update(b=1), [r]))"), {WRITE, DEEP}),
    (body("match r:", "    case x:", "        x['b'] = 1"), {WRITE, DEEP}),
    (body("x = {}", "for _ in 'ab':", "    x['b'] = 1", "    x = r"), {WRITE}),
    (
        body(
            "x = {}", "try:", "    x = r", "    1 / 0", "    x = {}", "except E:", "    x['b'] = 1"
        ),
        {WRITE},
    ),
    (body("if r['n']:", "    r = {}", "r['b'] = 1", "return r"), {WRITE, BACK}),
    (body("def g():", "    return x", "x = r", "g()['b'] = 1"), {WRITE}),
    (body("def g():", "    nonlocal_x['b'] = 1", "nonlocal_x = r", "g()"), {WRITE}),
    # deep
    (body("r['d']['x'] = 1", "return r"), {DEEP, BACK}),
    (body("r['tags'].append(1)", "return r"), {DEEP, BACK}),
    (body("r['tags'].sort()"), {DEEP}),
    (body("r['tags'][0] = 1"), {DEEP}),
    (body("del r['tags'][0]"), {DEEP}),
    (body("r['tags'] += [1]", "return r"), {WRITE, DEEP, BACK, AUGMENT}),
    (body("tags = r['tags']", "tags += [1]"), {DEEP, AUGMENT}),
    (body("x = r['n']", "x += 1", "return x"), {AUGMENT}),
    (body("out = {}", "out['a'] = r['n']", "out['a'] += 1", "return out"), {AUGMENT}),
    (body("tags = r.get('tags') or []", "tags.append(1)", "return tags"), {DEEP}),
    (body("r.d.x = 1"), {DEEP}),
    (body("r.setdefault('tags', []).append(1)"), {WRITE, DEEP}),
    (body("out = dict(r)", "out['tags'].append(1)", "return out"), {DEEP}),
    (body("out = {**r}", "out['d']['x'] = 1", "return out"), {DEEP}),
    (body("out = {}", "out['d'] = r['d']", "out['d']['x'] = 1", "return out"), {DEEP}),
    (body("out = {}", "alias = out", "alias['d'] = r['d']", "out['d']['x'] = 1"), {DEEP}),
    (body("for v in r.values():", "    v.clear()"), {DEEP}),
    (body("for k, v in r.items():", "    v.clear()"), {DEEP}),
    (body("[d.pop('x') for d in r['items']]"), {DEEP}),
    (body("sorted(r['items'], key=lambda i: i.pop('x'))"), {DEEP}),
    (body("append = r['tags'].append", "append(1)"), {DEEP, PASS_PART}),
    (body("list.append(r['tags'], 1)"), {DEEP}),
    (body("x = max(r['a'], r['d'])", "x['y'] = 1"), {DEEP}),
    (body("d = dict(zip('a', r['items']))", "d['a']['x'] = 1"), {DEEP}),
    (body("copy.copy(r)['tags'].append(1)"), {DEEP}),
    (body("match r:", "    case {'d': d}:", "        d['x'] = 1"), {WRITE, DEEP}),
    # the result is or holds the record
    ("lambda r: r", {BACK}),
    ("lambda r: r if r['n'] else None", {BACK}),
    ("lambda r: r['n'] and r", {BACK}),
    ("lambda r: (r, 1)", {BACK}),
    ("lambda r: {'row': [r]}", {BACK}),
    ("lambda r: [r for _ in range(2)]", {BACK}),
    ("lambda r: (lambda: r)", {BACK}),
    ("lambda *rows: rows[0]", {BACK}),
    (body("out = []", "out.append(r)", "return out"), {BACK}),
    (body("a = {}", "b = a", "b['row'] = r", "return a"), {BACK}),
    (body("a = []", "b = {'a': a}", "a.append(r)", "return b"), {BACK}),
    (body("if r['n'] < 0:", "    return None", "return r"), {BACK}),
    # handed over
    ("lambda r: json.dumps(r)", {PASS, BACK}),
    ("lambda r: helper(r)['x']", {PASS}),
    ("lambda r: helper(row=r) + 1", {PASS}),
    ("lambda r: helper(**r) + 1", {PASS_PART}),
    ("lambda r: helper(r['a'])", {PASS_PART}),
    ("lambda r: unknown(r['a'])", {PASS_PART}),
    ("lambda r: re.sub('a', 'b', r['s'])", {PASS_PART}),
    ("lambda r: r.total()", {PASS, BACK}),
    ("lambda r: r['obj'].compute()", {PASS_PART}),
    (body("global last", "last = r"), {PASS}),
    (body("TABLE['last'] = r"), {PASS}),
    (body("SEEN.append(r)"), {PASS}),
    (body("SEEN.add(r['n'])"), {PASS_PART}),
    (body("eval('r.clear()')"), {PASS, PASS_PART}),
]


@pytest.mark.parametrize("text", READS)
def test_plain_reads_have_no_effects(text):
    assert analysed(text) == set()


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_effects_are_found(text, expected):
    assert analysed(text) == expected


def record():
    return {"a": 1, "n": 2, "s": "a,b", "tags": [3, 1], "d": {"x": 1}, "items": [{"x": 1}]}


def done_by(text):
    """The effects that a run of the function had."""
    row = record()
    inner = [(key, row[key], copy.deepcopy(row[key])) for key in row]
    scope = {**NAMESPACE, "TABLE": {}, "SEEN": []}
    exec(text if text.startswith("def") else f"f = {text}", scope)
    try:
        result = scope["f"](row)
    except Exception:  # noqa: BLE001  the row need not fit the function
        result = None
    seen = {DEEP for key, value, before in inner if value != before}
    if list(row) != list(record()) or any(row[key] is not value for key, value, _ in inner):
        seen.add(WRITE)
    if result is row or (isinstance(result, list | tuple) and any(x is row for x in result)):
        seen.add(BACK)
    return seen


@pytest.mark.parametrize("text", [*READS, *(text for text, _ in TABLE if "eval" not in text)])
def test_what_a_run_does_was_foretold(text):
    assert done_by(text) <= analysed(text)


def test_another_parameter_can_hold_the_record():
    text = "def f(self, r, out):\n    r['b'] = 1\n    self.n = 1\n    out.append(2)\n"

    assert analysed(text, "r") == {WRITE}
    assert analysed(text, "out") == {WRITE}
    assert analysed("def f(out, r):\n    out.append(r)\n", "r") == {PASS}


def test_a_global_may_hide_a_builtin():
    text = "lambda r: len(r)"

    assert analysed(text, namespace={}) == set()
    assert analysed(text, namespace={"len": NAMESPACE["helper"]}) == {PASS, BACK}


def test_a_local_name_may_hide_a_builtin():
    assert analysed("lambda r, len: len(r) + 1") == {PASS}


def test_without_a_namespace_modules_are_unknown():
    assert analysed("lambda r: math.sqrt(r['n'])", namespace={}) == {PASS_PART}
