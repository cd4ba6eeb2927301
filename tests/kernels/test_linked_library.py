"""Compiled functions give what plain ones give, however they call each other, and each is compiled where Python enters."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from sekisho.compiling import estimate_seconds
from sekisho.kernels import njit


@njit(cache=False)
def halve(value: int) -> float:
    return value / 2


@njit(cache=False)
def waste(value: int) -> float:
    return halve(value) if value > 10**9 else 0.0


@njit(cache=False)
def climb(values: np.ndarray, left: int) -> float:
    return climb(values, left - 1) + halve(left) if left else waste(values[0]) + values.max()


@njit(cache=False)
def fail(value: int) -> int:
    if value < 0:
        raise ValueError("below zero")
    return value


@njit(cache=False)
def count_all(values: np.ndarray) -> float:
    total = 0.0
    for value in values:
        total += climb(values, len(values)) + fail(value)
    return total


def list_compiled(kernel: object) -> int:
    assert isinstance(kernel, Dispatcher)
    return len(kernel.overloads)


def test_a_tree_of_functions_is_compiled_where_python_enters_it() -> None:
    values = np.array([1, 4, 2])
    assert count_all(values) == 3 * (0.5 + 1.0 + 1.5 + 4) + 7
    assert list_compiled(count_all) == 1
    assert list_compiled(halve) == 0  # as Python would call it
    assert halve(5) == 2.5
    assert list_compiled(halve) == 1
    assert climb(values, 1) == 4.5


def test_an_error_of_a_called_function_reaches_python() -> None:
    with pytest.raises(ValueError, match="below zero"):
        count_all(np.array([1, -1]))


def test_somebody_elses_function_calls_ours() -> None:
    @numba.njit
    def add(value: int) -> float:
        return halve(value) + 1

    assert add(4) == 3.0


def test_nothing_is_said_to_be_compiled_once_it_is() -> None:
    assert count_all(np.array([1])) == 0.5 + 1 + 1
    assert estimate_seconds() == 0


def test_a_kernel_that_python_and_kernels_call_is_loaded_beside_its_callers() -> None:
    """Both forms in one process, from disk and new: neither replaces the other."""
    program = (
        "import numpy as np\n"
        "from sekisho.protect.records.recoding.value_sums import sort_ascending, _sift_down\n"
        "values = np.array([3, 1, 2]); sort_ascending(values)\n"
        "heap = np.array([1, 3, 2]); _sift_down(heap, 0, 3)\n"
        "print(*values, *heap)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert done.stdout.split() == ["1", "2", "3", "3", "1", "2"]
