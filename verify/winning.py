"""What would our methods reach in the PWS Cups, against the strongest adversaries we have for each?

``python verify/winning.py [--quick] [--contest 2023|2024|2025]`` protects stand-in data of the contests' sizes, attacks
the releases and writes the totals to verify/out/winning.json. The winners' totals beside them were reached on other
data against other teams; docs/methods/winning.md says how far the two may be compared.

Row order in 2025: the regression is fitted on four of five rows, drawn by a fixed seed from the positions of the rows.
So the rows are placed within their class until the drawn ones have the original's coefficients as their maximum.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl
from scipy.special import expit

from sekisho.attack.tables.near_votes import NearVotes
from sekisho.attack.tables.nearest_marks import NearestMarks
from sekisho.attack.tables.sheet_likelihood import SheetLikelihood
from sekisho.attack.tables.sorted_lines import SortedLines, join_lines
from sekisho.contest.answers.cells import CellAnswer
from sekisho.contest.answers.mark import MarkAnswer, count_most_hit, find_members
from sekisho.contest.answers.match import MatchAnswer
from sekisho.data.files.whole_files import write_whole
from sekisho.data.synthetic.patients import make_patients
from sekisho.data.synthetic.ratings import FILMS, make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.protect.tables.deal_evenly import DealEvenly
from sekisho.protect.tables.near_swap import NearSwap
from sekisho.seeds import Seed
from sekisho.utility.tables.equal_cells import EqualCells
from sekisho.utility.tables.number_columns import code_features, drop_constant, parse_numbers
from sekisho.utility.tables.odds_difference import OddsDifference, draw_stratified, fit_binomial
from sekisho.utility.tables.pair_tables import WorstPairTable
from sekisho.utility.tables.rank_tests import RankTestDifference
from sekisho.utility.tables.summary_statistics import StatisticsDifference
from sekisho.utility.tables.tree_model import ModelAccuracy, read_tree_model

HERE = Path(__file__).parent
SEED = Seed(2026)
BASE = ("Gender", "Age", "Occupation", "ZIP-code")
SHEETS = (13, 23, 5, 24, 11, 7, 5, 8, 4, 10)
"""How many films each sheet of 2024 has."""
WEIGHTS = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 81, 9, 1), (0, 27, 9, 3), (0, 0, 9, 1))
TESTED = ("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices")
ATTACKERS = 23
SWAPS, TRIED = 600, 4000
Figures = dict[str, object]


def _name(cells: np.ndarray[tuple[int, ...], np.dtype[np.int64]], names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame({name: cells[:, place].astype(str) for place, name in enumerate(names)})


def play_2023(rows: int) -> Figures:
    """Exchange the public columns between rows that agree in five of eight; sort, match and vote against it."""
    public, secret = [f"p{place}" for place in range(8)], [f"s{place}" for place in range(10)]
    known = draw_public_cells(rows=rows, columns=8, rng=SEED.child("public").rng())
    original = _name(np.concatenate([known, draw_secret_cells(SEED.value, rows=rows)], axis=1), public + secret)
    released = NearSwap(known=tuple(public), agree=5).apply(original, rng=SEED.child("swap").rng())
    published = released[join_lines(released).arg_sort()]
    answer = CellAnswer(columns=tuple(secret), rows=rows)
    truth, seen = original.select(secret), original.select(public)
    rng = SEED.child("attack").rng()
    attacks = {"sort": float(answer.score(SortedLines().guess(seen, published, rng=rng), truth))}
    votes = NearVotes(weights=(1.0,) * 4)
    counted = votes.count_votes(seen, published)
    for weights in WEIGHTS:
        guess = votes.decide(counted, secret, tuple(map(float, weights)), rng=rng)
        attacks[f"votes {weights}"] = float(answer.score(guess, truth))
    utility, most = EqualCells().compare(original, released, {}).value, max(attacks.values())
    return {
        "utility": utility,
        "attacks": attacks,
        "total": (utility + 1 - most) / 2,
        "total against the sample attack": (utility + 1 - attacks["sort"]) / 2,
        "winner": 0.86205,
    }


def play_2024(rows: int) -> Figures:
    """Deal the films out evenly over postcodes in each sheet; all sheets together against it, in three draws."""
    rng = SEED.child("2024").rng()
    original = make_ratings(rows, rng=rng)
    films = [[FILMS[place] for place in rng.choice(len(FILMS), size=size, replace=False)] for size in SHEETS]
    films[0] += [name for name in FILMS if all(name not in sheet for sheet in films)]  # every film stands somewhere
    method = DealEvenly(over="ZIP-code", kept=BASE)
    sheets = [method.apply(original.select([*BASE, *names]), rng=rng) for names in films]
    measure = WorstPairTable(normaliser=2 * rows, apart=BASE)
    utility = min(measure.compare(original, sheet, {}).value for sheet in sheets)
    answer = MatchAnswer(rows=50, known=("Name", *BASE), values=tuple("012345"))
    tests = [answer.draw_test(original, rng=rng) for _ in range(3)]
    attacks: dict[str, float] = {}
    for kept, others in ((0.05, 0.05), (0.5, 0.3)):
        attack = SheetLikelihood(known=BASE, kept=kept, kept_others=others)
        hits = [sum(answer.score(attack.guess(test.known, test.masked, sheets), test.truth)) for test in tests]
        attacks[f"all sheets, {kept}"] = float(np.mean(hits))
    usual = pl.concat([original[name] for name in FILMS]).mode()[0]
    attacks["most frequent rating"] = float(np.mean([1 + (test.truth["value"] == usual).sum() for test in tests]))
    safety = 100 - max(attacks.values())
    total = safety + utility - 2 * max(0.0, 50 - safety) - 2 * max(0.0, 50 - utility)
    return {"utility": utility, "anonymity": safety, "attacks": attacks, "total": total, "winner": 144.2}


def place_rows(released: pl.DataFrame, original: pl.DataFrame, odds: OddsDifference) -> pl.DataFrame:
    """Return the release with outcomes drawn by the original's regression, its rows placed so that it comes out again.

    At the maximum of the likelihood the sum of x (y - p) over the drawn rows is 0. Rows of one class change places
    between drawn and other positions as long as that makes the sum shorter, in standard errors.
    """
    rng = SEED.child("order").rng()
    before = drop_constant(code_features(original.drop(odds.outcome), share=odds.share))
    after = code_features(released.drop(odds.outcome), share=odds.share)
    truth = parse_numbers(original[odds.outcome])
    drawn = draw_stratified(truth.astype(np.int64), test=odds.test, seed=odds.seed)
    design = np.column_stack([np.ones(len(truth)), *before.values()])
    weights, _ = fit_binomial(design[drawn], truth[drawn])
    made = np.column_stack([np.ones(released.height), *(after[name] for name in before)])
    chance = np.asarray(expit(made @ weights))
    keys = np.log(rng.random(len(chance))) * (1 - chance) / chance
    outcome = np.zeros(len(chance), dtype=np.int64)
    outcome[np.argsort(-keys)[: int(truth.sum())]] = 1
    inside = np.zeros(len(chance), dtype=np.bool_)
    inside[draw_stratified(outcome, test=odds.test, seed=odds.seed)] = True
    scaled = made / np.maximum(np.abs(made).max(axis=0), 1e-9)
    inverse = np.linalg.inv((scaled.T * (chance * (1 - chance))) @ scaled)
    pulls = scaled * (outcome - chance)[:, None] @ np.linalg.cholesky(inverse)
    place, rest = np.arange(len(chance)), pulls[inside].sum(axis=0)
    for turn in range(SWAPS):
        own = outcome == int(turn % 4 == 0)
        one = rng.choice(np.flatnonzero(own & inside), size=TRIED)
        two = rng.choice(np.flatnonzero(own & ~inside), size=TRIED)
        moved = rest - pulls[place[one]] + pulls[place[two]]
        best = int((moved**2).sum(axis=1).argmin())
        if moved[best] @ moved[best] < rest @ rest:
            rest = moved[best]
            place[[one[best], two[best]]] = place[[two[best], one[best]]]
    return released.with_columns(pl.Series(odds.outcome, outcome.astype(str)))[place]


def play_2025(rows: int) -> Figures:
    """Draw patients from copulas by age, place them for the regression, train a model on them; two marks against it."""
    rng = SEED.child("2025").rng()
    candidates = make_patients(10 * rows, rng=rng)
    original = candidates[rng.choice(10 * rows, size=rows, replace=False)]
    texts = ("GENDER", "RACE", "ETHNICITY")
    numbers = tuple(name for name in original.columns if name not in texts and not name.endswith("_flag"))
    drawn = CopulaTable(numbers=numbers, by="AGE", bounds=(18, 45, 65, 75)).apply(original, rng=rng)
    odds = OddsDifference(outcome="asthma_flag")
    released = place_rows(drawn, original, odds)
    features = drop_constant(code_features(released.drop("stroke_flag"), share=0))
    content = BoostedTrees().train(features, parse_numbers(released["stroke_flag"]), target="stroke_flag")
    truth = find_members(candidates, original)
    others = candidates[np.flatnonzero(~truth)]
    hidden = pl.concat([original[: rows // 2], others[: rows // 2]])
    model = read_tree_model(content, source="model", target="stroke_flag")
    ranks = RankTestDifference(group="AGE", bounds=(0, 18, 45, 65, 75), columns=TESTED)
    regression = 20 * (1 - odds.compare(original, released, {}).value)
    points = {
        "stats": 40 * max(0.0, 1 - StatisticsDifference().compare(original, released, {}).value),
        "lr": regression,
        "kw": 20 * (1 - ranks.compare(original, released, {}).value),
        "model": 20 * ModelAccuracy(target="stroke_flag").judge(model, hidden).value,
    }
    shuffled = released[rng.permutation(rows)]
    answer = MarkAnswer(rows=10 * rows, marked=rows)
    hits = [
        truth & NearestMarks(marked=rows, relative=relative).guess(candidates, released) for relative in (False, True)
    ]
    counts = [int(each.sum()) for each in hits]
    hits += [truth & answer.draw(rng=rng) for _ in range(ATTACKERS - len(hits))]
    most, many = max(int(each.sum()) for each in hits), count_most_hit(hits)
    anonymity = max(0.0, 100 * (rows - most) / rows - (many - 1))
    return {
        "points": points,
        "lr in another order": 20 * (1 - odds.compare(original, shuffled, {}).value),
        "hits": counts,
        "most hits": most,
        "penalty": many - 1,
        "anonymity": anonymity,
        "total": sum(points.values()) + anonymity,
        "winner": 170.83,
    }


CONTESTS: dict[str, tuple[Callable[[int], Figures], int, int]] = {
    "2023": (play_2023, 100_000, 5_000),
    "2024": (play_2024, 10_000, 600),
    "2025": (play_2025, 10_000, 800),
}


def main() -> None:
    """Play, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data, to see that it runs")
    parser.add_argument("--contest", choices=sorted(CONTESTS), action="append", help="only this one")
    options = parser.parse_args()
    out = HERE / "out" / "winning.json"
    figures: dict[str, Figures] = json.loads(out.read_text()) if out.exists() and not options.quick else {}
    for name in options.contest or sorted(CONTESTS):
        play, whole, small = CONTESTS[name]
        rows, start = small if options.quick else whole, perf_counter()
        figures[name] = {"rows": rows, **play(rows), "seconds": round(perf_counter() - start, 1)}
        print(name, json.dumps(figures[name]), flush=True)
    out.parent.mkdir(exist_ok=True)
    chosen = out.with_stem("winning_quick") if options.quick else out
    write_whole({chosen: json.dumps(figures, indent=1).encode() + b"\n"})


if __name__ == "__main__":
    main()
