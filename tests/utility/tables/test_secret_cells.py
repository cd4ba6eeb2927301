"""The contest of 2023 comes out as its organisers' programs have it: the generator, utility, the sample attack."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sekisho.attack.tables.sorted_lines import SortedLines
from sekisho.contest.answers.cells import CellAnswer
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.data.files.sheet import SheetRules
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.tables.change_cells import CellChange, ChangeCells
from sekisho.seeds import Seed
from sekisho.utility.tables.equal_cells import EqualCells

PUBLIC = tuple(f"p{place}" for place in range(8))
SECRET = tuple(f"s{place}" for place in range(10))
CASES = ("copy", "rewrite", "star")
DIGITS = CellRules(values=tuple("0123456789*"))


def _read(path: Path, columns: tuple[str, ...], rows: int = 200) -> pl.DataFrame:
    return PartTable(columns=columns, rows=rows, header=False, others=DIGITS).read(path)


def _texts(cells: np.ndarray, names: tuple[str, ...]) -> pl.DataFrame:
    return pl.DataFrame({name: cells[:, place].astype(str) for place, name in enumerate(names)})


@pytest.mark.parametrize("case", CASES)
def test_cases_of_2023(shared: Callable[[str], Path], case: str) -> None:
    folder = shared(f"cups/2023/case-{case}")
    expected = json.loads((folder / "expected.json").read_text())
    public, secret = _read(folder / "P.csv", PUBLIC), _read(folder / "R.csv", SECRET)
    released = _read(folder / "A.csv", PUBLIC + SECRET)
    drawn = draw_secret_cells(expected["seed"], rows=200)
    assert _texts(drawn, SECRET).equals(secret)
    score = EqualCells().compare(pl.concat([public, secret], how="horizontal"), released, {})
    assert score.detail["equal"] == expected["utility_cells"]
    assert f"{score.value:.4f}" == f"{expected['utility']:.4f}"
    assert SheetRules().write(released, shuffled=True) == (folder / "B.csv").read_bytes()
    answer = CellAnswer(columns=SECRET, rows=200)
    for name in ("sort", "random"):
        right = answer.score(answer.read(folder / f"F_{name}.csv"), secret)
        assert right * 2000 == expected[f"attack_{name}_cells"]
    sorted_lines = _read(folder / "B.csv", PUBLIC + SECRET)
    guess = SortedLines(values=("*",)).guess(public, sorted_lines, rng=Seed(1).rng()).to_numpy()
    told = guess != "*"  # what is drawn for a cell that says nothing differs
    assert np.array_equal(guess[told], answer.read(folder / "F_sort.csv").to_numpy()[told])
    assert told.mean() > 0.6


def test_full_size(shared: Callable[[str], Path]) -> None:
    facts = json.loads(shared("cups/2023/generator.json").read_text())["by_seed"]["1"]
    cells = _texts(draw_secret_cells(1, rows=100_000), SECRET)
    written = SheetRules().write(cells)
    assert sha256(written).hexdigest() == facts["sha256"]


def _draw_plainly(seed: int, rows: int, columns: int) -> np.ndarray:
    """Draw one number after the other, as the manual tells it."""
    source = np.random.RandomState(seed)

    def below(limit: int) -> int:
        mask = (1 << (limit - 1).bit_length()) - 1
        while True:
            value = int(source.randint(0, 1 << 32, dtype=np.uint32)) & mask
            if value < limit:
                return value

    total = np.zeros(rows * columns, dtype=np.int64)
    for _ in range(2):
        total += np.array([below(10) for _ in range(rows * columns)])
        for last in range(rows - 1, 0, -1):
            below(last + 1)
    return (total % 10).reshape(rows, columns)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 1), (5, 3), (64, 2), (65, 2), (300, 1)])
def test_draws_one_by_one(rows: int, columns: int) -> None:
    assert np.array_equal(draw_secret_cells(3, rows=rows, columns=columns), _draw_plainly(3, rows, columns))


def test_seeds_that_cannot_be() -> None:
    with pytest.raises(ParameterError, match="seed"):
        draw_secret_cells(-1, rows=2)
    with pytest.raises(ParameterError, match="rows"):
        draw_secret_cells(1, rows=0)


def test_all_faults_at_once(tmp_path: Path) -> None:
    path = tmp_path / "F.csv"
    path.write_text("0,1\n*,2\n3,10\n4\n")
    with pytest.raises(FaultsError) as caught:
        CellAnswer(columns=("a", "b"), rows=5).read(path)
    assert {(each.row, each.rule) for each in caught.value.faults} == {
        (0, "rows"),
        (2, "values"),
        (3, "values"),
        (4, "columns"),
    }


def test_plain_methods() -> None:
    # 20,000 cells, share 1/4: a star is always unequal, a uniform draw keeps 1 in 10 of the changed cells
    public = _texts(draw_public_cells(rows=2000, columns=10, rng=Seed(5).rng()), SECRET)
    kept = {
        how: EqualCells().compare(public, ChangeCells(share=0.25, how=how).apply(public, rng=Seed(6).rng()), {}).value
        for how in CellChange
    }
    assert kept[CellChange.STAR] == pytest.approx(0.75, abs=0.01)
    assert kept[CellChange.UNIFORM] == pytest.approx(0.775, abs=0.01)
    # the smaller of two draws is v with chance (19 - 2v)/100: two such agree with chance sum ((19 - 2v)/100)^2 = 0.133
    assert kept[CellChange.COLUMN] == pytest.approx(0.75 + 0.25 * 0.133, abs=0.01)


def test_other_shapes_are_refused() -> None:
    one = pl.DataFrame({"a": ["1"]})
    with pytest.raises(ParameterError, match="released"):
        EqualCells().compare(one, pl.DataFrame({"a": ["1", "2"]}), {})
