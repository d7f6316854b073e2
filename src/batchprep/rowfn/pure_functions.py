"""Functions of the user's that may run on their own: what they read outside is watched."""

from __future__ import annotations

import ast
import copy
import dataclasses
from typing import Any

from batchprep.errors import Unsupported
from batchprep.plan.node import TRUE
from batchprep.rowfn.dependencies import CallRead
from batchprep.rowfn.frame import Binding, Frame, State
from batchprep.rowfn.lazy import may_change
from batchprep.rowfn.outline import Outline
from batchprep.rowfn.ownership import read_ownership
from batchprep.rowfn.source import is_library, unwrap
from batchprep.rowfn.sums import Static


def check_function(frame: Frame, function: Any, node: ast.AST) -> bool:
    """Whether a user's function may give an object that lives outside; what it reads is watched.

    Errors: Unsupported where it may do more than give a value
    """
    tracer = frame.tracer
    try:
        call = unwrap(function)
        tracer.depend(CallRead(function, call))
        inner = call.function
        if inner.__code__ in tracer.pure:
            return tracer.pure[inner.__code__]
        source = tracer.source(inner)
    except Unsupported as refused:
        frame.unsupported(node, refused.reason, refused.hint)
    code = inner.__code__
    names = code.co_varnames[: len(call.args)]
    state = State(
        {n: Binding(Static(v), TRUE) for n, v in zip(names, call.args, strict=False)}, {}, TRUE
    )
    own = dataclasses.replace(
        frame,
        source=source,
        namespace=inner.__globals__,
        builtins=inner.__builtins__,
        names=frozenset(code.co_names),
        cells=dict(zip(code.co_freevars, inner.__closure__ or (), strict=True)),
        local_names=frozenset(code.co_varnames) | frozenset(code.co_cellvars),
        state=state,
        callers=(source.span(node), *frame.callers) if frame.callers else frame.callers,
        returns=[],
    )
    body = source.node.body
    statements = body if isinstance(body, list) else [body]
    owner = read_ownership([*statements, source.node.args])
    bound = (own.local_names | frozenset(owner.bindings)) - frozenset(names)
    outline = Outline(own, bound, owner)
    outside = any(map(may_change, (*(inner.__defaults__ or ()), *call.args)))
    tracer.pure[code] = outside  # it may call itself
    try:
        for statement in statements:
            outline.visit(copy.deepcopy(statement))
        outline.check_changes()
    except Unsupported:
        del tracer.pure[code]
        if is_library(code.co_filename):  # a line of a library tells its caller nothing
            name = getattr(function, "__qualname__", inner.__qualname__)
            frame.unsupported(node, f"a call of {name}, which may do more than give a value")
        raise
    tracer.pure[code] = outside or outline.outside
    return tracer.pure[code]
