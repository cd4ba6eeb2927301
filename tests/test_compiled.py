"""Compiled code that is kept on disk must be safe to load beside any other.

Numba names the parts of its own quicksort alike for ``np.sort`` and ``np.argsort`` and tells them apart by a number
that every process counts from 1. Two functions compiled by different processes can so bring different code under one
name; whichever is loaded first serves both, and the process dies. (``protect groups --k 2`` and ``attack
maximum-knowledge`` in one process, then ``protect groups --k 3 --safe exact`` in the next, did.) The parts of mergesort
have names of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sekisho

SOURCES = sorted(Path(sekisho.__file__).parent.rglob("*.py"))


def compiled(source: str) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(each) for each in node.decorator_list):
            yield node


def quick_argsorts(source: str) -> list[str]:
    return [
        f"{function.name}: {ast.unparse(call)}"
        for function in compiled(source)
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).endswith("argsort")
        and not any(each.arg == "kind" and ast.unparse(each.value) == "'mergesort'" for each in call.keywords)
    ]


def test_a_quick_argsort_would_be_seen() -> None:
    text = "@njit(cache=True)\ndef f(x):\n    return np.argsort(x), x.argsort(kind='mergesort')\n"
    assert quick_argsorts(text) == ["f: np.argsort(x)"]


@pytest.mark.parametrize("path", [path for path in SOURCES if "njit" in path.read_text()], ids=lambda path: path.stem)
def test_compiled_code_never_sorts_places_by_quicksort(path: Path) -> None:
    assert quick_argsorts(path.read_text()) == []
