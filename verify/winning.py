"""What would our methods reach in the PWS Cups, against the strongest adversaries we have for each?

``python verify/winning.py [--quick] [--contest 2019]`` protects stand-in data of the contests' sizes, attacks the
releases and writes the totals to verify/out/winning.json. The winners' totals beside them were reached on other
data against other teams; docs/methods/winning.md says how far the two may be compared.

Row order in 2025: the regression is fitted on four of five rows, drawn by a fixed seed from the positions of the rows.
So the rows are placed within their class until the drawn ones have the original's coefficients as their maximum.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.special import expit

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.attack.tables.near_votes import NearVotes
from sekisho.attack.tables.nearest_marks import NearestMarks
from sekisho.attack.tables.sheet_likelihood import SheetLikelihood
from sekisho.attack.tables.sorted_lines import SortedLines, join_lines
from sekisho.attack.tables.visits import VisitLikelihood
from sekisho.contest.answers.cells import CellAnswer
from sekisho.contest.answers.confidence import ConfidenceAnswer
from sekisho.contest.answers.ids import TraceAnswer
from sekisho.contest.answers.mark import MarkAnswer, count_most_hit, find_members
from sekisho.contest.answers.match import MatchAnswer
from sekisho.contest.rulebook import read_tables_rules
from sekisho.contest.tables.examiners import find_examiner
from sekisho.contest.tables.people_examiners import IntervalExaminer
from sekisho.contest.tables.release import TablesOriginal
from sekisho.contest.tables.rules import TablesRules
from sekisho.contest.tables.scorer import open_tables_scorer
from sekisho.data.files.region_cells import RegionCells
from sekisho.data.files.whole_files import write_whole
from sekisho.data.synthetic.patients import OverlappingCohorts, make_overlapping_cohorts, make_patients
from sekisho.data.synthetic.ratings import FILMS, make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells, draw_secret_cells
from sekisho.data.synthetic.traces import TOKYO, make_trace_table
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.protect.tables.deal_evenly import DealEvenly
from sekisho.protect.tables.near_swap import NearSwap
from sekisho.protect.tables.swap_traces import MoveAway, SwapTraces
from sekisho.seeds import Seed
from sekisho.utility.tables.equal_cells import EqualCells
from sekisho.utility.tables.number_columns import code_features, drop_constant, parse_numbers
from sekisho.utility.tables.odds_difference import OddsDifference, draw_stratified, fit_binomial
from sekisho.utility.tables.pair_tables import WorstPairTable
from sekisho.utility.tables.rank_tests import RankTestDifference
from sekisho.utility.tables.summary_statistics import StatisticsDifference
from sekisho.utility.tables.trace_distance import TraceDistance
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
COHORT = ("age", "BMI", "SBP", "TG", "HDL", "ALT", "FPG")
Figures = dict[str, object]
Ints = NDArray[np.int64]


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


def find_usual(reference: Ints, people: Ints, sensitive: tuple[int, ...]) -> Ints:
    """Return for each person the region nearest to where he was before, sensitive regions weighing ten times."""
    regions = np.arange(1, TOKYO.regions + 1)
    near = 1 - np.minimum(1.0, TOKYO.measure(regions[:, None], regions[None, :]) / 2)
    visits = np.zeros((len(reference), TOKYO.regions))
    np.add.at(visits, (people, reference - 1), 1)
    return (visits * np.where(np.isin(regions, sensitive), 10, 1) @ near).argmax(axis=1) + 1


def play_2019(rows: int) -> Figures:
    """Mix cells within circles against names, move hospitals first against traces; by visits and by usual places."""
    told = read_tables_rules("pwscup2019").answers["trace"]
    sensitive = tuple(cast("list[int]", told["sensitive"]))
    methods = {
        "01": SwapTraces(person="user_id", column="reg_id", grid=TOKYO, size=8, mixed=True, loss=0.295),
        "02": MoveAway(person="user_id", column="reg_id", grid=TOKYO, share=0.299, first=sensitive),
    }
    measure, answer = TraceDistance(column="reg_id", grid=TOKYO), TraceAnswer(grid=TOKYO, sensitive=sensitive)
    figures: dict[str, dict[str, float]] = {}
    for part, method in methods.items():
        original = make_trace_table(rows, days=20 if rows > 500 else 2, rng=SEED.child(part).rng())
        released = method.apply(original, rng=SEED.child(f"{part} release").rng())
        reference, truth = (
            original[name].cast(pl.Int64).to_numpy().reshape(rows, -1) for name in ("reference", "reg_id")
        )
        cells = RegionCells.parse(released["reg_id"])
        named = VisitLikelihood(regions=TOKYO.regions, once=True).guess(reference, cells)
        read = cells.regions.reshape(rows, -1)[np.argsort(named)]
        people = np.repeat(np.arange(rows)[:, None], truth.shape[1], axis=1)
        usual = find_usual(reference, people, sensitive)[people]
        seen = np.zeros((rows, TOKYO.regions + 1), dtype=np.bool_)
        seen[people, reference] = True
        guesses = {"read": read, "usual": usual, "read where seen": np.where(seen[people, read], read, usual)}
        safety = {name: 1 - answer.score(guess.ravel(), truth.ravel()) for name, guess in guesses.items()}
        figures[part] = {
            "utility": measure.compare(original, released, {}).value,
            "sec_i": 1 - float((named == np.arange(rows)).mean()),
            **safety,
        }
    traces = [figures["02"][name] for name in ("read", "usual", "read where seen")]
    return {"sets": figures, "total": figures["01"]["sec_i"] + min(traces), "winner": 1.509064}


def play_2026(rows: int) -> Figures:
    """Draw a cohort from copulas of the rare and of each outcome; densities and neighbours against it."""
    rules = read_tables_rules("pwscup2026")
    count = 30 if rows > 500 else 4
    world = make_overlapping_cohorts(
        count, private=rows * 3 // 10, shared=rows * 7 // 10 // (count - 1), background=5 * rows, rng=SEED.rng()
    )
    cohort, other, rng = world.cohorts[0], world.cohorts[1], SEED.child("2026").rng()
    ill, dead = pl.col("onset") == "1", pl.col("death") == "1"
    outcome = pl.when(ill).then(1).when(dead).then(2).otherwise(0) + 3 * pl.col("is_rare").cast(pl.Int64)
    method = CopulaTable(numbers=(*COHORT, "time"), by="part", bounds=(0.5, 1.5, 2.5, 3.5, 4.5))
    drawn = method.apply(cohort.drop("record_id").with_columns(part=outcome.cast(pl.String)), rng=rng)
    drawn = drawn.with_columns(death=pl.when(ill).then(pl.lit("0")).otherwise(pl.col("death")))
    drawn = drawn.with_columns(time=pl.when(ill | dead).then(pl.col("time")).otherwise(pl.lit("10")))
    released = drawn.select(rules.release.parts[0].columns)
    with TemporaryDirectory() as place:
        for name, table in (("team", cohort), ("background", world.background), ("released", released)):
            table.write_csv(Path(place) / f"{name}.csv")
        scorer = open_tables_scorer(rules, Path(place) / "team.csv", SEED)
        score = scorer.measure(scorer.read_release({"released": Path(place) / "released.csv"}))
    member = other["record_id"].is_in(cohort["record_id"].implode()).to_numpy()
    answer = ConfidenceAnswer(person="record_id", people=other.height)
    tables = (released, world.background, other)
    made, around, asked = (table.select(pl.col(COHORT).cast(pl.Float64)).to_numpy() for table in tables)
    spread = around.std(axis=0)
    near, usual = (np.asarray(cKDTree(each / spread).query(asked / spread)[0]) for each in (made, around))
    guesses = {"density": DensityRatio(columns=COHORT).guess(*tables), "nearest": usual / (near + usual + 1e-12)}
    rare = (other["is_rare"] == "1").to_numpy()
    risks = {name: answer.find_risk(guess, member, rare, rng=rng).risk for name, guess in guesses.items()}
    risks |= {"reference": score.detail["house reference"], **attack_times(rules, cohort, released, world, rng)}
    total = min(score.utility or 0.0, 1 - max(risks.values()))
    return {"utility": score.utility, "facets": score.detail, "risks": risks, "total": total, "winner": None}


def attack_times(
    rules: TablesRules,
    cohort: pl.DataFrame,
    released: pl.DataFrame,
    world: OverlappingCohorts,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return the risk of answers about times: ten years for everybody, and that of the nearest released row."""
    examiner = cast("IntervalExaminer", find_examiner("interval", rules.answers["interval"]))
    original = TablesOriginal(table=cohort, candidates=cohort, given={"background": world.background})
    asked = examiner.examine(original, None, rng=rng)
    shown, truth = (pl.read_csv(data, infer_schema=False) for data in (asked.shown["challenges.csv"], asked.truth))
    numbers = [name for name in examiner.known if name not in ("sex", "prefecture")]
    one, two = (table.select(pl.col(numbers).cast(pl.Float64)).to_numpy() for table in (shown, released))
    nearest = cKDTree(two / two.std(axis=0)).query(one / two.std(axis=0))[1]
    times = released["time"].cast(pl.Float64).to_numpy()
    guesses = {"ten years": np.full(shown.height, 10.0), "nearest time": times[nearest]}
    member, rare = ((truth[name] == "1").to_numpy() for name in ("member", "rare"))
    answer = examiner.find_answer(shown.height)
    true = truth["time"].cast(pl.Float64).to_numpy()
    return {name: answer.score(guess, true, member, rare).value for name, guess in guesses.items()}


CONTESTS: dict[str, tuple[Callable[[int], Figures], int, int]] = {
    "2019": (play_2019, 2_000, 60),
    "2023": (play_2023, 100_000, 5_000),
    "2024": (play_2024, 10_000, 600),
    "2025": (play_2025, 10_000, 800),
    "2026": (play_2026, 1_049, 300),
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
