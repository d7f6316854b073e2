"""Random loops of the known classes, as source text with lines that Python's own tools find."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from itertools import count
from typing import Any

from hypothesis import strategies as st

EXPRESSIONS = [
    "r['n']", "r['x']", "r['s']", "r['n'] * 2", "r['n'] + r['x']", "r['x'] * 0.1", "r['n'] % 3",
    "r['s'].upper()", "r['s'] + 'x'", "len(r['s'])", "-r['x']", "r['n'] // 2", "(r['s'], r['n'])",
    "{'n': r['n'], 's': r['s']}", "r.get('x', 0)", "r", "None", "1", "v", "f\"{r['s']}:{r['n']}\"",
]  # fmt: skip
NUMBERS = ["r['n']", "r['x']", "1", "0.1", "r['n'] * r['x']", "r['x'] - 1", "len(r['s'])", "v"]
KEYS = ["r['s']", "r['s'].lower()", "r['n'] % 3", "r['n']", "r['x'] > 1", "(r['s'], 1)", "v"]
TESTS = [
    "r['n'] > 2", "r['x'] is not None", "r['s'] == 'a'", "r['n'] % 2", "r['s']", "v > 1",
    "r['x'] is None or r['x'] > 0.5", "not r['s'].startswith('b')",
]  # fmt: skip
UPDATES = {
    "append": ("[]", "{a}.append({e})"),
    "extend": ("[]", "{a}.extend([{e}, 0])"),
    "add": ("set()", "{a}.add({k})"),
    "count": ("0", "{a} += 1"),
    "sum": ("0", "{a} += {n}"),
    "float_sum": ("0.5", "{a} -= {n}"),
    "group": ("{}", "{a}.setdefault({k}, []).append({e})"),
    "grouped": ("defaultdict(list)", "{a}[{k}].append({e})"),
    "grouped_sum": ("{}", "{a}[{k}] = {a}.get({k}, 0) + {n}"),
    "default_sum": ("defaultdict(float)", "{a}[{k}] += {n}"),
    "counter": ("Counter()", "{a}[{k}] += 1"),
    "put": ("{}", "{a}[{k}] = {e}"),
    "ensured": ("{}", "if {k} not in {a}:\n    {a}[{k}] = 0\n{a}[{k}] += {n}"),
    "tested": ("{}", "if {k} in {a}:\n    {a}[{k}] += {n}\nelse:\n    {a}[{k}] = {n}"),
    "maximum": ("None", "if {a} is None or {n} > {a}:\n    {a} = {n}"),
    "minimum": ("7", "if {n} <= {a}:\n    {a} = {n}"),
    "max": ("0", "{a} = max({a}, {n})"),
    "min": ("3.5", "{a} = min({n}, {a})"),
    "last": ("None", "{a} = {e}"),
    "difference": ("(None, [])", "{a} = ({n}, [*{a}[1][-3:], {a}[0]])"),
    "running": ("0", "{a} += {n}\nlog.append({a})"),
    "before": ("0", "log.append(({a}, {n}))\n{a} = {n}"),
    "seen": ("set()", "if {k} in {a}:\n    continue\n{a}.add({k})"),
    "tap": ("{}", "p{a} = {a}.get({k}, 0)\n{a}[{k}] = {n}\nlog.append(({n}) - p{a})"),
    "grouped_running": ("defaultdict(int)", "{a}[{k}] += {n}\nlog.append(-{a}[{k}])"),
    "nth": ("Counter()", "{a}[{k}] += 1\nif {a}[{k}] > 1:\n    log.append({e})"),
    "reset": (
        "None",
        "if {k} != {a}:\n    s{a} = 0\n    {a} = {k}\ns{a} += {n}\nlog.append({{'so': s{a} + 1}})",
    ),
    "clamp": ("0", "{a} += {n}\nif {a} > 6:\n    {a} = 0\nlog.append(({a} * 2, {e}))"),
    "streak": ("0", "if {k} == 'a':\n    {a} += 1\nelse:\n    {a} = 0\nlog.append(f'{{{a}}}')"),
    "write": ("0", "r['w'] = {e}\n{a} += 1"),
    "write_back": ("0", "r['n'] = {n}\nr['m'] = [r['n'], {k}]\n{a} += 1"),
    "augment": ("0", "r['n'] += {n}\n{a} += 1"),
    "write_carried": ("0", "{a} += {n}\nr['total'] = {a} * 2"),
    "write_kept": ("[]", "r['z'] = {k}\n{a}.append(r)"),
    "inner": ("{}", "for t in r['t']:\n    if t != {k}:\n        {a}[t] = {a}.get(t, 0) + {n}"),
    "inner_group": (
        "{}",
        "for d in r['d']:\n    {a}.setdefault(d['g'], []).append((d['h'] + 1, {k}))",
    ),
    "inner_list": ("[]", "for j, t in enumerate(r['t']):\n    {a}.append((j, t, {e}))"),
    "inner_count": (
        "0",
        ("for d in r['d']:\n    if not d.get('h'):\n        continue\n    {a} += 1"),
    ),
    "inner_seen": ("set()", "for t in r['t'] or []:\n    {a}.add(t + {k})"),
    "inner_kept": ("[]", "for d in r['d']:\n    {a}.append(d)\n    {a}.append({k})"),
    "guard": (
        "[]",
        (
            "try:\n"
            "    q = float({e})\n"
            "except (TypeError, ValueError) as error:\n"
            "    {a}.append((f'error {{error}}', {k}))\n"
            "    continue\n"
            "{a}.append(q * 2)"
        ),
    ),
    "parsed": (
        "0",
        ("try:\n    q = int(r['s'])\n    {a} += q\nexcept ValueError:\n    log.append({k})"),
    ),
    "parsed_else": (
        "[]",
        (
            "try:\n"
            "    q = {n} / {k}\n"
            "except ZeroDivisionError:\n"
            "    log.append({e})\n"
            "except TypeError as e:\n"
            "    {a}.append({{'error': str(e), 'e': {e}}})\n"
            "else:\n"
            "    {a}.append([q, {k}])"
        ),
    ),
    "written_try": (
        "0",
        (
            "try:\n"
            "    r['q'] = float({e})\n"
            "except (TypeError, ValueError):\n"
            "    r['q'] = None\n"
            "    {a} += 1"
        ),
    ),
    "nested": ("{}", "{a}.setdefault({k}, {{}})\n{a}[{k}]['x'] = {a}[{k}].get('x', 0) + {n}"),
    "nested_counter": ("defaultdict(Counter)", "{a}[{k}][r['s']] += 1"),
    "group_maximum": ("{}", "if {k} not in {a} or {n} > {a}[{k}]:\n    {a}[{k}] = {n}"),
    "group_least": ("{}", "{a}[{k}] = min({a}.get({k}, 9), {n})"),
    "top": ("{}", "c{a} = {a}.get({k})\nif c{a} is None or r['n'] > c{a}['n']:\n    {a}[{k}] = r"),
    "while": ("[]", "m = len(r['t'])\nwhile m > 0:\n    m -= 2\n{a}.append(m)"),
    "previous_record": ("None", "if {a} is not None:\n    log.append(r['n'] - {a}['n'])\n{a} = r"),
    "code": ("{}", "if {k} not in {a}:\n    {a}[{k}] = len({a})\nlog.append({a}[{k}])"),
}
EARLIER = ["q", "r['n'] - q['n']", "q['s'] == r['s']", "q['x'] or 0"]
ENDINGS = ["break", "return 'early', r['s']", "continue", "return log"]
HEADS = [
    "for r in records:",
    "for i, r in enumerate(records):",
    "for i, r in enumerate(records, 5):",
    "for q, r in zip(records, records[1:]):",
    "for i in range(1, len(records)):\n        r = records[i]",
]
_numbers = count(1)


@dataclass(frozen=True)
class Program:
    """A loop as text."""

    text: str

    def function(self) -> Any:
        """The loop as a function whose source can be found."""
        file = f"<random loop {next(_numbers)}>"
        imports = "from collections import Counter, defaultdict\n"
        text = imports + self.text
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {}
        exec(compile(text, file, "exec"), namespace)
        return namespace["process"]


def _indented(text: str, by: int) -> list[str]:
    return [" " * by + line for line in text.split("\n")]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Loops with one to four updates, under conditions or a try, and perhaps an end."""
    head = draw(st.sampled_from(HEADS))
    names: list[str] = []
    before = ["    log = []"]
    body = [f"        v = {draw(st.sampled_from(NUMBERS[:-1]))}"]
    for number in range(draw(st.integers(1, 4))):
        start, text = UPDATES[draw(st.sampled_from(sorted(UPDATES)))]
        names.append(f"a{number}")
        before.append(f"    a{number} = {start}")
        if "s{a}" in text:
            before.append(f"    sa{number} = 0")
        chosen = draw(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in PARTS.items()}))
        lines = text.format(a=f"a{number}", **chosen)
        body += _wrapped(draw, lines)
    if draw(st.booleans()):
        test = draw(st.sampled_from([*TESTS, "len(log) > 4", "r['n'] == 8"]))
        body += _indented(f"if {test}:\n    {draw(st.sampled_from(ENDINGS))}", 8)
    if "enumerate" in head:
        body.append("        log.append((i, r['s']))")
    if "zip" in head:
        body.append(f"        log.append((q['n'], {draw(st.sampled_from(EARLIER))}))")
    if "range" in head:
        body.append("        log.append((i, records[i - 1]['s'], records[i]['x']))")
    after = f"    return log, {', '.join(names)}"
    lines = ["def process(records):", *before, f"    {head}", *body, after, ""]
    return Program("\n".join(lines))


def _wrapped(draw: st.DrawFn, lines: str) -> list[str]:
    how = draw(st.sampled_from(["plain", "plain", "if", "else", "try", "skip"]))
    test = draw(st.sampled_from(TESTS))
    if how == "if":
        return _indented(f"if {test}:", 8) + _indented(lines, 12)
    if how == "else":
        return _indented(f"if {test}:\n    log.append(0)\nelse:", 8) + _indented(lines, 12)
    if how == "try" and "continue" not in lines:
        caught = "except (TypeError, KeyError, AttributeError):\n    log.append('caught')"
        return [*_indented("try:", 8), *_indented(lines, 12), *_indented(caught, 8)]
    if how == "skip":
        return _indented(f"if {test}:\n    continue", 8) + _indented(lines, 8)
    return _indented(lines, 8)


PARTS = {"e": EXPRESSIONS, "k": KEYS, "n": NUMBERS}
VALUES = {
    "n": [0, 1, 2, 3, 5, 8, -4, 2.5, True, 2**63, None],
    "x": [0.1, 1.5, -0.0, 0.0, 3, None, float("nan"), 1e300, 0.7],
    "s": ["a", "b", "A", "", "ß", None],
    "t": [["a", "b"], [], ["b"], ["a", "a", "x"], None, "ab", ["a", 1]],
    "d": [
        [{"g": "k", "h": 1}],
        [],
        [{"g": "l", "h": 2.5}, {"g": "k", "h": 0}],
        [{"g": "m"}],
        [None],
        [{"g": None, "h": "x"}],
    ],
}
WEIGHTS = {"n": 6, "x": 3, "s": 5, "t": 4, "d": 3}  # how many of the values come often


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records that are clean, or dirty here and there."""
    is_dirty = draw(st.booleans())
    chosen = {
        name: st.sampled_from(values if is_dirty else values[: WEIGHTS[name]])
        for name, values in VALUES.items()
    }
    found = draw(st.lists(st.fixed_dictionaries(chosen), max_size=12))
    if is_dirty and found and draw(st.booleans()):
        found[-1].pop(draw(st.sampled_from(sorted(VALUES))))
    return found * draw(st.sampled_from([1, 1, 3]))
