"""The contest of 2024 comes out as its organisers' programs have it: utility, the sample attack, hits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest

from sekisho.attack.tables.sheet_join import SheetJoin
from sekisho.contest.answers.match import MatchAnswer
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.tables.change_cells import ChangeCells
from sekisho.seeds import Seed
from sekisho.utility.tables.pair_tables import WorstPairTable

BASE = ("Gender", "Age", "Occupation", "ZIP-code")
RATINGS = tuple("012345")
MEASURE = WorstPairTable(normaliser=20000, apart=BASE)
ANSWER = MatchAnswer(rows=50, known=("Name", *BASE), values=RATINGS)
JOIN = SheetJoin(
    known=BASE,
    chosen=tuple(
        tuple(columns.split())
        for columns in (
            "Gender Age 3877 3889",
            "Occupation ZIP-code 653 3489",
            "673 1881 2138",
            "2 56 1009 1525 1967 2043 2399 3438 3439 3440",
            "810 1126 1702 2253 3393 3466",
            "885 1654 2086",
            "2143 2872 3479",
            "1750 2021 2093",
            "247 1920 2017 2087",
            "260 1073 1097 2100 2105 2174 2193 2628 2797 2968",
        )
    ),
)


def _sheet(columns: list[str], rows: int) -> PartTable:
    cells = {name: CellRules(known=True) for name in BASE}
    return PartTable(columns=tuple(columns), rows=rows, cells=cells, others=CellRules(values=RATINGS))


@pytest.mark.parametrize("case", ["copy", "pram", "shuffle"])
def test_cases_of_2024(shared: Callable[[str], Path], case: str) -> None:
    folder = shared(f"cups/2024/case-{case}")
    expected = json.loads((folder / "expected.json").read_text())
    original = pl.read_csv(folder / "B.csv", infer_schema=False)
    lists = pl.read_csv(shared("cups/2024/sheets.csv"), infer_schema=False)
    sheets: list[pl.DataFrame] = []
    for told in expected["sheets"]:
        path = folder / f"C_{told['sheet']}.csv"
        columns = lists.filter(pl.col("sheet") == str(told["sheet"]))["column"].to_list()
        sheet = _sheet(columns, expected["rows"]).read(path, original=original)
        score = MEASURE.compare(original, sheet, {})
        assert (score.detail["l1"], score.value) == (told["l1"], told["utility"])
        sheets.append(sheet)
    truth = pl.read_csv(folder / "truth.csv", has_header=False, new_columns=["person", "value"], infer_schema=False)
    known, masked = (pl.read_csv(folder / f"{name}.csv", infer_schema=False) for name in ("known", "masked"))
    guess = JOIN.guess(known, masked, sheets)
    assert guess.equals(ANSWER.read(folder / "sample_attack.csv"))
    for name, answer in (("sample", guess), ("random", ANSWER.read(folder / "random_attack.csv"))):
        told = expected[f"{name}_attack"]
        assert ANSWER.score(answer, truth) == (told["identification"], told["reconstruction"])


def _measure_plainly(original: pl.DataFrame, sheet: pl.DataFrame) -> int:
    worst = 0
    for one, two in combinations(sheet.columns, 2):
        if one in BASE and two in BASE:
            continue
        before, after = (Counter(table.select(one, two).iter_rows()) for table in (original, sheet))
        worst = max(worst, sum(abs(before[pair] - after[pair]) for pair in before | after))
    return worst


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_pairs_as_counted_one_by_one(share: float) -> None:
    # ZIP codes are many: their tables are counted the other way
    original = make_ratings(80, rng=Seed(4).rng())
    columns = [*BASE, "2", "56", "260"]
    sheet = ChangeCells(share=share).apply(original.select(columns), rng=Seed(5).rng())
    assert MEASURE.compare(original, sheet, {}).detail["l1"] == _measure_plainly(original, sheet)


def test_order_is_free() -> None:
    original = make_ratings(300, rng=Seed(4).rng())
    shuffled = original.select(*BASE, "2", "56").sample(fraction=1, shuffle=True, seed=1)
    assert MEASURE.compare(original, shuffled, {}).value == 100


def test_draw_and_perfect_answer() -> None:
    original = make_ratings(120, rng=Seed(8).rng())
    test = ANSWER.draw_test(original, rng=Seed(9).rng())
    assert ANSWER.score(test.truth, test.truth) == (50, 50)
    assert test.masked.columns == original.columns[5:]
    assert (test.masked == "*").sum_horizontal().to_list() == [1] * 50
    for row, (person, value) in enumerate(test.truth.iter_rows()):
        name = test.known["Name"][int(person)]
        full = original.row(by_predicate=pl.col("Name") == name, named=True)
        shown = test.masked.row(row, named=True)
        hidden = next(film for film, cell in shown.items() if cell == "*")
        assert full[hidden] == value
        assert all(cell in {"*", full[film]} for film, cell in shown.items())
    fixed = ANSWER.draw_test(original, masked=("260",) * 50, rng=Seed(9).rng())
    assert set(fixed.masked["260"]) == {"*"}
    with pytest.raises(ParameterError, match="masked"):
        ANSWER.draw_test(original, masked=("260",), rng=Seed(9).rng())
    with pytest.raises(ParameterError, match="original"):
        ANSWER.draw_test(original[:49], rng=Seed(9).rng())


def test_one_file_for_all_targets(tmp_path: Path) -> None:
    answer = MatchAnswer(rows=3, known=("Name",), values=RATINGS)
    wide = answer.widen(("01", "02", "03"))
    good = pl.DataFrame({"person": ["0", "1", "2"], "value": ["5", "4", "0"]})
    path = tmp_path / "all.csv"
    path.write_bytes(wide.write({"01": good, "03": good}))
    answers = wide.read(path)
    assert set(answers) == {"01", "03"}
    path.write_text("0,5,,,0,5\n1,4,,,3,4\n2,0,,,2,\n")  # person 3 is not there, a value is missing
    answers = wide.read(path)
    first, third = answers["01"], answers["03"]
    assert isinstance(first, pl.DataFrame)
    assert first.equals(good)
    assert isinstance(third, FaultsError)
    assert {(fault.row, fault.rule) for fault in third.faults} == {(2, "range"), (3, "missing")}
    path.write_text("0,5,,,0,5\n1,4\n2,0,,,2,1\n")
    with pytest.raises(FaultsError, match="cells"):
        wide.read(path)


def test_faults_of_a_sheet(tmp_path: Path) -> None:
    original = make_ratings(2, rng=Seed(1).rng())
    path = tmp_path / "C.csv"
    path.write_text("Gender,2\nX,3\nF,6\nF,0.0\n")
    rules = PartTable(
        columns=("Gender", "56"), rows=2, cells={"Gender": CellRules(known=True)}, others=CellRules(values=RATINGS)
    )
    with pytest.raises(FaultsError) as caught:
        rules.read(path, original=original.with_columns(Gender=pl.lit("F")))
    assert {(each.row, each.rule) for each in caught.value.faults} == {
        (0, "rows"),
        (1, "header"),
        (2, "domain"),
        (3, "values"),
        (4, "values"),
    }
