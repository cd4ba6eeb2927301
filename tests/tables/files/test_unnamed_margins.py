"""Margins under names that nobody knows, with rows lost: understood or refused, never published as categories.

The attacker of this law knows what the codes really mean: every shown cell is a sum of inner cells to him, and none of
these is below 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.cli.tables import run
from tests.laws import try_examples

from sekisho.errors import FaultsError, InfeasibleError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import MARK, public_frame
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import TableRules
from sekisho.tables.suppress.optimiser import Optimiser

Key = tuple[str, ...]
NAMES = ("Gesamt", "Alle", "zz", "0", "Total", "総数")


@dataclass(frozen=True)
class Export:
    """A file with margins in some dimensions, and what its codes mean."""

    inner: dict[Key, int]
    margins: tuple[str | None, ...]
    dropped: frozenset[Key]

    def parts(self, key: Key) -> list[Key]:
        """The inner cells that a cell is the sum of."""
        return [
            cell for cell in self.inner if all(c in (a, m) for a, c, m in zip(cell, key, self.margins, strict=True))
        ]

    def rows(self) -> dict[Key, int]:
        """The rows of the file."""
        width = len(self.margins)
        codes = [sorted({key[axis] for key in self.inner}) for axis in range(width)]
        lists = [[*some, *([m] if m is not None else [])] for some, m in zip(codes, self.margins, strict=True)]
        full = {key: sum(self.inner[part] for part in self.parts(key)) for key in product(*lists)}
        return {key: value for key, value in full.items() if key not in self.dropped}


@st.composite
def exports(draw: st.DrawFn) -> Export:
    shape = draw(st.lists(st.integers(2, 3), min_size=2, max_size=3).filter(lambda sizes: np.prod(sizes) <= 12))
    keys = list(product(*("abc"[:size] for size in shape)))
    values = draw(st.lists(st.integers(0, 30), min_size=len(keys), max_size=len(keys)))
    margins = draw(st.tuples(*(st.none() | st.sampled_from(NAMES) for _ in shape)))
    export = Export(inner=dict(zip(keys, values, strict=True)), margins=margins, dropped=frozenset())
    rows = sorted(export.rows())
    dropped = draw(st.sets(st.sampled_from(rows), max_size=len(rows) // 3))
    return Export(inner=export.inner, margins=margins, dropped=frozenset(dropped))


def publish(export: Export) -> tuple[Table, pl.DataFrame] | None:
    """The public table of a file; None if the file is refused or cannot be protected."""
    dims = tuple("xyw"[: len(export.margins)])
    rows = export.rows()
    frame = pl.DataFrame([(*key, n) for key, n in rows.items()], schema=[*dims, "n"], orient="row")
    try:
        table = CellFile(dims=dims, value="n").table(frame)
        done = Optimiser(keep=True).suppress(TableRules().flag(table)).table
    except (FaultsError, InfeasibleError):
        return None
    return done, public_frame(done)


def disclosed(export: Export, shown: pl.DataFrame) -> list[Key]:
    """The hidden inner cells that whoever knows what the codes mean can compute from what the file's rows show."""
    rows = export.rows()
    cells = list(export.inner)
    known = {tuple(map(str, row[:-1])): row[-1] for row in shown.iter_rows() if tuple(row[:-1]) in rows}
    sums = [(key, int(text)) for key, text in known.items() if text != MARK]
    matrix = np.array([[float(cell in export.parts(key)) for cell in cells] for key, _ in sums]).reshape(-1, len(cells))
    right = np.array([number for _, number in sums], dtype=np.float64)
    found: list[Key] = []
    for at, cell in enumerate(cells):
        if known.get(cell) != MARK:
            continue
        cost = np.eye(len(cells))[at]
        ends = [
            linprog(sign * cost, A_eq=matrix if len(sums) else None, b_eq=right if len(sums) else None)
            for sign in (1, -1)
        ]
        least, most = (end.x for end in ends)
        if least is not None and most is not None and most[at] - least[at] < 1e-6:
            found.append(cell)
    return found


# Gesamt for x, but not in the row of y = a: read as a category of x, it gives c,b and c,c away.
LACKING = Export(
    inner=dict(zip(product("abc", "abc"), (12, 16, 13, 20, 13, 30, 2, 20, 2), strict=True)),
    margins=("Gesamt", None),
    dropped=frozenset({("Gesamt", "a")}),
)


@try_examples(150)
@given(exports())
@example(LACKING)
@example(Export(inner=LACKING.inner, margins=("Gesamt", "Alle"), dropped=frozenset({("Gesamt", "c"), ("a", "Alle")})))
@example(Export(inner=LACKING.inner, margins=("Gesamt", None), dropped=frozenset({("Gesamt", "c"), ("b", "b")})))
def test_no_hidden_cell_is_a_difference_of_what_is_shown(export: Export) -> None:
    assume(any(0 < n < 5 for n in export.inner.values()))
    answer = publish(export)
    if answer is not None:
        assert disclosed(export, answer[1]) == []


def test_a_margin_that_lacks_a_line_is_asked_for_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "t.csv"
    source.write_text("x,y,n\n" + "".join(f"{x},{y},{n}\n" for (x, y), n in LACKING.rows().items()))
    words = ("table", "suppress", source, "--dims", "x,y", "--count", "n", "--out", tmp_path / "p.csv")
    status, answer = run(capsys, *words)
    assert (status, "--total x=Gesamt" in answer["error"]) == (2, True)
    status, answer = run(capsys, *words, "--total", "x=Gesamt")
    assert (status, "the cell Gesamt, a is missing" in answer["error"]) == (2, True)
    recipe = tmp_path / "r.toml"
    recipe.write_text('shape = "table"\noriginal = "t.csv"\ndims = ["x", "y"]\ncount = "n"\n')
    status, answer = run(capsys, "gate", recipe, "--out", tmp_path / "out")
    assert (status, "Gesamt" in answer["error"]) == (2, True)
