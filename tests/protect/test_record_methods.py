"""What the methods on records must keep: the limit on Iloss, the records themselves, and which rows they delete."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.row_loss import row_loss

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.partners import find_partners
from sekisho.data.records.space import take_kept
from sekisho.data.synthetic.health import HEALTH_SPACE, health_records
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.protect.history.coarsen import Coarsen
from sekisho.protect.records.borrow import Borrow, draw_partners
from sekisho.protect.records.delete import Decoy, DeleteExtremes, DeleteFew, DeleteRandom, DeleteSmall
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.randomise import Randomise
from sekisho.protect.records.swap import Choice, Swap
from sekisho.utility.records.record_loss import RecordLoss

DATA = health_records(700, rng=np.random.default_rng(5))
(POINTS,) = HEALTH_SPACE.points(DATA)
SAID = read_record_rules("pwscup2021").parameters()
COLUMNS = ("gen", "race", "edu", "mar", "dep", "pir", "qm")
LOSS = fit(RecordLoss(), SAID)
seeds = st.integers(0, 2**32)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("choice", list(Choice))
@pytest.mark.parametrize("limit", [0.0, 3.0, 4.0, 6.0])
def test_a_swap_moves_nobody_beyond_the_limit(choice: Choice, limit: float) -> None:
    release = fit(Swap(limit=limit, choice=choice, few=-1), SAID).apply(DATA, rng=rng())
    assert LOSS.compare(DATA, release).value <= limit
    assert not release.deleted.any()


def test_swapping_keeps_all_but_the_replaced() -> None:
    release = fit(Swap(few=-1), SAID).apply(DATA, rng=rng())
    before = DATA.frame.group_by(DATA.schema.names).len()
    after = take_kept(release).frame.group_by(DATA.schema.names).len()
    lost = before.join(after, on=DATA.schema.names, how="anti").height
    assert lost < 0.1 * len(DATA)


def test_everyone_with_a_partner_is_moved_to_another_record() -> None:
    release = fit(Swap(few=-1), SAID).apply(DATA, rng=rng())
    alone = find_partners(POINTS, 4).counts() == 0
    one, other = HEALTH_SPACE.points(DATA, take_kept(release))
    assert (row_loss(one, other)[alone] == 0).all()
    assert (row_loss(one, other)[~alone] > 0).mean() > 0.99  # a twin may lend its equal values


@pytest.mark.parametrize("seed", range(12))
def test_who_has_fewest_partners_swaps_first(seed: int) -> None:
    """Four alike of 40, 44, 48 and 52 years: the outer two, with one partner each, come first.

    Otherwise the inner two pair up half the time.
    """
    ages = pl.Series("age", [40, 44, 48, 52]) * 1_000_000
    data = Dataset(DATA.frame[[0] * 4].with_columns(ages), DATA.schema)
    release = fit(Swap(few=-1), SAID).apply(data, rng=rng(seed))
    assert (take_kept(release).grid("age") // 1_000_000).tolist() == [44, 40, 52, 48]


def test_far_swaps_are_farther_than_near_ones() -> None:
    far, near = (
        row_loss(
            *HEALTH_SPACE.points(DATA, take_kept(fit(Swap(few=-1, choice=choice), SAID).apply(DATA, rng=rng())))
        ).mean()
        for choice in (Choice.FAR, Choice.NEAR)
    )
    assert far > 1.2 * near


def test_records_with_few_partners_are_deleted() -> None:
    counts = find_partners(POINTS, 4).counts()
    for method in (Swap(few=5), DeleteFew(few=5), Borrow(few=5)):
        assert (fit(method, SAID).apply(DATA, rng=rng()).deleted == (counts <= 5)).all()


@given(seeds, st.floats(-3, 3))
def test_borrowed_values_are_a_partners(seed: int, pull: float) -> None:
    near = find_partners(POINTS, 4)
    source = draw_partners(near, pull, rng=rng(seed))
    for i in range(0, len(DATA), 50):
        assert source[i] in near.of(i) or (source[i] == i and not len(near.of(i)))


def test_a_pull_prefers_values_that_many_could_bear() -> None:
    near = find_partners(POINTS, 4)
    counts = near.counts()
    assert counts[draw_partners(near, 3.0, rng=rng())].mean() > counts[draw_partners(near, 0.0, rng=rng())].mean() * 1.1


def test_extremes_small_classes_and_chance_delete_what_they_say() -> None:
    age, bmi = DATA.grid("age") / 1e6, DATA.grid("bmi") / 1e6
    extremes = DeleteExtremes(top={"age": 75, "bmi": 50}, bottom={"age": 22, "bmi": 20})
    gone = extremes.apply(DATA, rng=rng()).deleted
    assert (gone == ((age > 75) | (bmi > 50) | (age < 22) | (bmi < 20))).all()
    small = DeleteSmall(k=7, keys=("race", "edu", "mar")).apply(DATA, rng=rng()).deleted
    sizes = DATA.frame.group_by("race", "edu", "mar").len()["len"].to_numpy()
    assert small.sum() == sizes[sizes < 7].sum()
    every = DeleteSmall(k=2).apply(DATA, rng=rng()).deleted  # no column is named: all categories make the classes
    classes = DATA.frame.group_by("gen", "race", "edu", "mar", "qm").len()["len"].to_numpy()
    assert every.sum() == (classes == 1).sum() > 0
    assert DeleteRandom(share=0.45).apply(DATA, rng=rng()).deleted.sum() == 315  # 0.45 * 700


@given(seeds, st.floats(0, 1))
def test_at_most_so_many_cells_are_randomised(seed: int, keep: float) -> None:
    release = Randomise(keep=keep, most=2, attributes=COLUMNS).apply(DATA, rng=rng(seed))
    assert LOSS.compare(DATA, release).value <= 2


@pytest.mark.parametrize(("most", "numbers"), [(0, {0}), (1, {0, 1}), (2, {0, 1, 2})])
def test_so_many_cells_of_a_record_change_and_none_where_none_may(most: int, numbers: set[int]) -> None:
    assert set(count_changed_cells(Randomise(keep=0.0, most=most, attributes=COLUMNS))) == numbers
    assert max(count_changed_cells(Randomise(keep=0.0, most=-1, attributes=COLUMNS))) > 2


def count_changed_cells(method: Method) -> list[int]:
    frame = take_kept(method.apply(DATA, rng=rng())).frame
    return np.sum([(frame[name] != DATA.frame[name]).to_numpy() for name in COLUMNS], axis=0).tolist()


def test_randomised_response_keeps_the_share_it_promises() -> None:
    release = Randomise(keep=0.6, attributes=("gen",)).apply(DATA, rng=rng())
    same = (take_kept(release).frame["gen"] == DATA.frame["gen"]).mean()
    assert same == pytest.approx(0.8, abs=0.06)  # 0.6 + 0.4 / 2


@given(seeds)
def test_noise_is_whole_within_bounds_and_within_its_limit(seed: int) -> None:
    release = fit(Noise(epsilon={"age": 0.2, "bmi": 0.3}, cut=4), SAID).apply(DATA, rng=rng(seed))
    assert LOSS.compare(DATA, release).value <= 4
    for name, high in (("age", 85), ("bmi", 75)):
        grid = take_kept(release).grid(name)
        assert (grid % 10**6 == 0).all()
        assert 13 * 10**6 <= grid.min() <= grid.max() <= high * 10**6


def test_noise_cuts_towards_zero_as_the_samples_did() -> None:
    quiet = Noise(epsilon={"bmi": 1e9}).apply(DATA, rng=rng())
    assert (take_kept(quiet).grid("bmi") == DATA.grid("bmi") // 10**6 * 10**6).all()


def test_decoys_bear_the_values_of_deleted_records_each_once() -> None:
    release = fit(Decoy(share=0.45), SAID).apply(DATA, rng=rng())
    assert LOSS.compare(DATA, release).value <= 4
    gone = DATA.frame.filter(release.deleted)
    shown = take_kept(release).frame.join(gone.unique(), on=DATA.schema.names, how="semi").height
    assert shown > 0.3 * len(take_kept(release))
    assert shown <= 1.05 * len(gone)


def test_in_turn_deletes_with_one_and_changes_with_the_other() -> None:
    both = InTurn(delete=DeleteRandom(share=0.5), change=fit(Swap(few=-1), SAID)).apply(DATA, rng=rng())
    assert both.deleted.sum() == 350
    assert LOSS.compare(DATA, both).value > 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Swap(limit=-1), "limit must be given, at least 0"),
        (lambda: Swap(few=-2), "few must be at least 0, or -1 to delete nothing, not -2"),
        (lambda: Borrow(limit=-1), "limit must be given, at least 0"),
        (lambda: Borrow(limit=float("nan")), "limit must be a finite number"),
        (lambda: Borrow(pull=99), "pull must lie between -10 and 10, not 99"),
        (lambda: DeleteFew(few=-1), "few must be at least 0, not -1"),
        (lambda: DeleteFew(limit=-1), "limit must be given, at least 0"),
        (DeleteExtremes, "top or bottom must name at least one column"),
        (lambda: DeleteSmall(k=0), "k must be at least 1, not 0"),
        (lambda: DeleteRandom(share=1), r"share must lie in \[0, 1\), not 1"),
        (lambda: Randomise(keep=2), r"keep must lie in \[0, 1\], not 2"),
        (Noise, "epsilon must name at least one column"),
        (lambda: Noise(epsilon={"age": 0}), "epsilon of age must be 0.000001 or more, not 0"),
        (lambda: Decoy(replaced=2), r"replaced must lie in \[0, 1\], not 2"),
        (lambda: Decoy(limit=-1), "limit must be given, at least 0"),
    ],
)
def test_impossible_parameters_are_refused(make: Callable[[], Method], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("method", [Swap(), Borrow(), Decoy(), DeleteFew()])
def test_who_needs_a_limit_that_nobody_says_asks_for_it(method: Method) -> None:
    with pytest.raises(ParameterError, match="limit must be given, at least 0, where no rules say it, not None"):
        method.apply(DATA, rng=rng())


def test_a_class_by_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="column must be one of gen, age"):
        DeleteSmall(keys=("race", "nan")).apply(DATA, rng=np.random.default_rng(1))


def test_classes_are_made_by_exact_names_of_columns() -> None:
    schema = Schema((Column(name="*", kind=Kind.CATEGORY), Column(name="b", kind=Kind.CATEGORY)))
    data = Dataset(pl.DataFrame({"*": ["x", "x", "y"], "b": ["1", "2", "3"]}), schema)
    assert DeleteSmall(k=2, keys=("*",)).apply(data, rng=np.random.default_rng(1)).deleted.tolist() == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e300, -1e300])
def test_numbers_beyond_any_grid_are_refused(number: float) -> None:
    makers: dict[str, Callable[[], object]] = {
        "epsilon of age": lambda: Noise(epsilon={"age": number if number != 1e300 else 1e-300}),
        "low of age": lambda: Noise(epsilon={"age": 1.0}, low={"age": number}),
        "high of age": lambda: Noise(epsilon={"age": 1.0}, high={"age": number}),
        "top of age": lambda: DeleteExtremes(top={"age": number}),
        "bottom of age": lambda: DeleteExtremes(bottom={"age": number}),
        "width": lambda: Coarsen(width=number),
    }
    if not number < 0:  # a negative cut is none
        makers["cut"] = lambda: Noise(epsilon={"age": 1.0}, cut=number)
    for name, make in makers.items():
        with pytest.raises(ParameterError, match=f"{name} must"):
            make()
