"""The key of a compiled function changes with all that is compiled into it, and with nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

import sekisho
from sekisho.kernels.content import describe_type, read_content

SOURCE = '''
from typing import NamedTuple
import numpy as np
from sekisho.kernels import njit

class Pair(NamedTuple):
    first: float
    second: float

TABLE = np.arange(3)
LIMIT = 5
UNUSED = 1

@njit(cache=True)
def count(values):
    """Return how many."""
    return len(values) + LIMIT + TABLE[0]

@njit(cache=True, nogil=True)
def total(values):
    pair = Pair(1.0, 2.0)
    return count(values) + pair.first

@njit(cache=True)
def loop(values, left):
    return loop(values, left - 1) if left else total(values)
'''
CHANGES = {
    "a constant": ("LIMIT = 5", "LIMIT = 6"),
    "its kind": ("LIMIT = 5", "LIMIT = 5.0"),
    "a table": ("np.arange(3)", "np.array([0, 1, 3])"),
    "a step": ("len(values) +", "len(values) -"),
    "a number within": ("Pair(1.0", "Pair(1.5"),
    "fields in another order": ("first: float\n    second: float", "second: float\n    first: float"),
    "an option": ("nogil=True", "nogil=True, fastmath=True"),
}
SAME = {
    "a comment": ("LIMIT = 5", "# five\nLIMIT = 5"),
    "a docstring": ("Return how many.", "Return how many there are."),
    "a neighbour": ("UNUSED = 1", "UNUSED = 2"),
}


@pytest.fixture
def compute_key(tmp_path: Path) -> Callable[..., str]:
    """Compute the key of a function as one process after another would read it from a file."""

    def read(source: str, name: str = "loop") -> str:
        path = tmp_path / "somewhere.py"
        path.write_text(source)
        loader = SourceFileLoader("somewhere", str(path))
        spec = spec_from_loader("somewhere", loader)
        assert spec is not None
        module = module_from_spec(spec)
        code = loader.source_to_code(path.read_bytes(), str(path))  # not what is kept of a file of the same second
        FunctionType(code, vars(module))()
        dispatcher = vars(module)[name]
        assert isinstance(dispatcher, Dispatcher)
        return read_content(dispatcher).key

    return read


@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
def test_what_is_compiled_in_changes_the_key(compute_key: Callable[..., str], before: str, after: str) -> None:
    assert before in SOURCE
    assert compute_key(SOURCE.replace(before, after)) != compute_key(SOURCE)


@pytest.mark.parametrize(("before", "after"), SAME.values(), ids=SAME)
def test_what_is_not_compiled_in_leaves_the_key(compute_key: Callable[..., str], before: str, after: str) -> None:
    assert before in SOURCE
    assert compute_key(SOURCE.replace(before, after)) == compute_key(SOURCE)


def test_what_only_callers_need_leaves_the_key_of_the_called(compute_key: Callable[..., str]) -> None:
    changed = SOURCE.replace("Pair(1.0", "Pair(1.5")
    assert compute_key(changed, "count") == compute_key(SOURCE, "count")


class Pair(NamedTuple):
    first: NDArray[np.float64]
    second: NDArray[np.float64]


class Turned(NamedTuple):
    second: NDArray[np.float64]
    first: NDArray[np.float64]


def test_a_named_tuple_is_told_from_one_with_its_fields_in_another_order() -> None:
    Turned.__name__ = Pair.__name__
    kinds = [typeof(make(np.zeros(1), np.zeros(1))) for make in (Pair, Turned)]
    assert describe_type(kinds[0]) != describe_type(kinds[1])


def list_kernels() -> list[Dispatcher]:
    """Return all compiled functions of the package."""
    root = Path(sekisho.__file__).parent
    kernels: list[Dispatcher] = []
    for path in sorted(root.rglob("*.py")):
        if "import njit" in path.read_text() and path.parent.name != "kernels":
            module = importlib.import_module(".".join(("sekisho", *path.relative_to(root).with_suffix("").parts)))
            values = [value for value in vars(module).values() if isinstance(value, Dispatcher)]
            kernels += [value for value in values if value.py_func.__module__ == module.__name__]
    return kernels


def test_nothing_of_ours_is_named_that_the_key_does_not_know() -> None:
    """A module or a plain function of the package, named in a compiled one, would go into it unseen."""
    unseen: list[str] = []
    for kernel in list_kernels():
        function = kernel.py_func
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            module = getattr(value, "__module__", getattr(value, "__name__", ""))
            if str(module).startswith("sekisho") and not isinstance(value, (Dispatcher, FunctionType, type)):
                unseen.append(f"{function.__module__}.{function.__name__}: {name}")
    assert unseen == []
    assert len(list_kernels()) > 200
