"""Finding the AST node of a function, whatever stands around it."""

import ast
import functools
import importlib.util
import linecache
import math
import operator
import subprocess
import sys
import textwrap
import threading
import time
import types
import zipfile

import numpy as np
import pytest

from batchprep.errors import Unsupported
from batchprep.rowfn.source import find_source, unwrap

# The text of a file that puts functions into `found`, and what the node of each unparses to.
CASES = {
    "lambda": ("found = [lambda r: r['a']]", ["lambda r: r['a']"]),
    "two lambdas on a line": (
        "found = [lambda r: r['a'] + 1, lambda r: r['a'] + 2]",
        ["lambda r: r['a'] + 1", "lambda r: r['a'] + 2"],
    ),
    "same code, different place": (
        "found = [lambda r: r['a'], lambda r: r['a'],  lambda r: r['b']]",
        ["lambda r: r['a']", "lambda r: r['a']", "lambda r: r['b']"],
    ),
    "constants that are equal": (
        "found = [lambda r: 1, lambda r: 1.0, lambda r: True, lambda r: -0.0, lambda r: 0.0]",
        ["lambda r: 1", "lambda r: 1.0", "lambda r: True", "lambda r: -0.0", "lambda r: 0.0"],
    ),
    "multi-line lambda": (
        """
        found = [
            lambda r: (
                r['a']
                + r['b']
            ),
            (lambda
             r:
             r['c']),
        ]
        """,
        ["lambda r: r['a'] + r['b']", "lambda r: r['c']"],
    ),
    "lambda after lambda across lines": (
        """
        found = [lambda r: (r['a'] +
                            1), lambda r: (r['a'] +
                                           2)]
        """,
        ["lambda r: r['a'] + 1", "lambda r: r['a'] + 2"],
    ),
    "line continuation": ("f = \\\n  lambda r: \\\n  r['a']\nfound = [f]", ["lambda r: r['a']"]),
    "parentheses": ("found = [((lambda r: ((r['a'])))), (lambda r: 1)]", None),
    "lambdas in a comprehension": (
        "found = [f for k in range(2) for f in (lambda r: r['a'] + k, lambda r: r['a'] - k)]",
        ["lambda r: r['a'] + k", "lambda r: r['a'] - k"] * 2,
    ),
    "dict and set comprehensions": (
        "found = [*{k: (lambda r: k) for k in 'a'}.values(), *{(lambda r: k + 1) for k in 'a'}]",
        ["lambda r: k", "lambda r: k + 1"],
    ),
    "lambda in a lambda": (
        "f = lambda a: (lambda r: r['x'] + a)\nfound = [f, f(1)]",
        ["lambda a: lambda r: r['x'] + a", "lambda r: r['x'] + a"],
    ),
    "lambda in a lambda with the same code": (
        "f = lambda a: lambda a: lambda a: a\nfound = [f, f(1), f(1)(1)]",
        ["lambda a: lambda a: lambda a: a", "lambda a: lambda a: a", "lambda a: a"],
    ),
    "lambda in the default of a lambda": (
        "f = lambda a, g=(lambda a: a): g(a)\nfound = [f, f.__defaults__[0]]",
        ["lambda a, g=lambda a: a: g(a)", "lambda a: a"],
    ),
    "lambdas in default arguments": (
        """
        def f(r, one=lambda r: 1, *, two=lambda r: 2): return one(r)
        found = [f, f.__defaults__[0], f.__kwdefaults__['two']]
        """,
        [
            "def f(r, one=lambda r: 1, *, two=lambda r: 2):\n    return one(r)",
            "lambda r: 1",
            "lambda r: 2",
        ],
    ),
    "lambdas in decorators": (
        """
        kept = []
        def keep(*functions): kept.extend(functions); return lambda f: f
        @keep(lambda r: 1, lambda r: 2)
        @keep(
            lambda r: 3,
        )
        def f(r): return 4
        found = [*kept, f]
        """,
        [
            "lambda r: 1",
            "lambda r: 2",
            "lambda r: 3",
            "@keep(lambda r: 1, lambda r: 2)\n@keep(lambda r: 3)\ndef f(r):\n    return 4",
        ],
    ),
    "immediate call and conditional": (
        "found = [(lambda a: (lambda r: a))(1), (lambda r: 1) if 1 else (lambda r: 2)]",
        ["lambda r: a", "lambda r: 1"],
    ),
    "walrus": (
        "found = [(f := lambda r: (x := r['a']) + x), f]",
        ["lambda r: (x := r['a']) + x"] * 2,
    ),
    "walrus in the default of a neighbour": (
        "def make(): return [lambda r, k=(y := 1): k, lambda r: y]\nfound = make()",
        ["lambda r, k=(y := 1): k", "lambda r: y"],
    ),
    "lambda in an f-string": (
        """
        kept = []
        def keep(f): kept.append(f); return ''
        text = f"{keep(lambda r: r['a'])} and {keep((lambda r: r['b']))}"
        found = kept
        """.replace("{keep(lambda r: r['a'])}", "{keep((lambda r: r['a']))}"),
        ["lambda r: r['a']", "lambda r: r['b']"],
    ),
    "statements on a line": (
        "f = lambda r: 1; g = lambda r: 2; found = [g, f]",
        ["lambda r: 2", "lambda r: 1"],
    ),
    "nested functions and closures": (
        """
        def make(k):
            def inner(r):
                return r['a'] * k
            def other(r):
                return inner(r) + k
            return [inner, other, lambda r: inner(r)]
        found = make(2)
        """,
        [
            "def inner(r):\n    return r['a'] * k",
            "def other(r):\n    return inner(r) + k",
            "lambda r: inner(r)",
        ],
    ),
    "closure or global decided by the surroundings": (
        """
        k = 0
        def make():
            def inner(r): return k
            def assign():
                nonlocal k
                k = 2
            k = 1
            return inner
        def plain():
            def inner(r): return k
            return inner
        found = [make(), plain()]
        """,
        ["def inner(r):\n    return k"] * 2,
    ),
    "class bodies, mangled names, super": (
        """
        class Base:
            def clean(self, r): return r
        class Orders(Base):
            rate = lambda self, r: self.__rate
            def clean(self, r): return super().clean(r)
            @staticmethod
            def scale(r): return r['a']
            @classmethod
            def make(cls, r): return cls.__hidden
            @property
            def first(self): return 1
            def __private(self, r): return 1
            found = [rate, clean, scale.__func__, make.__func__, first.fget, __private]
        found = Orders.found
        """,
        [
            "lambda self, r: self.__rate",
            "def clean(self, r):\n    return super().clean(r)",
            "@staticmethod\ndef scale(r):\n    return r['a']",
            "@classmethod\ndef make(cls, r):\n    return cls.__hidden",
            "@property\ndef first(self):\n    return 1",
            "def __private(self, r):\n    return 1",
        ],
    ),
    "if, try, with, for, while, match": (
        """
        import contextlib
        found = []
        if found:
            def f(r): return 1
        else:
            def f(r): return 2
        found.append(f)
        try:
            f = lambda r: 3
        finally:
            found.append(f)
        with contextlib.nullcontext():
            for k in range(1):
                while len(found) < 3:
                    match k:
                        case 0:
                            found.append(lambda r: 4)
        """,
        ["def f(r):\n    return 2", "lambda r: 3", "lambda r: 4"],
    ),
    "redefined under the same name": (
        """
        def f(r): return 1
        first = f
        def f(r): return 2
        found = [first, f]
        """,
        ["def f(r):\n    return 1", "def f(r):\n    return 2"],
    ),
    "wraps keeps the wrapper": (
        """
        import functools
        def twice(f):
            @functools.wraps(f)
            def wrapper(r): return f(f(r))
            return wrapper
        @twice
        def f(r): return r
        found = [f, f.__wrapped__]
        """,
        [
            "@functools.wraps(f)\ndef wrapper(r):\n    return f(f(r))",
            "@twice\ndef f(r):\n    return r",
        ],
    ),
    "docstring, annotations, positional-only": (
        """
        def f(r: dict[str, int], /, *, k: "int" = 1) -> int:
            \"\"\"Doc.\"\"\"
            return r['a'] + k
        found = [f]
        """,
        None,
    ),
    "future annotations": (
        """
        from __future__ import annotations
        def make(k: Missing):
            def f(r: Missing) -> Missing: return k
            return f
        found = [make(1), make]
        """,
        None,
    ),
    "invalid escapes and odd comparisons": (
        """
        def f(r): return r['a'] is 1
        found = [f, lambda r: '\\d' + r['b']]
        """,
        None,
    ),
    "constant sets, slices, nested code": (
        "found = [lambda r: r['a'] in {1, 2} and sorted(r['b'][1:], key=lambda x: [y for y in x])]",
        None,
    ),
    "form feed and tabs": ("\x0c\nif True:\n\tfound = [lambda r:\t1,\tlambda r: 2]", None),
    "functions of imported modules": (
        """
        def early(r): return math.sqrt(r['a']) + sqrt(r['b'])
        if True:
            try:
                import math
            except ImportError:
                math = None
        from math import sqrt
        class A:
            import os
            def clean(self, r): return os.path.join(r['a'])
        found = [early, A.clean, lambda r: math.floor(r['a'])]
        """,
        None,
    ),
    "super under another name": (
        """
        parent = super
        class A:
            def clean(self, r): return super().clean(r)
        found = [A.clean]
        """,
        None,
    ),
    "a parameter called like its function": ("def r(r): return r\nfound = [r]", None),
}


def load(path, name="loaded_module"):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "prep.py"
        path.write_bytes(text.encode(encoding))
        linecache.checkcache(str(path))
        return path

    return write


def functions(path):
    return load(path).found


def verdict(function):
    with pytest.raises(Unsupported) as caught:
        find_source(function)
    return caught.value


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


def made(text, file):
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("<stdin>", "no source: f was typed at the interactive prompt or piped into Python"),
        ("<string>", "no source: f was made by exec, eval or python -c, which keep no text"),
        ("<generated 7>", "no source: f was generated by <generated 7>, which keeps no text"),
        ("/no/such/prep.py", "no source: /no/such/prep.py does not exist here"),
    ],
)
def test_without_source_the_reason_says_why(file, reason):
    error = verdict(made("def f(r): return 1", file))

    assert str(error) == reason
    assert error.hint
    assert error.span.line == 1


def test_a_file_that_cannot_be_decoded_has_no_source(write):
    path = write("f = 1")
    path.write_bytes(b"x = '\xff\xfe'")

    assert str(verdict(made("def f(r): return 1", str(path)))).endswith(
        "cannot be read as Python text"
    )


def test_a_function_of_a_compiled_file_alone_has_no_source(write):
    import py_compile

    path = write("found = [lambda r: 1]")
    compiled = path.with_suffix(".pyc")
    py_compile.compile(str(path), str(compiled), doraise=True)
    path.unlink()

    [f] = functions(compiled)

    assert "does not exist here" in str(verdict(f))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("def f(r): yield r", "f is a generator"),
        ("async def f(r): return r", "f is a coroutine function"),
        ("async def f(r): yield r", "f is an asynchronous generator"),
        ("f = lambda r: (yield r)", "<lambda> is a generator"),
    ],
)
def test_generators_and_coroutines_are_refused(text, what, write):
    [f] = functions(write(f"{text}\nfound = [f]"))

    assert str(verdict(f)) == what


def test_registered_generated_code_is_found():
    file = "<generated by a template>"
    text = "def f(r):\n    return r['a']\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)

    assert ast.unparse(find_source(made(text, file)).node) == text.rstrip()


def test_a_zipped_package_is_found(tmp_path, monkeypatch):
    archive = tmp_path / "prep.zip"
    with zipfile.ZipFile(archive, "w") as stored:
        stored.writestr("zipped_prep/__init__.py", "")
        stored.writestr("zipped_prep/rows.py", "f = lambda r: 'é' + r['a']\n")
    monkeypatch.syspath_prepend(str(archive))
    from zipped_prep.rows import f

    assert ast.unparse(find_source(f).node) == "lambda r: 'é' + r['a']"


def test_statements_compiled_one_by_one_are_found():
    # As IPython does: the import is then unknown when the function is compiled.
    file = "<cell 1>"
    text = "import math\nf = lambda r: math.sqrt(r['a'])\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), file, "exec"), scope)

    assert ast.unparse(find_source(scope["f"]).node) == "lambda r: math.sqrt(r['a'])"


def test_a_doctest_is_found():
    import doctest

    text = ">>> f = lambda r: r['a']\n>>> show(f)\nlambda r: r['a']\n"
    scope = {"show": lambda f: print(ast.unparse(find_source(f).node))}
    example = doctest.DocTestParser().get_doctest(text, scope, "rows", "rows.py", 0)

    assert doctest.DocTestRunner().run(example).failed == 0


def test_functions_of_this_file_are_found():
    first, second = (lambda r: r["x"] + 1), (lambda r: r["x"] + 2)
    assert first({"x": 1}) == 2

    assert ast.unparse(find_source(second).node) == "lambda r: r['x'] + 2"


def test_functions_whose_asserts_pytest_rewrote_say_so():
    def f(r):
        assert r["x"]
        return 1

    assert str(verdict(f)) == "pytest rewrote the assert statements of f"


SCRIPT = """
import ast
from batchprep.rowfn.source import find_source
def f(r):
    '''Doc.'''
    assert r
    if __debug__:
        return 1
    return 2
for g in (f, lambda r: 1, lambda r: (lambda r: 2), (lambda a: lambda r: a)(1)):
    print(ast.dump(find_source(g).node)[:8], ast.unparse(find_source(g).node).splitlines()[-1])
"""


@pytest.mark.parametrize("flags", [["-O"], ["-OO"], ["-X", "no_debug_ranges"], ["-W", "error"]])
def test_interpreter_flags_do_not_matter(flags, write):
    done = subprocess.run(
        [sys.executable, *flags, str(write(SCRIPT))], capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Function     return 2",
        "Lambda(a lambda r: 1",
        "Lambda(a lambda r: lambda r: 2",
        "Lambda(a lambda r: a",
    ]


def test_code_compiled_without_columns_is_told_apart_by_its_code(write):
    [one, two] = functions(write("found = [lambda r: r['a'], lambda r: r['b']]"))
    for f in (one, two):
        bare = [(line, None, None, None) for line, *_ in f.__code__.co_positions()]
        assert bare
        f.__code__ = f.__code__.replace(co_linetable=lines_only(len(bare)))

    assert ast.unparse(find_source(two).node) == "lambda r: r['b']"
    assert ast.unparse(find_source(one).node) == "lambda r: r['a']"


def lines_only(units):
    """A location table that holds lines without columns (entry kind 13, line delta 0)."""
    table = bytearray()
    while units:
        table += bytes([0x80 | 13 << 3 | min(units, 8) - 1, 0])
        units -= min(units, 8)
    return bytes(table)


def test_large_files_are_parsed_once(write):
    body = "".join(
        f"def f{i}(r):\n    x = r['a'] + {i}\n    return x * 2\n\n\n" for i in range(2000)
    )
    module = load(write(body))
    find_source(module.f0)

    start = time.perf_counter()
    for i in range(0, 2000, 20):
        assert find_source(getattr(module, f"f{i}")).node.name == f"f{i}"

    assert time.perf_counter() - start < 1.0  # a parse alone takes about 0.1 s


def test_many_threads_find_their_own_functions(write):
    text = "found = [" + ", ".join(f"lambda r: {i}" for i in range(16)) + "]"
    found = functions(write(text))
    seen = {}

    def look(i):
        seen[i] = ast.unparse(find_source(found[i]).node)

    threads = [threading.Thread(target=look, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == {i: f"lambda r: {i}" for i in range(16)}


# ------------------------------------------------------------------------------------------ unwrap


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
