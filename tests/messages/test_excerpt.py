import pytest

from batchprep.errors import Span
from batchprep.errors.excerpt import marked_line, span_excerpt

MARKED = [
    ('    return r["a"] // r["b"]', 'r["a"] // r["b"]', "~~~~~~~^^~~~~~~~"),
    ("    return (a + 1) * (b)", "(a + 1) * (b)", "~~~~~~~~^~~~~"),
    ('    return f(r["title"])', 'f(r["title"])', "~^^^^^^^^^^^^"),
    ('    return r["title"]', 'r["title"]', "~^^^^^^^^^"),
    ("    if a is not b:", "a is not b", "~~^^^^^^~~"),
    ("    if a < b < c:", "a < b < c", "^^^^^^^^^"),
    ("    while True:", "while True:", "^^^^^^^^^^^"),
    ("    x = é + 1", "é + 1", "~~^~~"),
]


@pytest.mark.parametrize(("line", "part", "marks"), MARKED)
def test_carets_stand_under_the_operator(line, part, marks):
    column = line.index(part)

    text, carets = marked_line(line, column, column + len(part)).split("\n")

    assert text == line.strip()
    assert carets == " " * text.index(part) + marks


def test_carets_follow_wide_characters():
    line = 'T["日本"] + 1'

    assert marked_line(line, 0, len(line)).split("\n")[1] == "~" * 10 + "^" + "~~"


def test_no_carets_outside_of_the_line():
    assert marked_line("x = 1", 5, 5) == "x = 1"
    assert marked_line("x = 1", 90, 95) == "x = 1"


def test_span_over_several_lines_is_marked_to_the_end_of_its_first(tmp_path):
    file = tmp_path / "prep.py"
    file.write_text("def f(r):\n    return g(\n        r)\n")
    span = Span(str(file), 2, 11, 3, 10, "f")

    assert span_excerpt(span) == "return g(\n       ^^"


def test_span_without_source_has_no_excerpt():
    assert span_excerpt(Span("<string>", 1, 0, 1, 5, "f")) == ""
