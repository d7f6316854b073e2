"""The grammar as data: (weight, label, template) by symbol; {names} in a template are symbols.

The label is the construct that is counted. A rule without symbols of expressions ends a branch:
`LEAVES` holds those, `BRANCHES` the others, by group, so that the weights of groups stay in view.
"""

from __future__ import annotations

from tests.fuzz.text_rules import (
    FORMATS,
    METHODS,
    PARTS,
    PURE,
    TEXT_MODULE,
    TEXT_NUMBERS,
    TEXT_OPTIONS,
    TEXT_TESTS,
    Rule,
)

ARITHMETIC: tuple[Rule, ...] = (
    (5, "+", "({num} + {num})"),
    (4, "-", "({num} - {num})"),
    (5, "*", "({num} * {num})"),
    (3, "/", "({num} / {divisor})"),
    (3, "//", "({num} // {divisor})"),
    (3, "%", "({num} % {divisor})"),
    (4, "**", "({num} ** {exponent})"),
    (2, "unary -", "(-{num})"),
    (1, "unary +", "(+{num})"),
    (3, "/", "({int} / {int})"),
    (1, "//", "({int} // {int})"),
    (1, "%", "({int} % {int})"),
    (2, "**", "({int} ** -1)"),
    (2, "**", "(float({num}) ** {num})"),
    (3, "//", "(float({num}) // {num})"),
    (1, "**", "(float({num}) ** -1)"),
    (2, "/", "({num} / {num})"),
    (3, "%", "({num} % {num})"),
)

BITS: tuple[Rule, ...] = (
    (2, "&", "({int} & {int})"),
    (2, "|", "({int} | {int})"),
    (2, "^", "({int} ^ {int})"),
    (2, "~", "(~{int})"),
    (2, "<<", "({int} << {shift})"),
    (2, ">>", "({int} >> {shift})"),
)

BUILTINS: tuple[Rule, ...] = (
    (3, "abs", "abs({num})"),
    (3, "min", "min({num}, {num})"),
    (3, "max", "max({num}, {num})"),
    (1, "min of three", "min({num}, {num}, {num})"),
    (1, "max of three", "max({num}, {num}, {num})"),
    (2, "round", "round({num})"),
    (2, "round to digits", "round({num}, {digits})"),
    (1, "round to digits", "round({int}, -1)"),
    (2, "int()", "int({num})"),
    (2, "float()", "float({num})"),
    (2, "pow", "pow({num}, {exponent})"),
    (2, "divmod", "divmod({num}, {divisor})[0]"),
    (1, "divmod", "divmod({num}, {divisor})[1]"),
    (2, "len", "len({str})"),
    (2, "sum", "sum(({num}, {num}, {num}))"),
)

SAFE_POSITIVE = "(abs({num}) + 1)"
MATH: tuple[Rule, ...] = (
    *((1, f"math.{name}", f"math.{name}({{num}})") for name in (
        "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
        "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt",
        "erf", "erfc", "gamma", "lgamma", "degrees", "radians", "fabs", "floor", "ceil", "trunc",
    )),
    *((1, f"math.{name}", f"math.{name}{SAFE_POSITIVE}") for name in (
        "sqrt", "log", "log2", "log10", "log1p", "lgamma",
    )),
    *((1, f"math.{name}", f"math.{name}({{num}}, {{num}})") for name in (
        "atan2", "hypot", "fmod", "remainder",
    )),
    # Never the sign of a NaN: Python leaves it open, and it differs between machines.
    (1, "math.copysign", "math.copysign({num}, {number})"),
    (1, "math.copysign", "math.copysign({num}, 0.0 * {int})"),
    (1, "math.pow", "math.pow({num}, {exponent})"),
    (1, "math.gcd", "math.gcd({int}, {int})"),
    (1, "math.gcd", "math.gcd({num}, {int})"),
    (2, "math.log to a base", "math.log({num}, {num})"),
)  # fmt: skip

MIXED: tuple[Rule, ...] = (
    (3, "ternary", "({num} if {bool} else {num})"),
    (2, "or value", "({num} or {num})"),
    (2, "and value", "({num} and {num})"),
    (2, "helper call", "{helper}"),
    (1, "table[key]", "{table_item}"),
    (1, "table.get", "{table_get}"),
    (1, "walrus", "{walrus}"),
    (1, "bool as number", "({bool} + {num})"),
)

COMPARISONS: tuple[Rule, ...] = (
    (3, "<", "({num} < {num})"),
    (3, "<=", "({num} <= {num})"),
    (3, ">", "({num} > {num})"),
    (3, ">=", "({num} >= {num})"),
    (2, "==", "({num} == {num})"),
    (2, "!=", "({num} != {num})"),
    (2, "chained comparison", "({num} < {num} <= {num})"),
    (1, "chained comparison", "({num} >= {num} != {num})"),
    (2, "== of strings", "({str} == {str})"),
    (1, "!= of strings", "({str} != {str})"),
    (1, "== across kinds", "({any} == {any})"),
)

LOGIC: tuple[Rule, ...] = (
    (3, "and", "({bool} and {bool})"),
    (3, "or", "({bool} or {bool})"),
    (3, "not", "(not {any})"),
    (2, "bool()", "bool({any})"),
    (1, "ternary", "({bool} if {bool} else {bool})"),
)

TESTS: tuple[Rule, ...] = (
    (3, "is None", "({maybe} is None)"),
    (3, "is not None", "({maybe} is not None)"),
    (2, "isinstance", "isinstance({any}, {types})"),
    (2, "in numbers", "({num} in {numbers})"),
    (1, "not in numbers", "({num} not in {numbers})"),
    (2, "in words", "({str} in {words})"),
    (1, "not in words", "({str} not in {words})"),
    (1, "in table", "({str} in {table})"),
    (1, "key in record", "{key_test}"),
    (1, "math.isnan", "math.isnan({num})"),
    (1, "math.isfinite", "math.isfinite({num})"),
    (1, "math.isinf", "math.isinf({num})"),
)

WHOLE: tuple[Rule, ...] = (
    (2, "int()", "int({num})"),
    (2, "len", "len({str})"),
    (1, "ternary", "({int} if {bool} else {int})"),
    (1, "+", "({int} + {int})"),
    (1, "*", "({int} * {int})"),
    (1, "unary -", "(-{int})"),
    (1, "math.floor", "math.floor({num})"),
)

WORDS: tuple[Rule, ...] = (
    (3, "ternary", "({str} if {bool} else {str})"),
    (2, "or value", "({str} or {str})"),
    (2, "table of words[key]", "{word_item}"),
    (2, "table of words.get", "{word_get}"),
    (6, "", "{text_helper}"),
)

BRANCHES: dict[str, tuple[tuple[int, tuple[Rule, ...]], ...]] = {
    "num": ((11, ARITHMETIC), (4, MATH), (4, BUILTINS), (4, MIXED), (2, BITS), (4, TEXT_NUMBERS)),
    "int": ((5, BITS), (3, WHOLE)),
    "bool": ((6, COMPARISONS), (3, LOGIC), (4, TESTS), (5, TEXT_TESTS)),
    "str": ((3, WORDS), (4, METHODS), (3, PARTS), (5, FORMATS), (2, PURE)),
    "any": (
        (
            1,
            (
                (3, "", "{num}"),
                (2, "", "{str}"),
                (1, "", "{bool}"),
                (1, "ternary", "({num} if {bool} else None)"),
                (1, "ternary", "({str} if {bool} else {num})"),
            ),
        ),
    ),
}

LEAVES: dict[str, tuple[Rule, ...]] = {
    "num": (
        (1, "", "{number}"),
        (4, "", "{number_field}"),
        (3, "", "{number_name}"),
        (1, "", "{constant}"),
    ),
    "int": ((1, "", "{whole}"), (4, "", "{int_field}"), (1, "", "{flag}")),
    "bool": ((1, "", "{flag}"), (3, "", "{flag_test}")),
    "str": ((1, "", "{word}"), (5, "", "{word_field}"), (2, "", "{text_name}")),
    "any": (
        (2, "", "{any_field}"),
        (2, "", "{number_name}"),
        (1, "", "{number}"),
        (1, "", "{word}"),
        (1, "", "None"),
    ),
}

OPTIONS: dict[str, tuple[str, ...]] = {
    "number": (
        "1", "2", "0", "-1", "3", "0.5", "10", "100", "2.5", "-0.25", "1.0", "0.0", "-0.0",
        "1000", "7", "1e3", "50_000", "9007199254740993", "9223372036854775807", "True",
    ),
    "whole": ("1", "2", "0", "-1", "3", "255", "7", "1024", "4611686018427387904"),
    "flag": ("True", "False"),
    "word": ('"red"', '"green"', '""', '"RED"', '"ß"', '"none"', '"1"'),
    "exponent": ("2", "3", "0.5", "1", "0", "-1", "4", "-2", "1.5", "({int} % 5)", "{small}"),
    "shift": ("1", "3", "0", "8", "31", "62", "63", "64", "70", "-1", "({int} & 7)", "{small}"),
    "digits": ("2", "1", "0", "-1", "3", "{small}"),
    "divisor": ("2", "3", "7", "-4", "2.5", "0.5", SAFE_POSITIVE, SAFE_POSITIVE, "{num}", "{num}"),
    "types": ("int", "float", "str", "bool", "(int, float)", "(str, bool)", "(float, bool)"),
    "numbers": ("(1, 2, 3)", "{{0, 1, 7}}", "[2, 0.5, 10]", "(1.0, 5)", "NUMBERS", "(True, 0.0)"),
    "words": (
        '("red", "green")', '{{"blue", "RED"}}', '["red", ""]', '("ß", "1")', "WORDS",
        '{{"red": 1, "a": 2}}',
    ),
    "table": ("PRICES", "NAMES"),
    **TEXT_OPTIONS,
}  # fmt: skip

MODULE = (
    """\
K = 5
RATE = 0.25
LIMIT = 1000
NEGATIVE_ZERO = -0.0
NOT_A_NUMBER = float("nan")
INFINITE = float("inf")
FLAG = True
NUMBERS = frozenset({1, 2.5, 100})
WORDS = {"green", "blue", ""}
PRICES = {"red": 1, "green": 2.5, "blue": -3, "": 0, "1": 2**53 + 1, "RED": 1.0, "a": True}
NAMES = {"red": "R", "green": "G", "ß": "sharp s", "a": "", "blue": "RED", "1": "one", "": "a"}
LEVELS = {0: "zero", 1: "one", 2: 2.5, -1: None, 7: 7}
"""
    + TEXT_MODULE
)

CONSTANTS = ("K", "RATE", "LIMIT", "NEGATIVE_ZERO", "NOT_A_NUMBER", "INFINITE", "FLAG")
REBOUND: dict[str, tuple[object, ...]] = {
    "K": (6, 2.5, -(2**62)),
    "RATE": (0.75, -0.0, 3),
    "LIMIT": (10, 0),
    # Other values under the same keys, then other keys.
    "PRICES": (
        {"red": 7, "green": 0.5, "blue": 3, "": 1, "1": 2**53, "RED": 2.0, "a": False},
        {"red": 10, "blue": 0.5},
        {},
    ),
    "NAMES": (
        {"red": "G", "green": "R", "ß": "", "a": "ß", "blue": "a", "1": "two", "": "b"},
        {"red": "other", "": "nothing"},
    ),
}
