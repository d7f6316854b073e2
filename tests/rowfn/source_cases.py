"""Files that put functions into `found`, and what the node of each unparses to."""

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
