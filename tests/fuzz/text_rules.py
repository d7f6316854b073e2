"""The grammar of text work as data: rules and options as in `rules`, which joins both.

No template may put a symbol of expressions inside an f-string: before Python 3.12 there is no
backslash and no quote of the same sort in one. `{plain}` is a field or a local.
"""

from __future__ import annotations

Rule = tuple[int, str, str]

METHODS: tuple[Rule, ...] = (
    *((2, f"str.{name}", f"{{str}}.{name}()") for name in (
        "upper", "lower", "title", "capitalize", "casefold", "swapcase", "strip", "lstrip",
        "rstrip",
    )),
    (1, "str.strip of characters", "{str}.strip({chars})"),
    (1, "str.strip of characters", "{str}.lstrip({chars})"),
    (1, "str.strip of characters", "{str}.rstrip({chars})"),
    (2, "str.removeprefix", "{str}.removeprefix({piece})"),
    (2, "str.removesuffix", "{str}.removesuffix({piece})"),
    (3, "str.replace", "{str}.replace({piece}, {piece})"),
    (1, "str.replace", "{str}.replace({piece}, {piece}, {count})"),
    (2, "str.zfill", "{str}.zfill({width})"),
    *((2, f"str.{name}", f"{{str}}.{name}({{width}}{{fill}})") for name in (
        "ljust", "rjust", "center",
    )),
    (2, "str.expandtabs", "{str}.expandtabs({width})"),
    (2, "str.join", "{joiner}.join({str}.split({sep}))"),
    (1, "str.join", "{str}.join(({str}, {str}))"),
    (1, "str.join", "{joiner}.join({str})"),
    (1, "str.join", "{joiner}.join([{str}, {any}])"),
)  # fmt: skip

PARTS: tuple[Rule, ...] = (
    (3, "str.split item", "{list_text}.split({sep})[{place}]"),
    (1, "str.split item", "{row_text}.split()[{place}]"),
    (2, "str.rsplit item", "{row_text}.rsplit({sep}, {count})[{place}]"),
    (2, "str.partition item", "{pair_text}.partition({sep})[{place}]"),
    (2, "str.rpartition item", "{str}.rpartition({sep})[{place}]"),
    (2, "str.splitlines item", "{str}.splitlines({flag})[{place}]"),
    (3, "item of a text", "{str}[{place}]"),
    (3, "slice of a text", "{str}[{end}:{end}]"),
    (2, "slice with a step", "{str}[{end}:{end}:{step}]"),
    (1, "slice of a split", '"+".join({list_text}.split(",")[{end}:{end}])'),
)

FORMATS: tuple[Rule, ...] = (
    (4, "f-string", "f'{{{plain}}}-{{{plain}}}'"),
    (3, "f-string with a spec", "f'{{{number_field}:{spec}}}'"),
    (1, "f-string with a spec", "f'<{{{word_field}:{text_spec}}}>'"),
    (1, "f-string with a computed spec", "f'{{{plain}:{{{spec_width}}}}}'"),
    (2, "f-string with a conversion", "f'{{{plain}{conversion}}}'"),
    (2, "str.format", '"{{}}/{{}}".format({any}, {str})'),
    (1, "str.format", '"{{1}}{{0:>5}}".format({str}, {any})'),
    (1, "str.format", '"{{x!r}}".format(x={any})'),
    (1, "str.format", '"{{:.2f}}".format({num})'),
    (1, "str.format", "{str}.format({any})"),
    (3, "% formatting", '("%s-%s" % ({str}, {any}))'),
    (1, "% formatting", '("%d" % {num})'),
    (1, "% formatting", '("%05.1f|%s" % ({num}, {any}))'),
    (1, "% formatting", '("%s" % {any})'),
    (1, "% formatting", "({str} % {any})"),
    (4, "+ of strings", "({str} + {str})"),
    (2, "* of strings", "({str} * {count})"),
    (1, "* of strings", "({count} * {str})"),
    (3, "str()", "str({any})"),
    (2, "repr()", "repr({any})"),
    (2, "ascii()", "ascii({any})"),
    (2, "chr()", "chr({int} % {letters})"),
    (2, "format()", "format({num}, {text_of_spec})"),
    (2, "hex()", "hex({int})"),
)

PURE: tuple[Rule, ...] = (
    (3, "re.sub", "re.sub({pattern}, {new}, {str})"),
    (2, "pattern.sub", "{compiled}.sub({new}, {str})"),
    (2, "re.findall", '"|".join(re.findall({pattern}, {row_text}))'),
    (2, "re.split", "re.split({pattern}, {list_text})[{place}]"),
    (2, "pattern.split", "{compiled}.split({str}, {count})[0]"),
    (2, "match[group]", "re.match({grouped}, {row_text})[{group}]"),
    (2, "match.group", "{match_group}"),
    (2, "hashlib.hexdigest", "hashlib.{digest}({row_text}.encode()).hexdigest()"),
    (1, "hashlib.hexdigest", "hashlib.{digest}({row_text}.encode({codec})).hexdigest()[:8]"),
    (1, "encode and decode", "{row_text}.encode({codec}).decode({codec})"),
    (1, "encode and decode", "{row_text}.encode().hex()"),
)

TEXT_NUMBERS: tuple[Rule, ...] = (
    (8, "int() of a text", "int({number_text})"),
    (4, "float() of a text", "float({number_text})"),
    (1, "int() of a text", "int({str})"),
    (1, "float() of a text", "float({any})"),
    (2, "str.find", "{str}.find({piece})"),
    (1, "str.find", "{str}.find({piece}, {count})"),
    (2, "str.rfind", "{str}.rfind({piece})"),
    (2, "str.index", "{str}.index({piece})"),
    (1, "str.rindex", "{str}.rindex({piece})"),
    (2, "str.count", "{str}.count({piece})"),
    (3, "len of a split", "len({list_text}.split({sep}))"),
    (1, "len of a split", "len({str}.splitlines())"),
    (2, "ord()", "ord({str}[{place}])"),
    (1, "ord()", "ord({str})"),
    (2, "zlib.crc32", "zlib.crc32({row_text}.encode())"),
    (1, "len of findall", "len(re.findall({pattern}, {row_text}))"),
    (2, "table.get of a method", "PRICES.get({str}.{case}(), {number})"),
    (1, "table[method]", "PRICES[{str}.{case}()]"),
    (3, "json.loads", "json.loads({json_text})[{json_key}]"),
    (1, "json.loads", "json.loads({json_text}).get({json_key}, {number})"),
)

PREDICATES = (
    "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower",
    "isnumeric", "isprintable", "isspace", "istitle", "isupper",
)  # fmt: skip
TEXT_TESTS: tuple[Rule, ...] = (
    *((2, f"str.{name}", f"{{str}}.{name}()") for name in PREDICATES),
    (2, "str.startswith", "{str}.startswith({prefixes})"),
    (2, "str.endswith", "{str}.endswith({prefixes})"),
    (3, "in a text", "({piece} in {str})"),
    (3, "not in a text", "({str} not in {str})"),
    (2, "in a split", "({str} in {list_text}.split({sep}))"),
    (3, "order of strings", "({str} {order} {str})"),
    (1, "order of strings", '({str} {order} "m")'),
    (3, "chained order of strings", '("a" <= {str} < "n")'),
    (2, "match is None", "({compiled}.search({str}) is None)"),
    (1, "match is None", "(re.fullmatch({pattern}, {str}) is not None)"),
    (2, "truth of a match", "bool(re.search({pattern}, {row_text}))"),
    (3, "truth of a split", "bool({row_text}.split())"),
    (2, "in words of a method", "({str}.{case}() in WORDS)"),
    (2, "== of a method", "({str}.{case}() == {str})"),
    (1, "== of an item", "({list_text}.split({sep})[0] == {any})"),
)

TEXT_OPTIONS: dict[str, tuple[str, ...]] = {
    "chars": ('" "', '"ax"', '"ß"', '"0123456789"', "None", '"\\n\\t "', '""', "{word_field}"),
    "piece": ('"a"', '","', '"red"', '""', '"ss"', '"="', '"\\u0301"', '"1"', "{word_field}"),
    "sep": ('","', '","', '"="', '" "', "None", '"-"', '"::"', '""', "{word_field}"),
    "joiner": ('","', '""', '" "', '"-"', "{word_field}"),
    "count": ("1", "2", "0", "-1", "3"),
    "width": ("5", "0", "-1", "12", "3", "({int} % 9)", "{small}"),
    "fill": ("", "", ', "*"', ', "é"', ', "ab"', ", {str}"),
    "place": ("0", "0", "1", "-1", "2", "-2", "({int} % 3)", "{small}"),
    "end": ("", "1", "-1", "3", "0", "-3", "({int} % 5)", "{small}"),
    "step": ("2", "-1", "1", "-2", "0", "{small}"),
    "spec": (".2f", "d", ",", ">8", "+.1e", "g", "05d", ".1%", "_", "x", "s"),
    "text_spec": (">6", "^9s", ".2", "*<4", "", "d"),
    "spec_width": ("{small}", "{plain}"),
    "text_of_spec": ('".3f"', '"d"', '",.1f"', '""', '"s"', "{str}"),
    "conversion": ("!r", "!s", "!a", "!r:>9"),
    "letters": ("128", "1200", "60000", "1114200"),
    "order": ("<", "<=", ">", ">="),
    "case": ("lower", "upper", "strip", "title"),
    "prefixes": ('"r"', '""', '("a", "1")', '("", "x")', "()", '"red", 1', "{str}"),
    "pattern": (
        '"[0-9]+"', '"[a-z]"', '"\\\\s+"', '"\\\\d"', '"^.|,"', '"(?i)R"', '"x*"', '"é|ß"',
        '"\\\\b"',
    ),
    "grouped": ('"(.)(.)?"', '"(\\\\w+)=(.*)"', '"(?P<k>[^,]*),?(?P<v>\\\\d)?"'),
    "group": ("0", "1", "2", "3", '"k"', "-1"),
    "compiled": ("DIGITS", "LETTERS", "SPACES"),
    "new": ('"#"', '""', '"<\\\\g<0>>"', '"\\\\1"', "{str}"),
    "digest": ("md5", "sha1", "sha256", "blake2b"),
    "codec": ('"utf-8"', '"utf-8"', '"latin-1"', '"ascii"', '"utf-16"'),
    # In place of None.
    "numbers": ('"12"', '"0"', '""'),
    "lists": ('"a,b"', '""', '","'),
    "pairs": ('"k=v"', '""', '"k"'),
    "json": ('"null"', '\'{{"a": 1}}\'', '""'),
    "json_key": ('"a"', '"a"', '"b"', "0"),
}  # fmt: skip

TEXT_MODULE = """\
DIGITS = re.compile("[0-9]+")
LETTERS = re.compile("([a-z])([a-z])?", re.IGNORECASE)
SPACES = re.compile("\\\\s+")
PAIR = re.compile("(?P<k>\\\\w+)=(?P<v>[^=,]*)")
"""
