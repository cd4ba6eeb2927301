"""The contest of 2026: every facet of utility, the reference attack and both attack scores, on a small world."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.contest.answers.confidence import ConfidenceAnswer, draw_shares, find_share
from sekisho.contest.answers.interval import IntervalAnswer
from sekisho.contest.answers.wide_file import split_long, split_matrix
from sekisho.errors import FaultsError, ParameterError
from sekisho.seeds import Seed
from sekisho.utility.tables.cohort_shape import MarginalFit, PropensityFit, RankCorrelationFit, measure_gap
from sekisho.utility.tables.forest import tell_apart
from sekisho.utility.tables.rare_records import RareFit
from sekisho.utility.tables.survival import CurveFit, HazardFit, draw_curve, fit_hazards, measure_concordance
from sekisho.utility.tables.tails import TailFit, estimate_deviations
from sekisho.utility.tables.validity import CensoringFit, DistinctRows, FabricationFit, Novelty

NUMBERS = ("age", "BMI", "SBP", "TG", "HDL", "ALT", "FPG")
LABS = NUMBERS[1:]
RELEASES = (
    "identity",
    "noise-0.1",
    "noise-0.3-time",
    "coarse",
    "columns-shuffled",
    "outcome-shuffled",
    "from-background",
    "rare-removed",
)
WORLD = "cups/2026/world1"


def _read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)


@pytest.mark.parametrize("name", RELEASES)
def test_world(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())[name]
    world = json.loads((folder / "world.json").read_text())
    original, released = _read(folder / "B_self.csv"), _read(folder / f"C_{name}.csv")
    background = {"background": _read(folder / "A_bg.csv")}
    gen, valid = told["detail"]["U_gen"], told["detail"]["U_valid"]

    marginal = MarginalFit(numbers=NUMBERS, categories=("sex", "smoking", "prefecture")).compare(
        original, released, background
    )
    assert dict(marginal.detail) == pytest.approx(gen["marginal"], abs=1e-9)
    assert marginal.value == pytest.approx(gen["marginal_mean"], abs=1e-9)
    columns = ("age", "sex", "BMI", "SBP", "TG", "HDL", "ALT", "FPG", "smoking")
    ranks = RankCorrelationFit(columns=columns).compare(original, released, background)
    assert (ranks.value, ranks.detail["mean"], ranks.detail["tail"]) == pytest.approx(
        (gen["corr"], gen["corr_mean_dist"], gen["corr_tail_dist"]), abs=1e-9
    )
    propensity = PropensityFit(numbers=NUMBERS, flags=("sex", "smoking")).compare(original, released, background)
    assert (propensity.value, propensity.detail["error"]) == pytest.approx((gen["pmse_score"], gen["pmse"]), abs=1e-9)
    curve = CurveFit(time="time", event="onset", horizon=10, floor=gen["km_floor"]).compare(
        original, released, background
    )
    assert (curve.value, curve.detail["area"], curve.detail["signal"]) == pytest.approx(
        (gen["time_dz"], gen["km_l1"], gen["km_signal_D"]), abs=1e-9
    )
    rules = world["config"]["scoring"]["u_gen"]["tail"]
    tails = TailFit(
        columns=LABS,
        distance=NUMBERS,
        deviations={key.replace("maha", "distance"): value for key, value in rules["floor_sd"].items()},
        ratios={key.replace("maha", "distance"): value for key, value in rules["ratio"].items()},
    ).compare(original, released, background)
    assert tails.detail == pytest.approx(
        {
            "by_shift": gen["tail_u_shift"],
            "by_spike": gen["tail_u_spike"],
            "shift": gen["tail_shiftz"],
            "spike": gen["tail_spike"],
            "statistics": gen["tail_n_stat"],
        },
        abs=1e-9,
    )
    general = min(marginal.value, ranks.value, propensity.value, curve.value, tails.value)
    assert general == pytest.approx(told["U_gen"], abs=1e-9)

    parts = (
        CensoringFit(time="time", events=("onset", "death"), horizon=10),
        FabricationFit(groups=("prefecture", "sex", "smoking"), values=(*LABS, "onset")),
        DistinctRows(),
        Novelty(columns=(*NUMBERS, "time", "sex", "smoking", "onset", "death")),
    )
    scores = [part.compare(original, released, background) for part in parts]
    assert [score.value for score in scores] == pytest.approx(
        [valid["cens"], valid["no_fab"], valid["no_dup"], valid["novel"]], abs=1e-9
    )
    assert (scores[2].detail["repeated"], scores[3].detail["excess"]) == pytest.approx(
        (valid["dup_rate"], valid["d_plus"]), abs=1e-9
    )
    assert float(np.mean([score.value for score in scores])) == pytest.approx(told["U_valid"], abs=1e-9)


@pytest.mark.parametrize("name", RELEASES)
def test_hazards(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())[name]
    original, released = _read(folder / "B_self.csv"), _read(folder / f"C_{name}.csv")
    plain = ("age", "sex", "BMI", "SBP", "HDL", "FPG", "smoking")
    score = HazardFit(time="time", event="onset", columns=plain, logarithms=("TG", "ALT")).compare(
        original, released, {}
    )
    spec = told["detail"]["U_spec"]
    assert score.value == pytest.approx(told["U_spec"], abs=1e-6)
    for term, figures in spec["coefficients"].items():
        key = term.removeprefix("log_")
        assert (
            score.detail[f"original {key}"],
            score.detail[f"released {key}"],
            score.detail[f"share {key}"],
        ) == pytest.approx((figures["beta_B"], figures["beta_C"], figures["contrib"]), abs=1e-9)
    assert (score.detail["concordance"], score.detail["kept"]) == pytest.approx(
        (spec["c_index"], spec["tstr_cal"]), abs=1e-6
    )


def _fit_rare(limit: float) -> RareFit:
    return RareFit(columns=NUMBERS, rare="is_rare", outcome="onset", limit=limit)


@pytest.mark.parametrize("name", RELEASES)
def test_rare(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())[name]["detail"]["U_rare"]
    limit = json.loads((folder / "world.json").read_text())["reference"]["band_lo"]
    background = {"background": _read(folder / "A_bg.csv")}
    score = _fit_rare(limit).compare(_read(folder / "B_self.csv"), _read(folder / f"C_{name}.csv"), background)
    for part, key in (("mass", "mass_star"), ("profile", "prof_cal"), ("outcome", "onset_cal")):
        assert score.detail[part] == pytest.approx(told[key], abs=1e-9)
    for part, key in (("profile", "prof"), ("outcome", "onset")):
        raw = (score.detail[f"released {part}"], score.detail[f"original {part}"])
        assert raw == pytest.approx(told["raw"][key], abs=1e-9)
    assert score.detail["forest"] == pytest.approx(told["c2st_cal"], abs=1e-9)
    raw = [score.detail[f"{which} forest"] for which in ("released", "original")]
    assert raw == pytest.approx(told["raw"]["c2st"], abs=1e-9)
    assert (score.detail["found"], score.detail["found_before"]) == (told["rare_C"], told["rare_B"])
    assert score.value == pytest.approx(json.loads((folder / "expected.json").read_text())[name]["U_rare"], abs=1e-9)


def test_gate_of_the_rare(shared: Callable[[str], Path]) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected_gate.json").read_text())
    background = {"background": _read(folder / "A_bg.csv")}
    score = _fit_rare(told["band_lo"]).compare(
        _read(folder / "B_self.csv"), _read(folder / told["release"]), background
    )
    figures = [score.detail[part] for part in ("mass", "profile", "outcome", "forest")]
    names = ("mass_star", "prof_cal", "onset_cal", "c2st_cal")
    assert figures == pytest.approx([told["detail"][name] for name in names], abs=1e-9)
    assert score.value == told["U_rare"] == 0


@pytest.mark.parametrize("name", RELEASES)
def test_reference_attack(shared: Callable[[str], Path], name: str) -> None:
    folder = shared(WORLD)
    told = json.loads((folder / "expected.json").read_text())[name]
    people = _read(folder / "B_ref.csv")
    guess = DensityRatio(columns=NUMBERS).guess(_read(folder / f"C_{name}.csv"), _read(folder / "A_bg.csv"), people)
    member, rare = ((people[column] == "1").to_numpy() for column in ("member", "is_rare"))
    score = ConfidenceAnswer(person="record_id", people=people.height).score(guess, member, rare)
    expected = told["reference_mia"]
    assert (score.of_all, score.of_rare, score.value, score.area) == pytest.approx(
        (expected["tpr"], expected["tpr_rare"], expected["score"], expected["auc"]), abs=1e-9
    )
    assert 1 - score.value == pytest.approx(told["protection"], abs=1e-9)


@pytest.mark.parametrize("case", ["random", "good", "tied", "constant", "perfect"])
def test_confidences(shared: Callable[[str], Path], case: str) -> None:
    folder = shared("cups/2026/attacks")
    told = json.loads((folder / "expected.json").read_text())["cases"][f"mia_{case}"]
    table = pl.read_csv(folder / f"mia_{case}.csv")
    score = ConfidenceAnswer(person="record_id", people=table.height).score(
        table["confidence"].to_numpy(), (table["member"] == 1).to_numpy(), (table["is_rare"] == 1).to_numpy()
    )
    assert (score.of_all, score.of_rare, score.value, score.area) == pytest.approx(
        (told["tpr"], told["tpr_rare"], told["score"], told["auc"]), abs=1e-9
    )


@pytest.mark.parametrize("case", ["leak", "none", "rare"])
def test_intervals(shared: Callable[[str], Path], case: str) -> None:
    folder = shared("cups/2026/attacks")
    told = json.loads((folder / "expected.json").read_text())["cases"][f"aia_{case}"]
    table = pl.read_csv(folder / f"aia_{case}.csv")
    score = IntervalAnswer(challenges=table.height).score(
        table["time_hat"].to_numpy(),
        table["time"].to_numpy(),
        (table["label"] == "member").to_numpy(),
        (table["is_rare"] == 1).to_numpy(),
    )
    figures = (score.members, score.controls, score.of_all, score.of_rare_raw, score.of_rare, score.value)
    names = ("p_m", "p_c", "r_all", "r_rare_raw", "r_rare", "score")
    assert figures == pytest.approx([told[name] for name in names], abs=1e-9)


def test_files_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "F.csv"
    path.write_text("record_id,confidence\n7,0.5\n3,0.25\n")
    answer = ConfidenceAnswer(person="record_id", people=2)
    assert answer.read(path, pl.Series(["3", "7"])).tolist() == [0.25, 0.5]
    path.write_text("record_id,confidence\n7,0.5\n7,2\n4,x\n")
    with pytest.raises(FaultsError) as caught:
        answer.read(path, pl.Series(["3", "7"]))
    told = {(fault.row, fault.rule) for fault in caught.value.faults}
    assert told == {(0, "rows"), (3, "repeated"), (3, "range"), (4, "domain"), (4, "number")}
    path.write_text("challenge_row_id,time_hat\n1,9.5\n0,3\n")
    assert IntervalAnswer(challenges=3).read(path)[:2].tolist() == [3.0, 9.5]
    path.write_text("challenge_row_id,time_hat\n3,-1\n1,1\n1,2\n")
    with pytest.raises(FaultsError) as caught:
        IntervalAnswer(challenges=3).read(path)
    assert {(fault.row, fault.rule) for fault in caught.value.faults} == {(2, "range"), (4, "repeated")}


def test_files_about_all_targets(tmp_path: Path) -> None:
    path = tmp_path / "F.csv"
    path.write_text("record_id,b,c,a\n7,0.5,,1\n3,0,,0\n")
    teams = ("a", "b", "c")
    parts = split_matrix(path, column="confidence", targets=teams, wanted={"b", "c"})
    assert parts == {"b": b"record_id,confidence\n7,0.5\n3,0\n"}  # c is left empty, a is not wanted
    path.write_text("record_id,b,d,b\n7,0.5,1,1\n3,0\n")
    with pytest.raises(FaultsError) as caught:
        split_matrix(path, column="confidence", targets=teams, wanted={"b"})
    assert [(fault.row, fault.value) for fault in caught.value.faults] == [(1, "d"), (1, "b"), (3, "2")]
    path.write_text("target_k,challenge_row_id,time_hat\nb,1,9.5\na,0,3\nb,0,1\n")
    assert split_long(path, targets=teams, wanted={"b"}) == {"b": b"challenge_row_id,time_hat\n1,9.5\n0,1\n"}
    path.write_text("target_k,challenge_row_id,time_hat\nd,1,9.5\n")
    with pytest.raises(FaultsError, match="no target"):
        split_long(path, targets=teams, wanted={"b"})


@given(st.integers(0, 2**32), st.integers(3, 40), st.integers(1, 5), st.integers(1, 2))
def test_luck_is_what_permutations_reach(seed: int, people: int, levels: int, many: int) -> None:
    """Every permuted share is the one that the plain curve gives."""
    rng = Seed(seed).rng()
    confidence = rng.integers(0, levels, people) / levels
    member = rng.random(people) < 0.4
    kinds = [np.ones(people, dtype=np.bool_), rng.random(people) < 0.5][:many]
    shares = draw_shares(confidence, member, kinds, 0.1, 12, rng=Seed(seed).child("luck").rng())
    again = Seed(seed).child("luck").rng().permuted(np.broadcast_to(member, (12, people)), axis=1)
    plain = np.array([[find_share(confidence[kind], row[kind], 0.1)[0] for row in again] for kind in kinds])
    assert shares == pytest.approx(plain)


def test_risk_of_members() -> None:
    # the kit's notebook: beta = 0.0601 is a risk of (6.01 - 1)/11 = 0.455; a perfect answer is certain, a constant nothing
    answer = ConfidenceAnswer(person="p", people=200, permutations=400)
    member, rare = np.arange(200) < 50, np.zeros(200, dtype=np.bool_)
    perfect = answer.find_risk(member.astype(float), member, rare, rng=Seed(1).rng())
    assert (perfect.score.value, perfect.risk) == (1, 1)
    # two rare people, one a member: luck names him half the time, and yet the others give the release away
    few = answer.find_risk(member.astype(float), member, np.isin(np.arange(200), (0, 199)), rng=Seed(1).rng())
    assert (few.score.of_rare, few.risk) == (1, 1)
    nothing = answer.find_risk(np.full(200, 0.5), member, rare, rng=Seed(1).rng())
    assert (nothing.score.value, nothing.luck, nothing.risk) == (0.01, 0.01, 0)
    assert (0.0601 / 0.01 - 1) / answer.span == pytest.approx(0.455, abs=5e-4)


def test_curve_by_hand() -> None:
    # four people, events at 1 and 3, one leaves at 2: 3/4, then of two left one: 3/8
    curve = draw_curve(np.array([1.0, 2, 3, 4]), np.array([1.0, 0, 1, 0]), np.array([0.5, 1, 2.5, 3, 9]))
    assert curve.tolist() == [1, 0.75, 0.75, 0.375, 0.375]


def test_hazards_by_hand() -> None:
    # x = 1, 0, 1, 0 at times 1..4, all with events; the partial likelihood is
    # e^b/(2e^b + 2) * 1/(e^b + 2) * e^b/(e^b + 1) * 1, whose derivative vanishes where
    # 2 = 2r/(2r + 2) + r/(r + 2) + r/(r + 1), r = e^b: r^2 - r - 4 = 0
    fit = fit_hazards(np.array([[1.0], [0], [1], [0]]), np.array([1.0, 2, 3, 4]), np.ones(4))
    assert fit is not None
    assert fit[0][0] == pytest.approx(np.log((1 + np.sqrt(17)) / 2), abs=1e-3)
    assert fit_hazards(np.array([[1.0], [1], [0], [0]]), np.array([1.0, 2, 3, 4]), np.ones(4)) is None  # separated
    assert fit_hazards(np.zeros((4, 1)), np.arange(4.0), np.ones(4)) is None
    assert fit_hazards(np.arange(4.0)[:, None], np.arange(4.0), np.zeros(4)) is None


def test_concordance_by_hand() -> None:
    # times 1, 2, 3 with events at 1 and 2: pairs (1,2), (1,3), (2,3); risks 3, 1, 1: right, right, tie
    assert measure_concordance(np.array([1.0, 2, 3]), np.array([1.0, 1, 0]), np.array([3.0, 1, 1])) == 2.5 / 3


def test_gap_against_scipy() -> None:
    rng = Seed(2).rng()
    one, two = rng.integers(0, 9, 40).astype(float), rng.integers(2, 9, 30).astype(float)
    assert measure_gap(one, two) == pytest.approx(ks_2samp(one, two).statistic)
    assert measure_gap(two, one, above=True) == pytest.approx(ks_2samp(two, one, alternative="greater").statistic)


def test_forest_tells_what_can_be_told() -> None:
    rng = Seed(2).rng()
    one, two, far = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), rng.normal(size=(30, 3)) + 4
    assert tell_apart(one, far, trees=50) > 0.98
    assert tell_apart(one, two, trees=50) == pytest.approx(0.5, abs=0.2)
    assert tell_apart(one[::-1], far, trees=50) == tell_apart(one, far, trees=50)


def test_deviations_of_tails() -> None:
    table = pl.DataFrame({"a": Seed(1).rng().normal(size=200).astype(str)})
    floors = estimate_deviations(table, ("a",), ("a",), rows=100, draws=20, rng=Seed(1).rng())
    assert set(floors) == {*(f"a_q{at}" for at in ("0.1", "1", "5", "95", "99", "99.9")), *(f"distance_q{at}" for at in ("95", "99", "99.9"))}  # fmt: skip
    assert all(value > 0 for value in floors.values())
    with pytest.raises(ParameterError, match="rows"):
        estimate_deviations(table, ("a",), ("a",), rows=101, draws=2, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="deviations"):
        TailFit(columns=("a",), distance=("a",), deviations={"a_q95": 1.0})
