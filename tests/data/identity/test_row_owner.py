"""Whose rows they are: the column that says who is found by header, content and neighbours, and its people counted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.row_owner import OwnerColumn, OwnerRank, RowOwner, find_row_owner

PEOPLE, VISITS = 40, 6
HEADERS = [
    *(
        "patient_id",
        "PatientID",
        "patient",
        "pid",
        "mrn",
        "subject_id",
        "person",
        "customer",
        "member_id",
        "respondent",
    ),
    *("Patientennummer", "Patienten-Nr.", "Versichertennummer", "Mitgliedsnummer", "KundenID", "Proband"),
    *(
        "no_patient",
        "id_patient",
        "code_patient",
        "n° patient",
        "患者ID",
        "患者番号",
        "会員番号",
        "利用者番号",
        "診察券番号",
    ),
]


def make_visits(header: str, *, case: str = "case_no", numbered: bool = False) -> list[OwnerColumn]:
    """Return visits of 40 patients, six each: sex, birth and town are the patient's, the diagnosis is the visit's."""
    rng = np.random.default_rng(7)
    rows = PEOPLE * VISITS
    who = np.repeat(np.arange(PEOPLE), VISITS)
    sexes, births, towns = rng.integers(2, size=PEOPLE), rng.integers(1930, 2010, PEOPLE), rng.integers(4, size=PEOPLE)
    cells = {
        case: [f"C{row:05}" for row in range(rows)],
        header: [str(one + 1) if numbered else f"P{one:03}" for one in who],
        "sex": ["fm"[sexes[one]] for one in who],
        "birth_year": [str(births[one]) for one in who],
        "town": [f"T{towns[one]}" for one in who],
        "diagnosis": [f"F{code}0" for code in rng.integers(5, size=rows)],
    }
    integers = {"birth_year", *([header] if numbered else [])}
    return make_columns(cells, integers)


def make_columns(cells: dict[str, list[str]], integers: set[str]) -> list[OwnerColumn]:
    """Return columns as they are asked of a file."""
    return [
        OwnerColumn(
            name=name,
            header=name,
            kind=Kind.INTEGER if name in integers else Kind.CATEGORY,
            cells=pl.Series(name, texts, dtype=pl.String),
        )
        for name, texts in cells.items()
    ]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("numbered", [False, True])
def test_a_number_of_people_repeats_whatever_the_number_of_the_case_does(header: str, *, numbered: bool) -> None:
    owner = find_row_owner(make_visits(header, numbered=numbered))
    assert owner is not None
    assert (owner.column, owner.people, owner.rows, owner.repeats) == (header, PEOPLE, PEOPLE * VISITS, True)


@pytest.mark.parametrize("case", ["case_id", "症例番号", "Fallnummer", "visit_id", "受付番号", "record_id", "id"])
@pytest.mark.parametrize("header", ["patient_id", "患者ID", "k9", "Kennung"])
def test_no_number_of_a_case_settles_it(case: str, header: str) -> None:
    """k9 and Kennung say nothing: sex and birth are the same in all rows with one value, so it is somebody."""
    owner = find_row_owner(make_visits(header, case=case))
    assert owner is not None
    assert (owner.column, owner.people) == (header, PEOPLE)


def test_a_number_that_is_all_distinct_is_known() -> None:
    columns = [column for column in make_visits("patient_id") if column.name != "patient_id"]
    people = make_columns({"person_id": [f"P{row}" for row in range(PEOPLE * VISITS)]}, set())
    assert find_row_owner([*people, *columns]) == RowOwner(
        column="person_id", people=PEOPLE * VISITS, rows=PEOPLE * VISITS, rank=OwnerRank.PERSON
    )


def test_a_single_row_of_somebody_who_has_another_is_not_passed_over() -> None:
    """299 people in 300 rows: k counts one of them twice."""
    columns = make_columns({"patient_id": [f"P{row % 299}" for row in range(300)]}, set())
    owner = find_row_owner(columns)
    assert owner is not None
    assert (owner.people, owner.repeats) == (299, True)


@pytest.mark.parametrize(
    "header", ["firm_id", "manager_name", "household_id", "family", "世帯コード", "stratum", "ward"]
)
def test_what_people_share_is_nobody(header: str) -> None:
    """Sex and birth differ within it as they do in the whole file, or it says who lives together."""
    rng = np.random.default_rng(3)
    rows = 240
    cells = {
        header: [f"X{row // 6:03}" for row in range(rows)],
        "sex": ["fm"[code] for code in rng.integers(2, size=rows)],
        "birth_year": [str(year) for year in rng.integers(1930, 2010, rows)],
        "illness": [f"i{code}" for code in rng.integers(4, size=rows)],
    }
    assert find_row_owner(make_columns(cells, {"birth_year"})) is None


def test_who_leads_somebody_is_another_person() -> None:
    """Each employee has a row; managers repeat, and the sex of their people differs."""
    rng = np.random.default_rng(3)
    cells = {
        "employee_id": [f"E{row:03}" for row in range(240)],
        "member_id": [f"M{row // 6:03}" for row in range(240)],
        "sex": ["fm"[code] for code in rng.integers(2, size=240)],
    }
    owner = find_row_owner(make_columns(cells, set()))
    assert owner is not None
    assert (owner.column, owner.repeats) == ("employee_id", False)


@given(order=st.permutations(range(6)), seed=st.integers(0, 2**32))
def test_neither_the_order_of_columns_nor_of_rows_matters(order: list[int], seed: int) -> None:
    columns = make_visits("patient_id")
    rows = np.random.default_rng(seed).permutation(PEOPLE * VISITS)
    shuffled = [
        OwnerColumn(name=each.name, header=each.header, kind=each.kind, cells=each.cells.gather(rows))
        for each in (columns[place] for place in order)
    ]
    assert find_row_owner(shuffled) == find_row_owner(columns)
