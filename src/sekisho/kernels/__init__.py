"""Compiled functions: ``njit`` is numba's, made cheap to call for the first time.

What is called from Python, and only that, is optimised, turned into machine code and kept on disk; what compiled code
calls is merged into it (:mod:`sekisho.kernels.linked_library`). What is kept bears a key of its content: the code of a
function and of all that it calls, whatever file or clone that stands in (:mod:`sekisho.kernels.content`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

from sekisho.kernels.linked_library import LinkedLibrary
from sekisho.kernels.store import KernelStore

__all__ = ["njit"]

Function = TypeVar("Function", bound=Callable[..., object])


def njit(*, cache: bool = True, **options: object) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function when it is first called.

    Two of numba's dispatchers stand behind one name: one answers calls from Python and is kept on disk; the other
    answers compiled callers, has no entry for Python, and is code to be merged into theirs. A function may call itself
    with arguments of the kinds that it was called with.

    Args:
        cache: whether what is compiled is kept on disk.
        options: those of ``numba.njit``.
    """
    make_decorator = cast("Callable[..., Callable[[Function], Dispatcher]]", numba.njit)

    def compile_later(function: Function) -> Function:
        entry = make_decorator(**options, no_cfunc_wrapper=True)(function)
        inner = make_decorator(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
        members = vars(entry)
        members["get_overload"] = inner.get_overload
        members["_compiling_counter"] = vars(inner)["_compiling_counter"]  # tells a function that calls itself
        members["get_call_template"] = inner.get_call_template
        if cache:
            members["_cache"] = KernelStore(entry)
        return cast("Function", entry)

    return compile_later


target_context: Any = cpu_target.target_context
vars(target_context.codegen())["_library_class"] = LinkedLibrary
