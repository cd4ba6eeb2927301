"""The key of a compiled function: its code and all that is compiled into it, wherever its source stands.

Into a compiled function go its own code, the constants it names, and the functions it calls, with theirs. The key is a
digest of these, as Python has read them: a change of one of them gives another key, one of a comment, of a docstring or
of a neighbour does not, and neither does a file that was copied, moved or touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from hashlib import blake2b
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple, cast

import llvmlite
import numba
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

MERGING = "3"
"""A number for the way in which functions are merged and optimised: another way, another number."""
VERSIONS = (MERGING, llvmlite.__version__, numba.__version__, np.__version__)
"""What else decides on compiled code; Python's own version decides on the code that is compiled."""


class CompiledContent(NamedTuple):
    """What goes into a compiled function.

    Attributes:
        key: a digest of it.
        functions: how many functions that are.
    """

    key: str
    functions: int


def read_content(dispatcher: Dispatcher) -> CompiledContent:
    """Return what is compiled into a function, of all the functions that it calls as well."""
    digest, seen = blake2b(digest_size=16), dict[int, int]()
    for part in (*VERSIONS, *_list_parts(dispatcher, seen)):
        digest.update(f"{len(part)} {part}\n".encode())
    return CompiledContent(key=digest.hexdigest(), functions=len(seen) // 2)


def describe_type(kind: types.Type) -> str:
    """Return a type in words that tell it from all others: of a named tuple also the order of its fields."""
    if isinstance(kind, types.BaseTuple):
        fields = getattr(kind, "fields", "")
        parts = [describe_type(part) for part in cast("Iterable[types.Type]", kind)]
        return f"{type(kind).__name__}({fields}: {', '.join(parts)})"
    return f"{type(kind).__name__} {kind!r}"


def _list_parts(value: object, seen: dict[int, int]) -> Iterator[str]:
    """Give all that a value brings into compiled code; of one that was met before, which one it was."""
    if id(value) in seen:
        yield f"again {seen[id(value)]}"
        return
    if isinstance(value, Dispatcher):
        seen[id(value)] = len(seen)
        yield f"options {sorted(map(repr, value.targetoptions.items()))}"
        yield from _list_parts(value.py_func, seen)
    elif isinstance(value, FunctionType):
        seen[id(value)] = len(seen)
        yield f"function {value.__module__}.{value.__qualname__} {value.__defaults__!r} {value.__kwdefaults__!r}"
        yield from _list_code_parts(value.__code__, value.__doc__)
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        named = [value.__globals__[name] for name in _list_names(value.__code__) if name in value.__globals__]
        for part in (*cells, *named):
            yield from _list_parts(part, seen)
    else:
        yield _describe_constant(value)


def _describe_constant(value: object) -> str:
    if isinstance(value, np.ndarray):
        content = blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return f"array {value.dtype!r} {value.shape} {content}"
    if isinstance(value, type):
        members = {name: member.value for name, member in vars(value).items() if isinstance(member, Enum)}
        return f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')} {members}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, tuple):
        return f"tuple {[_describe_constant(part) for part in value]}"
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic, Enum, type(None))):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__module__}.{type(value).__qualname__}"  # numba makes no constant of it


def _list_code_parts(code: CodeType, documented: str | None) -> Iterator[str]:
    """Give what a function does, without its docstring and without where it stands."""
    yield f"code {code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount} {code.co_flags} {code.co_code!r}"
    yield f"names {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _list_code_parts(constant, None)
        elif documented is None or constant != documented:
            yield _describe_constant(constant)


def _list_names(code: CodeType) -> list[str]:
    """Return all names that are looked up in code, and in what it defines within."""
    within = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _list_names(constant)]
    return sorted({*code.co_names, *within})
