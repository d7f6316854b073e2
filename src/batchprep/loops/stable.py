"""Expressions that give the same object however often they are evaluated."""

from __future__ import annotations

import ast


def is_stable(value: ast.expr) -> bool:
    """Whether evaluating it once more gives the same object: a variable, or a field of one."""
    match value:
        case ast.Name():
            return True
        case (
            ast.Subscript(value=ast.Name(), slice=ast.Constant()) | ast.Attribute(value=ast.Name())
        ):
            return True
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr="get"), args=[ast.Constant()], keywords=[]
        ):
            return True
        case _:
            return False
