"""What a row function may do to its record, read off its source without running it.

An abstract run: each name carries marks that say what its value may be or hold. Branches join,
loops and `try` only add marks, nested functions see every mark that a name ever had, and rounds
repeat until nothing changes. In doubt a write counts; a plain read never does.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain

from batchprep.rowfn.callees import Follow, followed, parameter_of_record
from batchprep.rowfn.mark_state import Effects, MarkState
from batchprep.rowfn.marks import (
    CHOOSERS,
    COLLECTORS,
    DYNAMIC,
    GIVERS,
    HOLDS_RECORD,
    MEASURES,
    MUTATORS,
    NEW_FROM_PARTS,
    NOTHING,
    PART,
    READERS,
    RECORD,
    RECORD_READERS,
    SETTERS,
    SPREADERS,
    Marks,
    elements,
    holding,
)
from batchprep.rowfn.names import FunctionNames, captures, parameters
from batchprep.rowfn.recompile import FunctionNode
from batchprep.rowfn.source import FunctionSource
from batchprep.rowfn.syntax import blocks, leaves, pairwise, root_name

DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


def record_effects(
    source: FunctionSource,
    parameter: str | None = None,
    namespace: Mapping[str, object] = types.MappingProxyType({}),
    follow: Follow | None = None,
    record_class: type | None = None,
) -> Effects:
    """The effects of a function on the record in a parameter, the first one if none is named.

    The namespace holds the function's globals and closure: it tells which modules and functions
    the names mean. A name that is not in it is the builtin of that name or unknown. Plain
    functions that get the record itself are read the same way, and so are the plain methods of
    `record_class`, where records are known to be of that class.
    """
    names = FunctionNames(source.node, parameter)
    follow = follow or followed(partial(record_effects, record_class=record_class))
    run = _Run(names, namespace, follow, record_class)
    before: object = None
    try:
        while before != run.state():
            before = run.state()
            run.function(source.node)
    except RecursionError:  # too deep to tell: it may do anything
        return Effects(**{field.name: True for field in fields(Effects)})
    found = {field.name: field.name in run.effects for field in fields(Effects)}
    return Effects(**found)


class _Run(MarkState):
    """One abstract run after another over the same function, until the state stands still."""

    def function(self, node: FunctionNode) -> None:
        """One round over the function itself."""
        self.env = {}
        self.returned = NOTHING
        if self.names.parameter is not None:
            mark = HOLDS_RECORD if self.names.many else RECORD
            self.bind(self.names.parameter, frozenset({mark}))
        self.body(node)
        if self.returned & {RECORD, HOLDS_RECORD}:
            self.effects.add("returns_record")

    def body(self, node: FunctionNode) -> None:
        if isinstance(node, ast.Lambda):
            self.returned |= self.marks(node.body)
        else:
            self.block(node.body)

    # ------------------------------------------------------------------------------- statements

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign([target], value)
            case ast.AugAssign():
                self.augmented(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.delete(target)
            case ast.Return(value=ast.expr() as value):
                self.returned |= self.marks(value)
            case ast.If(test=test, body=body, orelse=orelse):
                self.marks(test)
                self.branches(body, orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.expressions(node.decorator_list)
                self.bind(node.name, self.inner_function(node))
            case ast.ClassDef(body=body):
                with self.any_order():
                    self.expressions([*node.decorator_list, *node.bases])
                    self.block(body)
            case _:
                self.compound(node)

    def compound(self, node: ast.stmt) -> None:
        """Loops, `with`, `try`, `match`: their blocks in any order; of others the values."""
        with self.any_order():
            before: dict[str, Marks] | None = None
            while before != self.env:
                before = dict(self.env)
                match node:
                    case ast.For() | ast.AsyncFor():
                        self.store(node.target, elements(self.marks(node.iter)))
                    case ast.With() | ast.AsyncWith():
                        self.contexts(node.items)
                    case ast.Match(subject=subject, cases=cases):
                        self.patterns(self.marks(subject), cases)
                    case _:
                        self.expressions(ast.iter_child_nodes(node))
                for child in blocks(node):
                    self.block(child)

    def branches(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        before = dict(self.env)
        self.block(body)
        after_body, self.env = self.env, before
        self.block(orelse)
        after_else = self.env
        # In a try, a branch that ends in an exception goes on in the handler.
        if not self.only_add and leaves(body):
            return
        if not self.only_add and leaves(orelse):
            after_else = {}
        self.env = {
            name: after_body.get(name, NOTHING) | after_else.get(name, NOTHING)
            for name in after_body.keys() | after_else.keys()
        }

    def contexts(self, items: Sequence[ast.withitem]) -> None:
        for item in items:
            marks = self.marks(item.context_expr)
            if item.optional_vars:
                self.store(item.optional_vars, marks | elements(marks))

    def patterns(self, subject: Marks, cases: Sequence[ast.match_case]) -> None:
        captured = subject | elements(subject)
        for case in cases:
            for name in captures(case.pattern):
                self.bind(name, captured)
            if case.guard:
                self.marks(case.guard)

    def assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        marks = self.marks(value)
        for target in targets:
            match target, value:
                case (ast.Tuple(elts=places), ast.Tuple(elts=values)) if pairwise(places, values):
                    each = [self.marks(one) for one in values]
                    for place, one in zip(places, each, strict=True):
                        self.store(place, one)
                case _:
                    self.store(target, marks)

    def store(self, target: ast.expr, marks: Marks) -> None:
        match target:
            case ast.Name(id=name):
                self.bind(name, marks)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for inner in targets:
                    self.store(inner, elements(marks))
            case ast.Starred(value=value):
                self.store(value, holding(marks))
            case ast.Subscript(value=value) | ast.Attribute(value=value):
                self.delete(target)
                self.keep(value, marks)
            case _:
                self.marks(target)

    def delete(self, target: ast.expr) -> None:
        match target:
            case ast.Subscript(value=value, slice=key):
                self.marks(key)
                self.write(self.marks(value))
            case ast.Attribute(value=value):
                self.write(self.marks(value))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for inner in targets:
                    self.delete(inner)
            case _:
                pass

    def augmented(self, node: ast.AugAssign) -> None:
        added, before = self.marks(node.value), self.marks(node.target)
        if before & {RECORD, PART}:
            self.effects.add("augments")
        if isinstance(node.op, ast.BitOr):
            self.write(before & {RECORD})
        if isinstance(node.value, DISPLAYS):
            self.write(before)
        if isinstance(node.target, ast.Name):
            self.bind(node.target.id, before | holding(elements(added)))
            self.keep(node.target, elements(added))
        else:
            self.store(node.target, before | holding(elements(added)))

    # ------------------------------------------------------------------------------ expressions

    def expressions(self, nodes: Iterable[ast.AST]) -> Marks:
        found = (self.marks(n) for n in nodes if isinstance(n, ast.expr | ast.keyword))
        return NOTHING.union(*found)

    def marks(self, node: ast.AST) -> Marks:
        match node:
            case ast.Name(id=name):
                return self.load(name)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript(value=value, slice=key):
                self.marks(key)
                found = elements(self.marks(value))
                return holding(found) if isinstance(key, ast.Slice) else found
            case ast.Call():
                return self.call(node)
            case ast.NamedExpr(target=target, value=value):
                found = self.marks(value)
                with self.any_order():
                    self.store(target, found)
                return found
            case ast.Lambda():
                return self.inner_function(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self.comprehension(node)
            case ast.Yield() | ast.YieldFrom():
                self.returned |= self.expressions(ast.iter_child_nodes(node))
                return NOTHING
            case _:
                return self.combined(node)

    def combined(self, node: ast.AST) -> Marks:
        """Expressions that choose among their operands, measure them or build something of them."""
        match node:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.marks(test)
                return self.marks(body) | self.marks(orelse)
            case ast.Starred(value=value) | ast.keyword(arg=None, value=value):
                return elements(self.marks(value))
            case ast.Dict(keys=keys, values=values):
                self.expressions(key for key in keys if key)
                pairs = zip(keys, map(self.marks, values), strict=True)
                return holding(NOTHING.union(*(m if k else elements(m) for k, m in pairs)))
            case _:
                found = self.expressions(ast.iter_child_nodes(node))
        match node:
            case ast.Compare() | ast.UnaryOp() | ast.JoinedStr() | ast.FormattedValue():
                return NOTHING
            case ast.List() | ast.Tuple() | ast.Set():
                return holding(found)
            case ast.BinOp():
                return holding(elements(found))
            case _:
                return found

    def attribute(self, node: ast.Attribute) -> Marks:
        owner = self.marks(node.value)
        if node.attr in MUTATORS:
            self.write(owner)
        return owner if node.attr == "__dict__" else elements(owner)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Marks:
        with self.any_order():
            for generator in node.generators:
                self.store(generator.target, elements(self.marks(generator.iter)))
                self.expressions(generator.ifs)
            if isinstance(node, ast.DictComp):
                return holding(self.marks(node.key) | self.marks(node.value))
            return holding(self.marks(node.elt))

    def inner_function(self, node: FunctionNode) -> Marks:
        """A nested function: it may be called at any time with any argument of any call."""
        self.expressions((*node.args.defaults, *filter(None, node.args.kw_defaults)))
        outer = self.env, self.returned, self.nested
        self.env, self.returned, self.nested = dict(self.ever), NOTHING, True
        for name in parameters(node):
            self.env[name] = self.passed | holding(self.passed)
            self.ever[name] = self.ever.get(name, NOTHING) | self.env[name]
        with self.any_order():
            self.body(node)
        found = self.returned
        self.env, self.returned, self.nested = outer
        return holding(found)

    # ------------------------------------------------------------------------------------ calls

    def call(self, node: ast.Call) -> Marks:
        given = self.expressions(chain(node.args, node.keywords))
        self.passed |= given | elements(given)
        known = id(self.resolved(node.func))
        if known in MEASURES:
            return NOTHING
        if known in COLLECTORS:
            return holding(elements(given))
        if known in CHOOSERS:
            return given | elements(given)
        if known in SETTERS:
            self.change(node.args[0], given)
            return NOTHING
        if known in DYNAMIC:
            given |= {RECORD, PART}
        if isinstance(node.func, ast.Attribute):
            if isinstance(self.resolved(node.func.value), type) and node.args:
                return self.class_method(node.func, node)
            return self.method(node.func, self.marks(node.func.value), given)
        return self.helper_call(node) or self.function_call(node.func, given)

    def change(self, changed: ast.expr, given: Marks) -> None:
        self.write(self.marks(changed))
        self.keep(changed, given)

    def helper_call(self, node: ast.Call) -> Marks:
        """What a plain function makes of the record, NOTHING where that is not known."""
        function = self.resolved(node.func)
        given = [self.marks(argument) for argument in node.args]
        parameter = parameter_of_record(function, node, given)
        if parameter is None or not isinstance(function, types.FunctionType):
            return NOTHING
        return self.result_of(function, parameter)

    def function_call(self, function: ast.expr, given: Marks) -> Marks:
        own = self.marks(function)
        if not (isinstance(function, ast.Name) and function.id in self.names.functions):
            # A nested function that holds the record is seen; one that came out of it is not.
            self.hand_over(given | own & {RECORD, PART})
        return given | elements(given | own)

    def class_method(self, function: ast.Attribute, node: ast.Call) -> Marks:
        """A method taken from its class, as in `dict.update(r, ...)`: the receiver comes first."""
        receiver, *others = node.args
        given = self.expressions(chain(others, node.keywords))
        if function.attr in MUTATORS:
            self.change(receiver, given)
        return self.method_result(function.attr, self.marks(receiver), given)

    def method(self, function: ast.Attribute, owner: Marks, given: Marks) -> Marks:
        known = NOTHING if given else self.result_of_method(function.attr, owner)
        if known:
            return known
        self.attribute(function)
        root = root_name(function.value)
        if function.attr in MUTATORS:
            spread = function.attr in SPREADERS
            self.keep(function.value, elements(given) if spread else given)
        elif root is not None and root not in self.names.own:
            self.hand_over(given & {RECORD, HOLDS_RECORD})
        return self.method_result(function.attr, owner, given)

    def method_result(self, name: str, owner: Marks, given: Marks) -> Marks:
        if name in MUTATORS or name in GIVERS:
            return elements(owner) | given
        if name in NEW_FROM_PARTS:
            return holding(elements(owner) | elements(given))
        if name in READERS and (RECORD not in owner or name in RECORD_READERS):
            return NOTHING
        self.hand_over(owner | given)
        return owner | given | elements(owner | given)
