"""What Python's syntax trees say of names: who is called, what is bound to a name, what a function takes and gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def name_callee(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def list_parameters(function: ast.FunctionDef) -> list[str]:
    """Return the names of a function's parameters in order."""
    arguments = function.args
    return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def list_results(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield what a function returns or yields."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) and node.value is not None:
            yield node.value


def list_fields(owner: ast.ClassDef) -> dict[str, ast.expr | None]:
    """Return a class's annotated fields in order, with their defaults."""
    return {
        part.target.id: part.value
        for part in owner.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def gives_text(function: ast.FunctionDef) -> bool:
    """Tell whether a function says that it gives a text or texts."""
    told = "" if function.returns is None else ast.unparse(function.returns)
    return "str" in told and "dict" not in told


def list_bindings(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """Yield what a local name is bound to: by assignment, by a loop over written tuples, by appending."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _list_bound(target, value, name)
            case (
                ast.AnnAssign(target=ast.Name(id=bound), value=ast.expr() as value)
                | ast.AugAssign(target=ast.Name(id=bound), value=value)
                | ast.NamedExpr(target=ast.Name(id=bound), value=value)
                | ast.Call(func=ast.Attribute(value=ast.Name(id=bound), attr="append" | "extend"), args=[value])
            ) if bound == name:
                yield value
            case ast.For(target=target, iter=rows) | ast.comprehension(target=target, iter=rows):
                yield from _list_looped(target, rows, name)
            case _:
                pass


def _list_looped(target: ast.expr, rows: ast.expr, name: str) -> Iterator[ast.expr]:
    match rows:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Dict(keys=keys, values=values), attr="items")):
            parts = [ast.Tuple(elts=[key, value]) for key, value in zip(keys, values, strict=True) if key]
        case _:
            parts = []
    for part in parts:
        yield from _list_bound(target, part, name)


def _list_bound(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for inner, part in zip(target.elts, value.elts, strict=True):
            yield from _list_bound(inner, part, name)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.IfExp):
        yield from _list_bound(target, value.body, name)
        yield from _list_bound(target, value.orelse, name)
