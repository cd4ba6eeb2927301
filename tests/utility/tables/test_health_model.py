"""The contest of 2025 comes out as its organisers' programs have it: three differences, the model, hits and penalty."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
import pytest
from scipy.stats import kruskal

from sekisho.contest.answers.mark import MarkAnswer, count_most_hit, find_members
from sekisho.errors import FaultsError, InfeasibleError
from sekisho.seeds import Seed
from sekisho.utility.tables.odds_difference import OddsDifference, compute_inflation, draw_stratified
from sekisho.utility.tables.rank_tests import RankTestDifference
from sekisho.utility.tables.summary_statistics import StatisticsDifference
from sekisho.utility.tables.tree_model import MOST_FEATURES, MOST_LEVELS, ModelAccuracy, read_tree_model

WORLD = "cups/2025/world1"
RANKS = RankTestDifference(
    group="AGE",
    bounds=(0, 18, 45, 65, 75),
    columns=("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices"),
)
ODDS = OddsDifference(outcome="asthma_flag")
NAMES_2025 = ("coefficient", "p", "odds", "low", "high", "inflation")


def _read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)


@pytest.mark.parametrize("name", ["copy", "noise-0.05", "noise-0.3", "independent", "copy-shuffled"])
def test_releases_of_2025(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())["releases"][name]
    original, released = _read(folder / "B.csv"), _read(folder / f"C_{name}.csv")
    statistics = StatisticsDifference().compare(original, released, {}).value
    ranks = RANKS.compare(original, released, {}).value
    odds = ODDS.compare(original, released, {}).value
    august = OddsDifference(outcome="asthma_flag", bounded=False).compare(original, released, {}).value
    assert statistics == pytest.approx(told["stats_diff"], abs=1e-9)
    assert ranks == pytest.approx(told["kw_diff"], abs=1e-9)
    assert odds == pytest.approx(told["lr_diff"], abs=1e-6)
    assert august == pytest.approx(told["lr_diff_august"], abs=1e-6)
    points = (40 * max(0, 1 - statistics), 20 * (1 - odds), 20 * (1 - ranks))
    assert points == pytest.approx(tuple(told["points"].values()), abs=1e-5)


@pytest.mark.parametrize("name", ["noise-0.05", "noise-0.3", "independent"])
def test_tables_behind(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    released = _read(folder / f"C_{name}.csv")
    fit = ODDS.fit(released)
    absent = dict.fromkeys(NAMES_2025, 0.0)
    for term, *figures in pl.read_csv(folder / f"lr_{name}.csv").iter_rows():
        assert tuple(fit.get(term, absent).values()) == pytest.approx(tuple(figures), abs=1e-6)
    terms = RANKS.compute_terms(released)
    for column, *figures in pl.read_csv(folder / f"kw_{name}.csv").iter_rows():
        own = [value for key, value in terms.items() if key.endswith(f" {column}")]
        assert own == pytest.approx(figures, abs=1e-9)


def test_attacks_of_2025(shared: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())["attack"]
    truth = find_members(_read(folder / "A.csv"), _read(folder / "B.csv"))
    assert np.array_equal(truth, np.loadtxt(folder / "Z.csv", dtype=int) == 1)
    answer = MarkAnswer(rows=2000, marked=500)
    answers = answer.read_all(folder / "F.csv", ("01", "02", "03", "04"))
    hits = [answer.score(each, truth) for each in answers.values() if isinstance(each, np.ndarray)]
    assert [int(each.sum()) for each in hits] == told["hits"]
    assert count_most_hit(hits) - 1 == told["penalty"]
    path = tmp_path / "F.csv"
    path.write_text("1,,0\n0,,1\n1,,1\n")
    answers = MarkAnswer(rows=3, marked=1).read_all(path, ("01", "02", "03"))
    assert set(answers) == {"01", "03"}
    assert all(isinstance(each, FaultsError) for each in answers.values())
    path.write_text("1\n0\n2\n")
    with pytest.raises(FaultsError, match="none of"):
        MarkAnswer(rows=3, marked=1).read(path)


def test_model_of_2025(shared: Callable[[str], Path]) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())["model"]
    model = read_tree_model((folder / "D.json").read_bytes(), source="D.json", target="stroke_flag")
    score = ModelAccuracy(target="stroke_flag").judge(model, _read(folder / "X.csv"))
    assert (score.detail["correct"], score.detail["rows"]) == (told["correct"], told["rows"])


def _make_model(**changes: object) -> dict[str, object]:
    """Return a stump: 1 where ``a`` is below 2, else -1; base score 1/2."""
    tree = {
        "left_children": [1, -1, -1],
        "right_children": [2, -1, -1],
        "split_indices": [0, 0, 0],
        "split_conditions": [2.0, 1.0, -1.0],
        "split_type": [0, 0, 0],
        "default_left": [1, 0, 0],
    } | changes
    return {
        "learner": {
            "attributes": {"feature_names": '["a"]', "target": "y", "xgboost_version": "3.0.0"},
            "feature_names": ["a"],
            "learner_model_param": {"base_score": "5E-1", "num_feature": "1"},
            "objective": {"name": "binary:logistic"},
            "gradient_booster": {"name": "gbtree", "model": {"trees": [tree]}},
        }
    }


def _load(document: object) -> bytes:
    return json.dumps(document).encode()


def test_stump() -> None:
    model = read_tree_model(_load(_make_model()), source="m", target="y")
    rows = np.array([[1.0], [2.0], [np.nan]], dtype=np.float32)
    assert model.predict_margins(rows).tolist() == [1.0, -1.0, 1.0]
    hidden = pl.DataFrame({"a": ["1", "2", "1"], "y": ["1", "0", "0"]})
    assert ModelAccuracy(target="y").judge(model, hidden).detail["correct"] == 2
    with pytest.raises(InfeasibleError):
        ModelAccuracy(target="y").judge(model, hidden.with_columns(y=pl.lit("2")))


@pytest.mark.parametrize(
    "changes",
    [
        {"left_children": [1, 0, -1], "right_children": [2, 2, -1]},  # back to the root
        {"left_children": [1, 1, -1], "right_children": [2, 2, -1]},  # a node below itself
        {"left_children": [3, -1, -1]},
        {"left_children": [1.5, -1, -1]},
        {"right_children": [-1, -1, -1]},
        {"split_indices": [1, 0, 0]},
        {"split_type": [1, 0, 0]},
        {"split_conditions": [float("nan"), 1.0, -1.0]},
        {"split_conditions": ["2", 1.0, -1.0]},
        {"default_left": [1]},
        {"left_children": []},
        {"left_children": {}},
    ],
)
def test_trees_that_are_none(changes: dict[str, object]) -> None:
    with pytest.raises(FaultsError, match="tree 0"):
        read_tree_model(_load(_make_model(**changes)), source="m", target="y")


@pytest.mark.parametrize(("levels", "taken"), [(MOST_LEVELS, True), (MOST_LEVELS + 1, False)])
def test_a_tree_is_not_endlessly_deep(levels: int, *, taken: bool) -> None:
    # a chain: node 2n has the leaf 2n + 1 to its left and the next node, 2n + 2, to its right; the last is a leaf
    left = [node + 1 if node % 2 == 0 and node < 2 * levels else -1 for node in range(2 * levels + 1)]
    right = [node + 2 if node % 2 == 0 and node < 2 * levels else -1 for node in range(2 * levels + 1)]
    flat = {name: [0] * len(left) for name in ("split_indices", "split_conditions", "split_type", "default_left")}
    content = _load(_make_model(left_children=left, right_children=right, **flat))
    if taken:
        assert len(read_tree_model(content, source="m", target="y").trees) == 1
        return
    with pytest.raises(FaultsError) as caught:
        read_tree_model(content, source="m", target="y")
    assert [fault.rule for fault in caught.value.faults] == ["levels"]


def test_many_trees_are_not_all_deep() -> None:
    # each level of each tree is a step for every hidden row: 20,000 trees of 256 levels would take minutes
    model = _make_model()
    learner = cast("dict[str, dict[str, dict[str, list[object]]]]", model["learner"])
    trees = learner["gradient_booster"]["model"]["trees"]
    learner["gradient_booster"]["model"]["trees"] = trees * 11
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sekisho.utility.tables.tree_model.MOST_STEPS", 11)
        assert len(read_tree_model(_load(model), source="m", target="y").trees) == 11
        patch.setattr("sekisho.utility.tables.tree_model.MOST_STEPS", 10)
        with pytest.raises(FaultsError) as caught:
            read_tree_model(_load(model), source="m", target="y")
    assert [(fault.rule, fault.value) for fault in caught.value.faults] == [("steps", "11")]


def test_a_model_has_no_thousands_of_features() -> None:
    # each feature is a column of the hidden rows: a file of a few megabytes would ask for gigabytes
    names = [f"f{place}" for place in range(MOST_FEATURES + 1)]
    learner = {
        **cast("dict[str, object]", _make_model()["learner"]),
        "attributes": {"feature_names": json.dumps(names), "target": "y", "xgboost_version": "3.0.0"},
        "feature_names": names,
        "learner_model_param": {"base_score": "5E-1", "num_feature": str(len(names))},
    }
    with pytest.raises(FaultsError) as caught:
        read_tree_model(_load({"learner": learner}), source="m", target="y")
    assert [(fault.rule, fault.value) for fault in caught.value.faults] == [("features", str(MOST_FEATURES + 1))]


def test_all_faults_of_a_model() -> None:
    broken = {
        "learner": {
            "attributes": {"feature_names": '["a", "a"]', "target": "z"},
            "feature_names": ["b"],
            "learner_model_param": {"base_score": "1", "num_feature": "3"},
            "objective": {"name": "reg:squarederror"},
            "gradient_booster": {"name": "dart", "model": {"trees": []}},
        }
    }
    with pytest.raises(FaultsError) as caught:
        read_tree_model(_load(broken), source="m", target="y")
    rules = sorted(fault.rule for fault in caught.value.faults)
    assert rules == [
        "attributes", "base_score", "booster", "features", "features", "features", "objective", "target", "trees",
    ]  # fmt: skip
    for content in (b"", b"[]", b"{", b"[" * 100_000):
        with pytest.raises(FaultsError, match="JSON"):
            read_tree_model(content, source="m", target="y")


def test_draws_are_stratified() -> None:
    labels = np.array([0] * 75 + [1] * 25)
    drawn = draw_stratified(labels, test=0.2, seed=42)
    assert len(drawn) == len(set(drawn.tolist())) == 80
    assert int(labels[drawn].sum()) == 20


def test_inflation_by_regressions() -> None:
    columns = Seed(3).rng().normal(size=(50, 4))
    columns[:, 3] += columns[:, 0]
    for place, factor in enumerate(compute_inflation(columns).tolist()):
        others = np.column_stack([np.ones(50), np.delete(columns, place, axis=1)])
        residual = columns[:, place] - others @ np.linalg.lstsq(others, columns[:, place])[0]
        assert factor == pytest.approx(
            ((columns[:, place] - columns[:, place].mean()) ** 2).sum() / (residual**2).sum()
        )
    assert np.isinf(compute_inflation(np.column_stack([columns, columns[:, 0] + columns[:, 1]]))[[0, 1, 4]]).all()


def test_rank_test_against_scipy() -> None:
    rng = Seed(5).rng()
    table = pl.DataFrame({"g": rng.integers(0, 3, 60).astype(str), "v": rng.integers(0, 6, 60).astype(str)})
    terms = RankTestDifference(group="g", bounds=(0, 1, 2), columns=("v",)).compute_terms(table)
    parts = [table.filter(pl.col("g") == group)["v"].cast(pl.Float64).to_numpy() for group in "012"]
    h = kruskal(*parts).statistic
    assert terms["eta v"] == pytest.approx(max(0, (h - 2) / 59))
    above = [np.mean([(x > y) + (x == y) / 2 for x in one for y in two]) for one, two in ((parts[0], parts[1]),)]
    two = RankTestDifference(group="g", bounds=(0, 1), columns=("v",)).compute_terms(table.filter(pl.col("g") != "2"))
    assert two["superiority v"] == pytest.approx(above[0])


def test_no_outcome() -> None:
    with pytest.raises(InfeasibleError, match="twice"):
        OddsDifference(outcome="y").fit(pl.DataFrame({"y": ["1", "1", "0"], "x": ["1", "2", "3"]}))
