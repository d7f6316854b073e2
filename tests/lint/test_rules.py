import textwrap

import pytest

from batchprep.lint import RULES
from tests.lint.linted import finding_of, report_of, rules_of

FOUND = [
    ("BP001", "for _, row in df.iterrows():\n    out.append(row['a'] + 1)"),
    ("BP001", "for i, row in df.iterrows():\n    print(row['a'])"),
    ("BP001", "out = [row['a'] for _, row in df[df.x > 1].iterrows()]"),
    ("BP001", "for i, row in tqdm(df.iterrows()):\n    out.append(row['a'] + 1)"),
    ("BP002", "for row in df.itertuples():\n    out.append(row.a * row.b)"),
    ("BP002", "out = [t.a + t.b for t in df.itertuples(index=False)]"),
    ("BP003", "df['x'] = df.apply(lambda row: row['a'] + row['b'], axis=1)"),
    ("BP003", "df.apply(f, axis='columns')"),
    ("BP003", "df.apply(f, 1)"),
    ("BP003", "df[['a', 'b']].apply(self.f, axis=1, args=(3,))"),
    ("BP004", "for r in records:\n    out.append(r['a'] * 2)"),
    ("BP004", "for r in load():\n    if r.get('a'):\n        out.append(r['b'])"),
    ("BP004", "for r in records:\n    x = r['a']\n    out.append({'x': x})"),
    ("BP004", "def f(r):\n    return r['a']\n\nfor r in records:\n    out.append(f(r))"),
    ("BP005", "out = [r['a'] * 2 for r in records]"),
    ("BP005", "out = [r for r in records if r['a'] > 2]"),
    ("BP005", "out = {r['a'].lower() for r in records}"),
    ("BP005", "total = sum(r['a'] * r['b'] for r in records)"),
    ("BP005", "def f(r):\n    return r['a']\n\nout = [f(r) for r in records]"),
    ("BP006", "def f(r):\n    return r['a'] + 1\n\nout = list(map(f, records))"),
    ("BP006", "out = map(lambda r: r['a'] + 1, records)"),
    ("BP007", "ds = load_dataset('x')['train']\nds = ds.map(lambda r: {'n': len(r['text'])})"),
    ("BP007", "def g(ds: Dataset):\n    return ds.map(f)"),
    ("BP008", "for r in records:\n    total += r['a']"),
    ("BP008", "for r in records:\n    a.append(r['a'])\n    b.append(r['b'] + 1)"),
    ("BP008", "for r in records:\n    groups.setdefault(r['k'], []).append(r['v'])"),
    ("BP008", "for r in records:\n    out.append(r['a'] + 1)\n    if r['b']:\n        break"),
]


@pytest.mark.parametrize(("rule", "text"), FOUND)
def test_row_loops_are_found(rule, text, tmp_path):
    assert rules_of(tmp_path, text) == [rule]


FRIENDS = {
    "a range": "for i in range(3):\n    out.append(table['a'] + i)",
    "the lines of a file": "for line in open(name):\n    out.append(line.strip())",
    "plain objects": "for p in points:\n    out.append(p.x * 2)",
    "lists by position": "for r in rows:\n    out.append(r[0] + r[1])",
    "the keys of a dict": "for k in table:\n    out.append(table[k] + 1)",
    "items": "for k, v in table.items():\n    out.append(v['a'] + 1)",
    "matches of a pattern": "out = [m['word'].lower() for m in re.finditer(p, s)]",
    "matches under a name": "found = p.finditer(s)\nout = [m['word'].lower() for m in found]",
    "tags of a page": "out = [a['href'].strip() for a in soup.find_all('a')]",
    "a field picked out": "names = [r['name'] for r in records]",
    "a field picked out in a loop": "for r in records:\n    names.append(r['name'])",
    "records that are written into": "for r in records:\n    r['a'] = r['b'] + 1",
    "work without a result": "for r in records:\n    print(r['a'])",
    "columns": "df.apply(f)\ndf.apply(f, axis=0)\ndf['a'].map(f)",
    "a reduction by its name": "df.apply('sum', axis=1)",
    "a styler": "df.style.apply(f, axis=1)",
    "apply with an engine": "df.apply(f, axis=1, engine=e)",
    "a pool": "out = pool.map(f, records)",
    "a column": "df['a'].map(lambda r: r['x'])",
    "a dataset in batches": "ds = load_dataset('x')\nds = ds.map(f, batched=True)",
    "a map of one's own": "def map(f, xs): ...\nout = map(lambda r: r['a'], records)",
    "a generator that is not used up": "lazy = (r['a'] + 1 for r in records)",
    "two loops in one": "out = [x['a'] + 1 for r in records for x in r]",
    "asynchronous records": "async def f():\n    return [r['a'] + 1 async for r in records]",
}


@pytest.mark.parametrize("text", FRIENDS.values(), ids=FRIENDS.keys())
def test_what_only_looks_like_a_row_loop_is_left_alone(text, tmp_path):
    assert rules_of(tmp_path, text) == []


def test_every_rule_is_found_somewhere():
    assert {rule for rule, _ in FOUND} == {rule.id for rule in RULES}


def test_a_finding_says_where_it_stands(tmp_path):
    text = "é = 1; out = [r['a'] * 2 for r in records]\n"

    place = finding_of(tmp_path, text).place

    assert (place.line, place.column) == (1, 14)
    assert text[place.column - 1 : place.end_column] == "[r['a'] * 2 for r in records]"


def test_findings_come_in_the_order_of_the_file(tmp_path):
    text = """
        a = [r["a"] + 1 for r in sum(r["b"] * 2 for r in records)]
        for r in records:
            out.append([s["c"] + 1 for s in r["d"]])
    """

    places = [f.place for f in report_of(tmp_path, text).findings]

    assert len(places) == 4
    assert [(p.line, p.column) for p in places] == sorted((p.line, p.column) for p in places)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("out.append(r['a'])\n    print(out)", "it reads out while it grows"),
        ("x.append(r['a'])\n    y.append(1)", "it appends to several lists: x, y"),
        ("out.append(r['a'])\n    last = r['a']\nprint(last)", "last, which the loop sets"),
        ("counts[r['a']] += 1", "it fills counts"),
        ("seen.add(r['a'])", "it fills seen"),
        ("if r['a']:\n        break\n    out.append(r['b'])", "it stops at a row"),
        ("for x in r['a']:\n        out.append(x)", "a row may append several values"),
        ("out.append(r['a'])\n    x = r['b']", "a row goes on after it has appended"),
        ("r['a'] = 2\n    out.append(r)", "it writes r['a']"),
        ("with lock:\n        out.append(r['a'])", "its body has a with"),
    ],
)
def test_what_is_more_than_a_row_function_is_named(body, reason, tmp_path):
    finding = finding_of(tmp_path, f"for r in records:\n    {body}\n")

    assert reason in finding.verdict.reason
    assert (finding.verdict.status, finding.diff) == ("unknown", "")
    assert "bp.vectorize_loop" in finding.hint


def test_a_value_carried_from_row_to_row_is_no_row_function(tmp_path):
    text = "last = 0\nfor r in records:\n    out.append(r['a'] - last)\n    last = r['a']\n"

    finding = finding_of(tmp_path, text)

    assert finding.rule == "BP008"
    assert "last carries a value from row to row" in finding.verdict.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("for i, row in df.iterrows():\n    out.append(i + row['a'])", "it uses i, the index"),
        ("for _, row in df.iterrows():\n    out.append(row.sum())", "row.sum() belongs to pandas"),
        ("for _, row in df.iterrows():\n    out.append(row.name)", "row.name belongs to pandas"),
        ("for _, row in df.iterrows():\n    out.append(row[0])", "row[0] reads by position"),
        ("for t in df.itertuples():\n    out.append(t.Index)", "t.Index belongs to pandas"),
        ("for t in df.itertuples():\n    out.append(t._1)", "t._1 belongs to pandas"),
        ("for a, b in df.itertuples():\n    out.append(a)", "it takes its row apart as (a, b)"),
        ("for t in df.itertuples(name=None):\n    out.append(t)", "itertuples(name=...)"),
        ("for _, row in df.iterrows():\n    send(row['a'])", "it appends to no list"),
        ("df.apply(lambda row: row[['a', 'b']], axis=1)", "row[['a', 'b']] takes several columns"),
        ("df.apply(lambda row: f'{row.a}', axis=1)", 'write row["a"] there'),
        ("df.apply(lambda row: max(row), axis=1)", "row is used as a whole"),
        ("df.apply(lambda row: [x for x in row], axis=1)", "row is used as a whole"),
        ("df.apply(lambda row: 'a' in row, axis=1)", "row is used as a whole"),
        ("for _, row in df.iterrows():\n    out.append(row)", "row is used as a whole"),
        ("for t in df.itertuples():\n    out.append(dict(t))", "t is used as a whole"),
        ("def f(r):\n    return sum(r)\n\ndf.apply(lambda row: f(row), axis=1)", "as a whole"),
    ],
)
def test_what_a_dict_cannot_do_is_named(text, reason, tmp_path):
    finding = finding_of(tmp_path, text)

    assert reason in finding.verdict.reason
    assert (finding.verdict.status, finding.diff) == ("no", "")


def test_a_loop_that_gathers_is_still_a_loop_over_iterrows(tmp_path):
    text = "for _, row in df.iterrows():\n    total += row['a']\n"

    assert rules_of(tmp_path, text) == ["BP001"]


def test_names_of_an_inner_function_do_not_hide_those_around(tmp_path):
    text = textwrap.dedent("""
        def f(r):
            return r["a"] + 1

        def g(records):
            def f2():
                f = 3
            return [f(r) for r in records]
    """)

    assert finding_of(tmp_path, text).verdict.status == "compiles"
