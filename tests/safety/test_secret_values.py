"""Nobody's secret may be called covered while all who could be that person have it in common."""

from __future__ import annotations

from collections import Counter
from itertools import product
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.provenance import Provenance
from sekisho.safety.secret_values import SecretValues, count_possible_values

DOMAIN = ("", "copd", "flu", "hiv")
HIDDEN: tuple[str, ...] = ()

Row = tuple[int, str, tuple[str, ...]]
"""A pseudonym, a ward, and the diagnoses that the cell admits; none where it is hidden."""


def make_release(rows: list[Row], deleted: list[bool] | None = None) -> Release:
    """Return a release of wards and diagnoses."""
    wards = tuple(sorted({ward for _, ward, _ in rows}))
    pairs = [(row, DOMAIN.index(value)) for row, (_, _, cell) in enumerate(rows) for value in cell]
    owner, code = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    schema = Schema(
        (
            Column(name="patient", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
            Column(name="ward", kind=Kind.CATEGORY),
            Column(name="diagnosis", kind=Kind.CATEGORY, role=Role.SENSITIVE),
        )
    )
    columns = {
        "ward": SetCells.exact(np.array([wards.index(ward) for _, ward, _ in rows], dtype=np.int32), wards),
        "diagnosis": gather_sets(owner, code.astype(np.int32), len(rows), DOMAIN),
    }
    pseudonym = np.array([row[0] for row in rows], dtype=np.int64)
    return Release(
        table=MaskedTable(schema=schema, columns=columns, pseudonym=pseudonym),
        deleted=np.zeros(len(rows), dtype=np.bool_) if deleted is None else np.array(deleted),
        provenance=Provenance(name="test"),
    )


def figures(rows: list[Row]) -> list[int]:
    """Return the figure of each pseudonym, in their order."""
    return count_possible_values(make_release(rows), "diagnosis").figures.tolist()


def test_whoever_shares_rows_and_diagnosis_has_no_secret() -> None:
    # both stand in ward a with hiv: H0 may hold of the two, and yet whoever was in ward a has hiv
    assert figures([(1, "a", ("hiv",)), (2, "a", ("hiv",)), (3, "b", ("flu",))]) == [1, 1, 1]


def test_values_of_rows_alike_are_counted_together() -> None:
    # one of the two has hiv and the other flu, nobody knows who; the third admits two values by itself
    assert figures([(1, "a", ("hiv",)), (2, "a", ("flu",)), (3, "b", ("flu", "copd"))]) == [2, 2, 2]


def test_pseudonyms_of_other_wards_or_more_rows_are_no_company() -> None:
    assert figures([(1, "a", ("hiv",)), (2, "a", ("flu",)), (2, "a", ("flu",))]) == [1, 1]


def test_a_missing_diagnosis_is_no_second_value() -> None:
    # of the ward everybody whose diagnosis is known has hiv; of ward b nothing is known that could be learnt
    assert figures([(1, "a", ("hiv",)), (2, "a", ("",)), (3, "b", ("",))]) == [1, 1, 0]
    assert figures([(1, "a", ("", "hiv"))]) == [1]


def test_a_hidden_cell_admits_what_the_file_shows() -> None:
    assert figures([(1, "a", HIDDEN), (2, "b", ("hiv", "flu")), (3, "c", ("copd", "hiv"))]) == [3, 2, 2]


def test_a_diagnosis_that_everybody_of_a_class_has_in_some_row_is_certain() -> None:
    # by row there are two values each, but both patients have had hiv
    rows: list[Row] = [(1, "a", ("hiv",)), (1, "a", ("flu",)), (2, "a", ("hiv",)), (2, "a", ("flu",))]
    assert figures(rows) == [1, 1]


def test_who_has_one_diagnosis_is_read_over_all_rows() -> None:
    # {copd; flu} and {flu; hiv} leave flu alone, if a diagnosis does not change
    one: list[Row] = [(1, "a", ("copd", "flu")), (1, "b", ("flu", "hiv"))]
    assert figures(one) == [1]
    # the second patient's diagnosis does change, so that nobody can take it that the first one's does not
    assert figures([*one, (2, "c", ("copd", "flu")), (2, "d", ("hiv", ""))]) == [2, 1]


def test_deleted_rows_are_not_published() -> None:
    release = make_release([(1, "a", ("hiv",)), (2, "a", ("flu",)), (0, "a", ("copd",))], [False, True, False])
    assert count_possible_values(release, "diagnosis").figures.tolist() == [1]


def make_incomes(cells: list[tuple[int, int]]) -> Release:
    """Return a release of one class of people with an income each."""
    schema = Schema(
        (
            Column(name="patient", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
            Column(name="ward", kind=Kind.CATEGORY),
            Column(name="income", kind=Kind.INTEGER, role=Role.SENSITIVE),
        )
    )
    low, high = np.array(cells, dtype=np.int64).T
    hidden = np.zeros(len(cells), dtype=np.bool_)
    columns = {
        "ward": SetCells.exact(np.zeros(len(cells), dtype=np.int32), ("a",)),
        "income": RangeCells(lower=low, upper=high, suppressed=hidden),
    }
    people = np.arange(1, len(cells) + 1)
    table = MaskedTable(schema=schema, columns=columns, pseudonym=people)
    return Release(table=table, deleted=hidden, provenance=Provenance(name="test"))


def test_of_a_range_its_two_ends_count() -> None:
    assert count_possible_values(make_incomes([(10, 20)]), "income").least == 2
    assert count_possible_values(make_incomes([(10, 20), (20, 90)]), "income").least == 3
    assert count_possible_values(make_incomes([(10, 10), (10, 10)]), "income").least == 1


def count_slowly(rows: list[Row]) -> list[int]:
    """Return the figure of each pseudonym by the definition, one person after another."""
    people = sorted({who for who, _, _ in rows})
    own = {who: [(ward, set(cell)) for name, ward, cell in rows if name == who] for who in people}
    shown = {value for _, _, cell in rows for value in cell} - {""}
    admits = {who: [(ward, shown if not cell else cell - {""}) for ward, cell in own[who]] for who in people}
    common = {}
    for who in people:
        telling = [cell - {""} for _, cell in own[who] if cell - {""}]
        bare = any(not cell for _, cell in own[who])
        common[who] = set.intersection(*telling) if telling else (set(shown) if bare else set[str]())
    steady = all(common[who] or all(cell in ({""}, set()) for _, cell in own[who]) for who in people)
    result: list[int] = []
    for who in people:
        wards = Counter(ward for ward, _ in own[who])
        company = [other for other in people if Counter(ward for ward, _ in own[other]) == wards]
        counts = [
            len({value for other in company for place, cell in admits[other] if place == ward for value in cell})
            for ward in wards
        ]
        counts = [count for count in counts if count]
        if any(all(any(cell == {value} for _, cell in own[other]) for other in company) for value in shown):
            counts.append(1)
        if steady and (together := len(set[str]().union(*(common[other] for other in company)))):
            counts.append(together)
        result.append(min(counts, default=0))
    return result


cells = st.sampled_from([HIDDEN, ("",), ("hiv",), ("flu",), ("flu", "hiv"), ("copd", "flu"), ("", "hiv")])
histories = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("ab"), cells), min_size=1, max_size=9)


@given(rows=histories)
def test_the_fast_count_is_the_slow_one(rows: list[Row]) -> None:
    assert figures(rows) == count_slowly(rows)


@given(rows=histories)
def test_no_value_can_be_excluded_by_whoever_knows_all_wards(rows: list[Row]) -> None:
    """Brute force over worlds: everybody is behind some pseudonym of the same wards, each cell has a value of its own.

    Of rows without hidden and missing cells the figure is never above the number of values that some world gives to a
    row.
    """
    rows = [(who, ward, tuple(value for value in cell if value) or ("hiv",)) for who, ward, cell in rows]
    known = {who: sorted(ward for name, ward, _ in rows if name == who) for who, _, _ in rows}
    possible: dict[tuple[int, str], set[str]] = {}
    for (who, wards), (other, same) in product(known.items(), repeat=2):
        if wards == same:
            for name, ward, cell in rows:
                if name == other:
                    possible.setdefault((who, ward), set()).update(cell)
    for who, figure in zip(sorted(known), figures(rows), strict=True):
        assert figure <= min(len(values) for (name, _), values in possible.items() if name == who)


def test_what_is_found_names_the_worst_rows_and_how_many_people_have_too_few() -> None:
    finding = SecretValues(l=2).check(make_release([(1, "a", ("hiv",)), (2, "a", ("flu",)), (3, "b", ("flu",))]))
    assert (finding.kept, finding.worst, finding.where) == (False, 1, (2,))
    assert finding.words == (
        "whoever knows all else of a person is left with 1 value of diagnosis at worst; 2 are asked for, which 1 of 3 "
        "people do not have"
    )
    assert SecretValues(l=2).check(make_release([(1, "a", ("hiv",)), (2, "a", ("flu",))])).kept
    assert SecretValues(l=4).check(make_release([(1, "a", HIDDEN), (2, "a", HIDDEN)])).kept


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        SecretValues(l=1)
    release = make_release([(1, "a", ("hiv",))])
    with pytest.raises(ParameterError, match="not hold the secret column"):
        SecretValues(keys=("ward", "diagnosis")).check(release)
    with pytest.raises(InfeasibleError, match="nothing is published"):
        SecretValues().check(make_release([(1, "a", ("hiv",))], [True]))


def test_sixty_thousand_rows_take_seconds() -> None:
    rng = np.random.default_rng(1)
    rows = 60_000
    people = rng.integers(1, 4000, rows)
    values = ("", *(f"d{number}" for number in range(300)))
    schema = make_release([(1, "a", ("hiv",))]).table.schema
    wards = tuple(f"w{number}" for number in range(3))
    owner = np.repeat(np.arange(rows), 3)
    columns = {
        "ward": SetCells.exact(rng.integers(0, 3, rows).astype(np.int32), wards),
        "diagnosis": gather_sets(owner, rng.integers(1, 301, 3 * rows).astype(np.int32), rows, values),
    }
    table = MaskedTable(schema=schema, columns=columns, pseudonym=people)
    release = Release(table=table, deleted=np.zeros(rows, dtype=np.bool_), provenance=Provenance(name="test"))
    start = process_time()
    assert count_possible_values(release, "diagnosis").people
    assert process_time() - start < 3
