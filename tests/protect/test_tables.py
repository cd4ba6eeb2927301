"""Methods for tables keep what they say they keep, and the adversaries made for them find what they should."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from sekisho.attack.tables.near_votes import NearVotes
from sekisho.attack.tables.nearest_marks import NearestMarks
from sekisho.attack.tables.sheet_likelihood import SheetLikelihood
from sekisho.contest.answers.match import MatchAnswer
from sekisho.data.synthetic.patients import make_patients
from sekisho.data.synthetic.ratings import make_ratings
from sekisho.data.synthetic.secret_cells import draw_public_cells
from sekisho.data.synthetic.traces import TOKYO, make_trace_table
from sekisho.errors import ParameterError
from sekisho.protect.tables.boosted_trees import BoostedTrees
from sekisho.protect.tables.copula_table import CopulaTable
from sekisho.protect.tables.deal_evenly import DealEvenly
from sekisho.protect.tables.near_swap import NearSwap
from sekisho.protect.tables.swap_traces import MoveAway, SwapTraces
from sekisho.seeds import Seed
from sekisho.utility.tables.summary_statistics import StatisticsDifference
from sekisho.utility.tables.trace_distance import TraceDistance
from sekisho.utility.tables.tree_model import ModelAccuracy, read_tree_model

BASE = ("Gender", "Age", "Occupation", "ZIP-code")
KNOWN = tuple("abcd")


def _make_cells(rows: int) -> pl.DataFrame:
    cells = draw_public_cells(rows=rows, columns=6, rng=Seed(1).rng())
    return pl.DataFrame({name: cells[:, place].astype(str) for place, name in enumerate("abcdxy")})


def test_near_swap_agrees_and_exchanges() -> None:
    table = _make_cells(3000)
    method = NearSwap(known=KNOWN, agree=3)
    source = method.draw_sources(table, rng=Seed(2).rng())
    assert np.array_equal(np.sort(source), np.arange(3000))  # an exchange: nothing is lost or doubled
    assert (source == np.arange(3000)).sum() <= 1  # the last one may be left without a partner
    released = method.apply(table, rng=Seed(2).rng())
    assert released.select("x", "y").equals(table.select("x", "y"))
    distance = sum((released[name] != table[name]).to_numpy().astype(int) for name in KNOWN)
    assert np.mean(distance <= 1) > 0.95  # but for the few without a partner
    with pytest.raises(ParameterError, match="agree"):
        NearSwap(known=KNOWN, agree=4)


def test_votes_counted_one_by_one() -> None:
    table = _make_cells(60)
    public, published = table.select(KNOWN), table.sample(fraction=1, shuffle=True, seed=3)
    votes = NearVotes(weights=(1.0, 1.0, 1.0)).count_votes(public, published)
    differ = np.sum([public[name].to_numpy()[:, None] != published[name].to_numpy()[None] for name in KNOWN], axis=0)
    secret = published["x"].cast(pl.Int64).to_numpy()
    for distance in range(3):
        plain = [
            [int(((differ[row] == distance) & (secret == value)).sum()) for value in range(10)] for row in range(60)
        ]
        assert np.array_equal(votes[distance][:, 0], plain)


def test_votes_undo_a_copy() -> None:
    table = _make_cells(300).with_columns(d=pl.int_range(300).cast(pl.String))  # everybody is unique
    guess = NearVotes(weights=(1.0,)).guess(table.select(KNOWN), table.reverse(), rng=Seed(1).rng())
    assert guess.equals(table.select("x", "y"))


def test_dealing_keeps_columns_and_even_groups() -> None:
    table = make_ratings(4000, rng=Seed(4).rng()).select(*BASE, "2", "56")
    dealt = DealEvenly(over="Age", kept=BASE).apply(table, rng=Seed(5).rng())
    assert dealt.select(BASE).sort(BASE).equals(table.select(BASE).sort(BASE))
    for film in ("2", "56"):
        assert dealt[film].sort().equals(table[film].sort())
        share = table[film].value_counts(normalize=True, name="share")
        for (age,), group in dealt.group_by("Age"):
            for value, part in share.iter_rows():
                found = (group[film] == value).sum()
                assert abs(found - part * group.height) <= 2, (age, value)
    with pytest.raises(ParameterError, match="over"):
        DealEvenly(over="zip").apply(table, rng=Seed(5).rng())


def test_sheets_together_name_people_who_were_only_shuffled() -> None:
    original = make_ratings(300, rng=Seed(6).rng())
    films = original.columns[5:]
    parts = (films[:20], films[20:40], films[30:])
    answer = MatchAnswer(rows=20, known=("Name", *BASE), values=tuple("012345"))
    test = answer.draw_test(original, rng=Seed(7).rng())
    attack = SheetLikelihood(known=BASE)
    shuffled = [
        original.select([*BASE, *names]).sample(fraction=1, shuffle=True, seed=seed) for seed, names in enumerate(parts)
    ]
    assert sum(answer.score(attack.guess(test.known, test.masked, shuffled), test.truth)) >= 38
    dealt = [
        DealEvenly(over="ZIP-code", kept=BASE).apply(original.select([*BASE, *names]), rng=Seed(8).rng())
        for names in parts
    ]
    assert answer.score(attack.guess(test.known, test.masked, dealt), test.truth)[0] <= 5


def test_copula_and_its_attackers() -> None:
    candidates = make_patients(3000, rng=Seed(9).rng())
    original = candidates[:600]
    numbers = tuple(
        name for name in original.columns if name not in ("GENDER", "RACE", "ETHNICITY") and not name.endswith("_flag")
    )
    released = CopulaTable(numbers=numbers, by="AGE", bounds=(18, 45, 109)).apply(original, rng=Seed(10).rng())
    assert released.shape == original.shape
    assert released["RACE"].sort().equals(original["RACE"].sort())
    assert StatisticsDifference().compare(original, released, {}).value < 0.15
    truth = np.arange(3000) < 600
    for relative in (False, True):
        attack = NearestMarks(marked=600, relative=relative)
        assert int((truth & attack.guess(candidates, original)).sum()) > 550  # a copy is found
        assert int((truth & attack.guess(candidates, released)).sum()) < 200  # chance: 120


def test_trained_trees_are_read_and_right() -> None:
    rng = Seed(11).rng()
    table = pl.DataFrame({"a": rng.normal(size=2000), "b": rng.normal(size=2000)})
    truth = (table["a"] * table["b"] > 0).to_numpy()
    features = {name: table[name].to_numpy() for name in ("a", "b")}
    content = BoostedTrees(trees=20, depth=2).train(features, truth.astype(np.float64), target="y")
    model = read_tree_model(content, source="m", target="y")
    hidden = table.with_columns(y=truth.astype(int)).select(pl.all().cast(pl.String))
    assert ModelAccuracy(target="y").judge(model, hidden).value > 0.9


def test_traces_go_round_in_circles_of_near_people() -> None:
    table = make_trace_table(60, days=2, rng=Seed(1).rng())
    traces = table["reg_id"].cast(pl.Int64).to_numpy().reshape(60, -1)
    measure = TraceDistance(column="reg_id", grid=TOKYO)
    for mixed in (False, True):
        method = SwapTraces(person="user_id", column="reg_id", grid=TOKYO, size=4, mixed=mixed, loss=0.3)
        giver = method.draw_givers(traces, rng=Seed(2).rng())
        # at each time everybody's cell is given to somebody
        assert all(sorted(each) == list(range(60)) for each in giver.T.tolist())
        circled = (giver != np.arange(60)[:, None]).any(axis=1)
        assert circled.any()
        assert int(circled.sum()) % 4 == 0
        released = method.apply(table, rng=Seed(2).rng())
        # the loss is within what is allowed: with mixed cells the mean over draws is, and a draw is near it
        assert measure.compare(table, released, {}).value >= (0.65 if mixed else 0.7)
        if not mixed:
            assert (giver[circled] != np.arange(60)[circled][:, None]).all()
    nothing = SwapTraces(person="user_id", column="reg_id", grid=TOKYO, loss=0.0).apply(table, rng=Seed(2).rng())
    assert nothing["reg_id"].to_list() == table["reg_id"].to_list()


def test_cells_of_regions_that_weigh_more_are_moved_first() -> None:
    # two people, each at a home and at a place 10 columns (3.4 km) away; region 5 is moved first, 2 of 8 cells
    regions = ["5", "15", "15", "15", "5", "15", "15", "15"]
    table = pl.DataFrame({"user_id": ["1"] * 4 + ["2"] * 4, "reg_id": regions})
    method = MoveAway(person="user_id", column="reg_id", grid=TOKYO, share=0.25, first=(5,))
    assert method.apply(table, rng=Seed(1).rng())["reg_id"].to_list() == ["15"] * 8
    # whoever has no other place far away is moved anywhere far away
    alone = method.apply(table.filter(pl.col("reg_id") == "5"), rng=Seed(1).rng())
    assert alone["reg_id"].to_list() == ["5", "5"]  # a quarter of two cells is none
    moved = replace(method, share=1.0).apply(table.filter(pl.col("reg_id") == "5"), rng=Seed(1).rng())
    far = TOKYO.measure(np.array([5, 5]), moved["reg_id"].cast(pl.Int64).to_numpy())
    assert (far >= 2).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: SwapTraces(person="p", column="r", grid=TOKYO, size=1),
        lambda: SwapTraces(person="p", column="r", grid=TOKYO, loss=1.5),
        lambda: MoveAway(person="p", column="r", grid=TOKYO, share=-0.1),
    ],
)
def test_methods_for_traces_refuse_what_cannot_be(make: Callable[[], object]) -> None:
    with pytest.raises(ParameterError):
        make()
