"""Scoring of the later PWS Cups at full size, beside a plain version of some in the same run.

2023: utility of 100,000 x 18 cells and 15 attacks on them; 2024: ten sheets of 10,000 rows; 2025: statistics,
regression, rank tests and a model of 40 trees on 10,000 rows. The plain versions loop over cells, count pairs with a
dict, and walk trees row by row; of 2024 one sheet is counted plainly.

``whole`` is what a referee spends on a release: the files read and checked, measured, attacked by the house, and of
2023 fifteen attacks judged; of 2026 one cohort of 1,038, of 2019 two sets of 2,000 people and 400 times. ::

    PYTHONPATH=. python bench/cup_scoring.py [2026 …]

CPU seconds of this process; figures go to ``bench/cup_scoring.json``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import polars as pl

from sekisho.contest.answers.cells import CellAnswer
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.scoring import ANSWERS, GUESS
from sekisho.contest.tables.scorer import open_tables_scorer
from sekisho.data.synthetic.patients import make_overlapping_cohorts, make_patients
from sekisho.data.synthetic.ratings import FILMS, make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.data.synthetic.traces import make_trace_table
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.change_cells import ChangeCells
from sekisho.protect.tables.region_sets import RegionSets
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


def spend_whole(
    like: str, originals: Mapping[str, pl.DataFrame], parts: Mapping[str, bytes], attacks: int = 0
) -> float:
    """Return the CPU seconds of a release by its files, and of attacks on it, drawn at random."""
    rules = read_tables_rules(like)
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, table in originals.items():
            table.write_csv(folder / f"{name}.csv", include_header=rules.original.header)
        for name, data in parts.items():
            (folder / f"part {name}").write_bytes(data)
        files = {name: folder / f"part {name}" for name in parts}
        original = folder / ("original.csv" if "original" in originals else "team.csv")
        scorer = open_tables_scorer(rules, original, SEED)
        truth, guess = folder / "truth", folder / "guess"

        def score() -> None:
            release = scorer.read_release(files)
            scorer.measure(release)
            for _ in range(attacks):
                scorer.judge(release, {GUESS: guess, ANSWERS: truth})

        if attacks:
            truth.write_bytes(scorer.publish(scorer.read_release(files), rng=SEED.rng()).secret)
            answer = CellAnswer(columns=tuple(f"s{number}" for number in range(10)), rows=100_000)
            guess.write_bytes(answer.form.write(answer.draw(rng=SEED.rng())))
        return spend(score)


def write_cells(table: pl.DataFrame, *, header: bool = True) -> bytes:
    """Return a table as the bytes of its file."""
    return table.write_csv(include_header=header).encode()


def whole_2023() -> float:
    """Return the seconds of a release and fifteen attacks."""
    public = draw_public_cells(rows=100_000, columns=8, rng=SEED.rng()).astype(str)
    known = pl.DataFrame({f"c{place}": public[:, place] for place in range(8)})
    hidden = draw_secret_cells(1, rows=100_000).astype(str)
    whole = known.with_columns(pl.Series(f"s{place}", hidden[:, place]) for place in range(10))
    released = ChangeCells(share=0.2).apply(whole, rng=SEED.rng())
    parts = {"released": write_cells(released, header=False), "seed": b"1\n"}
    return spend_whole("pwscup2023", {"original": known}, parts, attacks=15)


def whole_2024() -> float:
    """Return the seconds of ten sheets and the sample attack."""
    tables = [make_ratings(10_000, rng=SEED.child(str(number)).rng()) for number in range(3)]
    sheets = {part.name: list(part.columns) for part in read_tables_rules("pwscup2024").release.parts if part.is_table}
    method = ChangeCells(share=0.2)
    parts = {name: write_cells(method.apply(tables[0].select(names), rng=SEED.rng())) for name, names in sheets.items()}
    originals = {f"team-{number}": table for number, table in enumerate(tables, 1)}
    return spend_whole("pwscup2024", originals, {"choice": b"1\n", **parts})


def whole_2025() -> float:
    """Return the seconds of 10,000 of 100,000 patients and a model."""
    rng = SEED.child("2025").rng()
    candidates = make_patients(100_000, rng=rng)
    inside = np.zeros(100_000, dtype=np.int64)
    inside[rng.choice(100_000, size=10_000, replace=False)] = 1
    held = candidates.filter(pl.Series(inside == 1))
    released = ChangeCells(share=0.05).apply(held, rng=rng)
    features = drop_constant(code_features(released.drop("stroke_flag"), share=0))
    model = BoostedTrees().train(features, parse_numbers(released["stroke_flag"]), target="stroke_flag")
    table = candidates.with_columns(pl.Series("member", inside))
    originals = {f"team-{number}": table for number in (1, 2, 3)}
    return spend_whole("pwscup2025", originals, {"choice": b"1\n", "released": write_cells(released), "model": model})


def whole_2026() -> float:
    """Return the seconds of a cohort and the reference attack."""
    world = make_overlapping_cohorts(30, private=313, shared=25, background=5000, rng=SEED.rng())
    cohort = world.cohorts[0]
    columns = read_tables_rules("pwscup2026").release.parts[0].columns
    originals = {"team": cohort, "background": world.background}
    return spend_whole("pwscup2026", originals, {"released": write_cells(cohort.select(columns))})


def whole_2019() -> float:
    """Return the seconds of two sets and six programs of the house."""
    tables = {part: make_trace_table(2000, days=20, rng=SEED.child(part).rng()) for part in ("01", "02")}
    method = RegionSets(column="reg_id", columns=32, rows=32, reach=1)
    parts = {part: write_cells(method.apply(table, rng=SEED.rng()).select("reg_id")) for part, table in tables.items()}
    return spend_whole("pwscup2019", {f"team-{part}": table for part, table in tables.items()}, parts)


PARTS: dict[str, Callable[[], dict[str, float]]] = {"2023": score_2023, "2024": score_2024, "2025": score_2025}
WHOLE: dict[str, Callable[[], float]] = {
    "2019": whole_2019,
    "2023": whole_2023,
    "2024": whole_2024,
    "2025": whole_2025,
    "2026": whole_2026,
}


def main() -> None:
    """Measure those that are named, or all, and write."""
    figures: dict[str, dict[str, float]] = json.loads(RESULTS.read_text())
    for name in sys.argv[1:] or WHOLE:
        parts = PARTS[name]() if name in PARTS else {}
        figures[name] = parts | {"whole_seconds": WHOLE[name]()}
        print(name, json.dumps(figures[name]), flush=True)
    RESULTS.write_text(json.dumps(dict(sorted(figures.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
