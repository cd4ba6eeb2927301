"""What Spark refuses in an expression that polars and DuckDB take: found in the sources, without a cluster."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[4] / "src" / "sekisho"
TRUTHS = {"is_null", "is_in", "is_nan", "is_finite", "is_between", "is_unique", "is_duplicated", "any", "all"}


def is_truth(node: ast.expr) -> bool:
    """Tell whether an expression says yes or no of each row."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitAnd | ast.BitOr)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in TRUTHS
    return isinstance(node, ast.Compare)


def find_sums(source: str) -> Iterator[int]:
    """Find the lines where truth values are added without being made numbers."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for called in [call.func for call in calls]:
        if isinstance(called, ast.Attribute) and called.attr in {"sum", "mean"} and is_truth(called.value):
            yield called.lineno


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ('nw.col("a").is_null().sum()', [1]),
        ('(~nw.col("a").is_null() & (nw.col("b") == 1)).sum()', [1]),
        ('(nw.col("a") > 1).mean()', [1]),
        ('nw.col("a").is_null().cast(nw.Int64).sum()', []),
        ('nw.col("a").sum()', []),
    ],
)
def test_sums_of_truth_values_are_found(expression: str, found: list[int]) -> None:
    assert list(find_sums(expression)) == found


def test_spark_adds_no_truth_values() -> None:
    sources = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    asked = {path: source for path, source in sources.items() if "import narwhals as nw" in source}
    assert len(asked) > 20
    found = {str(path.relative_to(SOURCE)): list(find_sums(source)) for path, source in asked.items()}
    assert {path: lines for path, lines in found.items() if lines} == {}
