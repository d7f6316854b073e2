"""Finding the AST node of a function, whatever stands around it."""

import ast
import linecache
import sys
import textwrap

import pytest

from batchprep.rowfn.source import find_source
from tests.rowfn.files import functions, verdict
from tests.rowfn.source_cases import CASES


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("case", CASES)
def test_the_node_is_the_one_that_was_compiled(case, write):
    text, expected = CASES[case]

    found = functions(write(textwrap.dedent(text)))

    texts = [ast.unparse(find_source(f).node) for f in found]
    assert texts == (expected or texts)


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_no_second_syntax_warning(write, recwarn):
    [f, _] = functions(write("found = [lambda r: r is 1, lambda r: '\\d']"))
    recwarn.clear()

    find_source(f)

    assert not recwarn.list


ENCODED = (
    "# {cookie}\nname = 'ééé漢字😀'; found = [lambda r: 'é' + r['x'], lambda r: r['漢']['é']]\n"
)


@pytest.mark.parametrize(
    ("cookie", "encoding", "newline"),
    [
        ("utf-8", "utf-8", "\n"),
        ("BOM", "utf-8-sig", "\n"),
        ("CRLF", "utf-8", "\r\n"),
        ("CR", "utf-8", "\r"),
        ("coding: gb18030", "gb18030", "\n"),
        ("coding: utf-8", "utf-8-sig", "\r\n"),
    ],
)
def test_columns_count_characters_in_every_encoding(cookie, encoding, newline, write):
    path = write(ENCODED.format(cookie=cookie).replace("\n", newline), encoding)

    for function, text in zip(functions(path), ["'é' + r['x']", "r['漢']['é']"], strict=True):
        source = find_source(function)
        span = source.span(source.node.body)
        assert source.lines[span.line - 1][span.column : span.end_column] == text
        assert (span.file, span.line, span.function) == (str(path), 2, "<lambda>")


def test_excerpt_is_the_first_line_with_carets(write):
    [f] = functions(write("def f(r):\n\tx = (r['é'] //\n\t2)\n\treturn r['a'] // x\nfound = [f]\n"))
    source = find_source(f)
    first, second = source.node.body

    assert source.excerpt(source.span(first)) == "x = (r['é'] //\n^^^^^^^^^^^^^^"
    assert source.excerpt(source.span(second.value)) == ("return r['a'] // x\n       ~~~~~~~^^~~")


def test_a_node_without_a_place_has_the_place_of_its_function(write):
    [f] = functions(write("found = [lambda r: r['a'] + 1]"))
    source = find_source(f)

    assert source.span(source.node.body.op) == source.span(source.node)


def test_names_in_messages_leave_out_enclosing_functions(write):
    text = """
class A:
    def clean(self, r): return 1
def make(): return lambda r: 1
found = [A.clean, make()]
"""

    names = [find_source(f).function for f in functions(write(text))]

    assert names == ["A.clean", "<lambda>"]


@pytest.mark.parametrize(
    "edited",
    [
        "def f(r):\n    return r['a'] + 2\nfound = [f]\n",
        "def f(r):\n    return r['a'] - 1\nfound = [f]\n",
        "def f(r):\n    return r['b'] + 1\nfound = [f]\n",
        "def f(r):\n    return  r['a'] + 1\nfound = [f]\n",
        "def f(q):\n    return q['a'] + 1\nfound = [f]\n",
        "def g(r):\n    return r['a'] + 1\nfound = [g]\n",
        "\ndef f(r):\n    return r['a'] + 1\nfound = [f]\n",
        "async def f(r):\n    return r['a'] + 1\n",
        "# gone\n",
    ],
)
@pytest.mark.parametrize("cached", [False, True])
def test_a_file_edited_after_import_is_noticed(edited, cached, write):
    path = write("def f(r):\n    return r['a'] + 1\nfound = [f]\n")
    [f] = functions(path)
    path.write_text(edited)
    if cached:
        linecache.checkcache(str(path))
        linecache.getlines(str(path))

    assert str(verdict(f)) == "the source of f has changed since it was loaded"


def test_a_file_that_is_no_longer_python_says_so(write):
    path = write("found = [lambda r: 1]")
    [f] = functions(path)
    path.write_text("lambda r: 1 }}")

    assert str(verdict(f)) == "the source of <lambda> cannot be parsed as Python"


def test_an_edit_elsewhere_in_the_file_does_no_harm(write):
    path = write("def f(r):\n    return r['a']\nfound = [f]\n")
    [f] = functions(path)
    path.write_text("def f(r):\n    return r['a']\nfound = [f]\n\ndef later(r): return f(r)\n")

    assert ast.unparse(find_source(f).node) == "def f(r):\n    return r['a']"


def test_a_reloaded_module_is_found_although_old_lines_were_cached(write):
    path = write("found = [lambda r: 1]\n")
    [old] = functions(path)
    find_source(old)
    path.write_text("found = [lambda r: 1000 + 1]\n")
    sys.modules.pop("loaded_module", None)
    [new] = functions(path)

    assert ast.unparse(find_source(new).node) == "lambda r: 1000 + 1"


def test_lines_cached_before_an_edit_still_serve(write):
    path = write("found = [lambda r: 1]\n")
    [f] = functions(path)
    linecache.getlines(str(path))
    path.write_text("found = []\n")

    assert ast.unparse(find_source(f).node) == "lambda r: 1"
