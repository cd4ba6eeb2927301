"""Scoring of the later PWS Cups at full size, beside a plain version of each in the same run.

2023: utility of 100,000 x 18 cells and 15 attacks on them; 2024: ten sheets of 10,000 rows; 2025: statistics,
regression, rank tests and a model of 40 trees on 10,000 rows. The plain versions loop over cells, count pairs with a
dict, and walk trees row by row; of 2024 one sheet is counted plainly. ::

    PYTHONPATH=. python bench/cup_scoring.py

CPU seconds of this process; figures go to ``bench/cup_scoring.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from sekisho.contest.answers.cells import CellAnswer
from sekisho.data.synthetic.patients import make_patients
from sekisho.data.synthetic.ratings import FILMS, make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.change_cells import ChangeCells
from sekisho.seeds import Seed
from sekisho.utility.tables.equal_cells import EqualCells
from sekisho.utility.tables.number_columns import code_features, drop_constant, parse_numbers
from sekisho.utility.tables.odds_difference import OddsDifference
from sekisho.utility.tables.pair_tables import WorstPairTable
from sekisho.utility.tables.rank_tests import RankTestDifference
from sekisho.utility.tables.summary_statistics import StatisticsDifference
from sekisho.utility.tables.tree_model import ModelAccuracy, TreeModel, read_tree_model

RESULTS = Path(__file__).with_suffix(".json")
SEED = Seed(29)
BASE = ("Gender", "Age", "Occupation", "ZIP-code")
SIZES = (13, 23, 5, 24, 11, 7, 5, 8, 4, 10)
TESTED = ("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices")


def spend(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    start = process_time()
    work()
    return round(process_time() - start, 2)


def count_plainly(one: pl.DataFrame, two: pl.DataFrame) -> int:
    """Count equal cells one by one."""
    pairs = zip(one.iter_rows(), two.iter_rows(), strict=True)
    return sum(left == right for rows in pairs for left, right in zip(*rows, strict=True))


def measure_plainly(original: pl.DataFrame, sheet: pl.DataFrame) -> int:
    """Return the largest L1 distance of pair tables, counted with dicts."""
    worst = 0
    for one, two in combinations(sheet.columns, 2):
        if one in BASE and two in BASE:
            continue
        before, after = (Counter(zip(table[one], table[two], strict=True)) for table in (original, sheet))
        worst = max(worst, sum(abs(before[pair] - after[pair]) for pair in before | after))
    return worst


def walk_plainly(model: TreeModel, rows: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> list[float]:
    """Return the log-odds of rows, walked one by one."""
    margins: list[float] = []
    for row in rows:
        total = np.float32(0)
        for tree in model.trees:
            node = 0
            while tree.left[node] >= 0:
                node = int(tree.left[node] if row[tree.feature[node]] < tree.threshold[node] else tree.right[node])
            total += tree.threshold[node]
        margins.append(float(total + np.float32(model.margin)))
    return margins


def score_2023() -> dict[str, float]:
    """Time utility and 15 attacks."""
    public = draw_public_cells(rows=100_000, columns=8, rng=SEED.rng())
    cells = np.concatenate([public, draw_secret_cells(1, rows=100_000)], axis=1).astype(str)
    original = pl.DataFrame({f"c{place:02}": cells[:, place] for place in range(18)})
    released = ChangeCells(share=0.2).apply(original, rng=SEED.rng())
    answer = CellAnswer(columns=tuple(original.columns[8:]), rows=100_000)
    truth = original.select(answer.columns)
    answers = [answer.draw(rng=SEED.child(str(team)).rng()) for team in range(15)]

    def score() -> None:
        EqualCells().compare(original, released, {})
        for each in answers:
            answer.score(each, truth)

    def score_plainly() -> None:
        count_plainly(original, released)
        for each in answers:
            count_plainly(each, truth)

    return {"seconds": spend(score), "plain_seconds": spend(score_plainly)}


def score_2024() -> dict[str, float]:
    """Time ten sheets, and one plainly."""
    rng = SEED.child("2024").rng()
    original = make_ratings(10_000, rng=rng)
    columns = [[*BASE, *(FILMS[place] for place in rng.choice(46, size=size, replace=False))] for size in SIZES]
    sheets = [ChangeCells(share=0.2).apply(original.select(names), rng=rng) for names in columns]
    measure = WorstPairTable(normaliser=20_000, apart=BASE)
    return {
        "seconds": spend(lambda: [measure.compare(original, sheet, {}) for sheet in sheets]),
        "one_sheet_seconds": spend(lambda: measure.compare(original, sheets[3], {})),
        "one_sheet_plain_seconds": spend(lambda: measure_plainly(original, sheets[3])),
    }


def score_2025() -> dict[str, float]:
    """Time the four parts of utility, and the model plainly."""
    rng = SEED.child("2025").rng()
    table = make_patients(20_000, rng=rng)
    original, hidden = table[:10_000], table[10_000:]
    released = ChangeCells(share=0.05).apply(original, rng=rng)
    features = drop_constant(code_features(released.drop("stroke_flag"), share=0))
    content = BoostedTrees().train(features, parse_numbers(released["stroke_flag"]), target="stroke_flag")
    model = read_tree_model(content, source="model", target="stroke_flag")
    rows = np.stack([features[name] for name in model.features], axis=1).astype(np.float32)
    ranks = RankTestDifference(group="AGE", bounds=(0, 18, 45, 65, 75), columns=TESTED)
    parts: dict[str, Callable[[], object]] = {
        "statistics_seconds": lambda: StatisticsDifference().compare(original, released, {}),
        "regression_seconds": lambda: OddsDifference(outcome="asthma_flag").compare(original, released, {}),
        "rank_tests_seconds": lambda: ranks.compare(original, released, {}),
        "model_seconds": lambda: ModelAccuracy(target="stroke_flag").judge(model, hidden),
    }
    spent = {name: spend(part) for name, part in parts.items()}
    spent["seconds"] = round(sum(spent.values()), 2)
    spent["model_plain_seconds"] = spend(lambda: walk_plainly(model, rows))
    return spent


def main() -> None:
    """Measure and write."""
    figures = {"2023": score_2023(), "2024": score_2024(), "2025": score_2025()}
    RESULTS.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
