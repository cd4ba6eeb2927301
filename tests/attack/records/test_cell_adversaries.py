"""Whoever reads ranges, sets and suppressed cells: whom he names, how sure he may be, against plain loops."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from tests.recodings import NUMBERS, TEXTS, Case, cases, slow_distance

from sekisho.attack.records.cell_adversary import NearestCell, Prosecutor, SingleMatch, match_single_rows
from sekisho.attack.records.cell_linkage import ANY, FITS, CellLinkage
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import exact_table
from sekisho.data.records.space import number_equal_rows
from sekisho.errors import ParameterError
from sekisho.seeds import Seed

FOUR = Case(
    numbers={"age": [20, 21, 30, 40], "pay": [1, 2, 3, 4]},
    texts={"town": ["a", "b", "c", "c"], "job": ["x", "x", "y", "y"]},
    ranges={"age": [(20, 21), (20, 21), (30, 40), (30, 40)], "pay": [(1, 1), (2, 2), (3, 3), None]},
    sets={"town": [frozenset("ab")] * 2 + [frozenset("c")] * 2, "job": [None] * 4},
    deleted=[False] * 4,
)


def test_a_class_of_two_gives_one_in_two() -> None:
    guess = Prosecutor(keys=("age", "town")).guess(FOUR.release.table, FOUR.data, rng=Seed(1).rng())
    # two classes of two: each of the four is named with chance 1/2, so two hits are to be expected
    assert guess.person == ("0", "1", "2", "3")
    assert guess.chance.tolist() == [0.5] * 4
    assert guess.expected_hits == 2.0
    assert guess.detail == {"known": 4, "single": 0, "rows_each": 2.0}
    assert set(guess.published[:2].tolist()) <= {0, 1}
    assert set(guess.published[2:].tolist()) <= {2, 3}


def test_with_fewer_keys_more_rows_fit_and_with_a_suppressed_cell_one_more() -> None:
    # pay: row 3 is suppressed and fits everybody: three people have two rows, the last only that one
    guess = Prosecutor(keys=("pay",)).guess(FOUR.release.table, FOUR.data, rng=Seed(1).rng())
    assert guess.chance.tolist() == [0.5, 0.5, 0.5, 1.0]
    assert (
        Prosecutor(keys=("job",)).guess(FOUR.release.table, FOUR.data, rng=Seed(1).rng()).chance.tolist() == [0.25] * 4
    )


def test_whoever_fits_no_row_is_named_by_the_nearest_only() -> None:
    stranger = Dataset(
        pl.DataFrame({"age": [27, 20], "pay": [9, 1], "town": ["z", "a"], "job": ["x", "x"]}), FOUR.data.schema
    )
    assert Prosecutor(keys=("age", "town")).guess(FOUR.release.table, stranger, rng=Seed(1).rng()).person == ("1",)
    guess = NearestCell(keys=("age", "town")).guess(FOUR.release.table, stranger, rng=Seed(1).rng())
    # 27 is 6 of 7 years above 21 and 3 of 7 below 30; z is in no set: the nearest are rows 2 and 3
    assert guess.person == ("0", "1")
    assert guess.published[0] in {2, 3}
    assert guess.chance.tolist() == [0.5, 0.5]


def test_people_are_drawn_and_called_by_their_identifier() -> None:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER), *FOUR.data.schema))
    named = Dataset(pl.DataFrame([pl.Series("id", ["p", "q", "r", "s"]), *FOUR.data.frame]), schema)
    guess = Prosecutor(keys=("age",), known=2).guess(FOUR.release.table, named, rng=Seed(1).rng())
    assert len(guess) == 2
    assert set(guess.person) <= {"p", "q", "r", "s"}


def test_what_he_cannot_know_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"keys must be known and published, of one kind .*not \['height'\]"):
        Prosecutor(keys=("height",)).guess(FOUR.release.table, FOUR.data, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="known must be at least 1, not 0"):
        NearestCell(known=0)


@given(cases())
def test_counts_and_distances_are_those_of_a_loop_over_all_pairs(case: Case) -> None:
    names = (*NUMBERS, *TEXTS)
    linkage = CellLinkage.of(case.release.table, case.data, names)
    nearest, fitting = (linkage.find_nearest(rng=Seed(3).rng(), reach=reach) for reach in (ANY, FITS))
    everybody = np.arange(case.rows)
    own = linkage.measure(everybody, everybody)
    for person in range(case.rows):
        distances = [slow_distance(case, person, row, names) for row in range(case.rows)]
        assert own[person] == pytest.approx(float(distances[person]))
        assert nearest.distance[person] == pytest.approx(float(min(distances)))
        assert fitting.count[person] == distances.count(Fraction(0))
        assert float(distances[int(nearest.row[person])]) == pytest.approx(float(min(distances)))
        assert (fitting.row[person] < 0) == (fitting.count[person] == 0)
        if fitting.count[person]:
            assert nearest.count[person] == fitting.count[person]
            assert distances[int(fitting.row[person])] == 0


@given(cases(truthful=True))
def test_where_every_cell_admits_the_truth_everybody_has_a_row_that_fits(case: Case) -> None:
    guess = Prosecutor().guess(case.release.table, case.data, rng=Seed(1).rng())
    assert guess.people() == case.rows
    assert bool((guess.chance <= 1).all())


@given(cases())
def test_the_one_who_knows_a_part_claims_pairs_that_fit_nobody_else(case: Case) -> None:
    guess = SingleMatch(keys=("age", "town")).guess(case.release.table, case.data, rng=Seed(1).rng())
    fits = [
        [slow_distance(case, person, row, ("age", "town")) == 0 for row in range(case.rows)]
        for person in range(case.rows)
    ]
    wanted = {
        (str(person), row)
        for person in range(case.rows)
        for row in range(case.rows)
        if fits[person][row] and sum(fits[person]) == 1 and sum(line[row] for line in fits) == 1
    }
    assert set(zip(guess.person, guess.published.tolist(), strict=True)) == wanted


@given(cases(), cases())
def test_on_exact_cells_the_two_ways_to_match_singles_agree(mine: Case, theirs: Case) -> None:
    names = (*NUMBERS, *TEXTS)
    people, sample = number_equal_rows(mine.data, theirs.data, columns=names)
    wanted = {tuple(pair) for pair in np.stack(match_single_rows(people, sample), axis=1).tolist()}
    pairs = np.stack(CellLinkage.of(exact_table(theirs.data), mine.data, names).match_single(), axis=1)
    assert {tuple(pair) for pair in pairs.tolist()} == wanted


def test_rows_as_near_are_drawn_evenly() -> None:
    rng, drawn = Seed(5).rng(), np.zeros(4, dtype=np.int64)
    linkage = CellLinkage.of(FOUR.release.table, FOUR.data, ("job",))
    for _ in range(400):
        drawn += np.bincount(linkage.find_nearest(rng=rng).row, minlength=4)
    # 1,600 draws of four equal chances: 400 each, standard deviation 17
    assert abs(drawn - 400).max() < 90
