"""Coding of columns: what is written, whom it covers, and what is told of it."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.published_frame import published_frame
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.coding.column_plan import ColumnValues
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="age", kind=Kind.INTEGER),
        Column(name="pay", kind=Kind.DECIMAL, decimals=2),
        Column(name="job", kind=Kind.CATEGORY),
        Column(name="born", kind=Kind.DATE),
    )
)


def people(ages: list[int], jobs: list[str] | None = None) -> Dataset:
    rows = len(ages)
    frame = pl.DataFrame(
        {
            "who": [f"p{row}" for row in range(rows)],
            "age": ages,
            "pay": [100 * age + 50 for age in ages],
            "job": jobs or ["cook"] * rows,
            "born": pl.Series(ages, dtype=pl.Int32).cast(pl.Date),
        },
        schema_overrides={"age": pl.Int64, "pay": pl.Int64},
    )
    return Dataset(frame, SCHEMA)


def coded(code: Code, data: Dataset) -> pl.DataFrame:
    return published_frame(code.apply(data, rng=Seed(1).rng()))


def test_tails_roundings_and_intervals_by_hand() -> None:
    data = people([3, 17, 18, 42, 64, 65, 99])
    # below 18, from 18 to 64, and from 65 on
    assert coded(Code(intervals={"age": ("18", "65")}), data)["age"].to_list() == [
        "<18",
        "<18",
        "[18;64]",
        "[18;64]",
        "[18;64]",
        ">=65",
        ">=65",
    ]
    # 65 itself belongs to the top, 17 to the bottom; 18, 42 and 64 round to 20, 40 and 65, halves would go up
    both = Code(top={"age": "65"}, bottom={"age": 17.0}, round={"age": 5})
    assert coded(both, data)["age"].to_list() == ["<=17", "<=17", "20", "40", "65", ">=65", ">=65"]
    # rounding alone leaves numbers: 3.50 is half of 7, and goes up; 17.50 = 2 * 7 + 3.50 as well
    assert coded(Code(round={"pay": 7}), data)["pay"].to_list() == [7.0, 21.0, 21.0, 42.0, 63.0, 63.0, 98.0]
    assert coded(Code(top={"born": "1970-02-12"}), data)["born"].to_list()[2:4] == ["1970-01-19", ">=1970-02-12"]


def test_shares_cover_at_least_what_they_say() -> None:
    data = people([1, 2, 3, 4, 5, 5, 5, 6, 7, 8])
    release = Code(top={"age": "25%"}, bottom={"age": "1%"}).apply(data, rng=Seed(1).rng())
    # a quarter of ten is at least 3 records: 6, 7, 8; one in a hundred of ten is at least 1
    assert release.detail["coded"] == {
        "age": {
            "top": {"threshold": "6", "written": ">=6", "records": 3},
            "bottom": {"threshold": "1", "written": "<=1", "records": 1},
        }
    }
    assert release.detail["changed"] == 4
    assert release.detail["warnings"] == [
        "age <=1 is borne by one record only: its value is hidden, not that it is rare"
    ]
    # equal values stand or fall together: 4 of ten asked, the fourth largest is 5, which three bear
    tied = Code(top={"age": "40%"}).apply(data, rng=Seed(1).rng()).detail["coded"]
    assert tied == {"age": {"top": {"threshold": "5", "written": ">=5", "records": 6}}}


def test_rare_categories_are_merged_until_the_merged_are_not_rare() -> None:
    jobs = ["cook"] * 5 + ["smith"] * 3 + ["king", "queen"]
    data = people(list(range(10)), jobs)
    # king and queen have 2 records, fewer than 3: smith, the next rarest, joins them
    merged = coded(Code(rare={"job": "3:Other"}), data)["job"]
    assert merged.to_list() == ["cook"] * 5 + ["Other"] * 5
    assert coded(Code(rare={"job": 3}), data)["job"].to_list() == ["cook"] * 5 + ["{king;queen;smith}"] * 5
    assert coded(Code(rare={"job": "2:cook"}), data)["job"].to_list() == ["cook"] * 5 + ["smith"] * 3 + ["cook"] * 2
    assert coded(Code(rare={"job": "1"}), data)["job"].to_list() == jobs
    all_rare = Code(rare={"job": "11:Other"}).apply(data, rng=Seed(1).rng())
    assert all_rare.detail["warnings"] == ["job: all values together have 10 records, fewer than 11"]


def test_marks_in_names_are_not_mistaken_for_sets() -> None:
    data = people([1, 2, 3, 4], ["{a}", "{a}", "b;c", "*"])
    assert coded(Code(rare={"job": "2:Other"}), data)["job"].to_list() == ["{a}", "{a}", "Other", "Other"]


def test_everything_that_is_wrong_is_said_at_once() -> None:
    code = Code(
        top={"job": "3", "age": "x", "nobody": "1", "pay": "100%"},
        bottom={"born": "1970-13-01", "who": "1"},
        intervals={"pay": ("5", "5")},
        round={"born": "0", "age": "0.5"},
        rare={"job": "0:x"},
    )
    with pytest.raises(FaultsError) as caught:
        code.apply(people([1, 2]), rng=Seed(1).rng())
    assert [str(fault) for fault in caught.value.faults] == [
        "file, --top: job is of the kind category; top is for numbers and dates",
        "file, --top: age needs a integer, not 'x'",
        "file, --round: age needs a step above 0 of at most 0 decimals, not '0.5'",
        "file, --top: nobody is no column; there are who, age, pay, job, born",
        "file, --top: pay needs a share above 0% and below 100%, not '100%'",
        "file, --intervals: pay needs ascending borders, not 5, 5",
        "file, --bottom: born needs a date, not '1970-13-01'",
        "file, --round: born needs a step above 0 of at most 0 decimals, not '0'",
        "file, --bottom: who is the identifier, which is left out of the release",
        "file, --bottom: who is of the kind category; bottom is for numbers and dates",
    ]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (Code(top={"age": 5}, bottom={"age": 5}), "age needs a bottom below its top, not 5 and 5"),
        (Code(round={"age": 5}, intervals={"age": ("1",)}), "age cannot be rounded and put into intervals at once"),
        (Code(rare={"job": "0"}), "job needs the fewest records of a category, 1 or more, not '0'"),
        (Code(rare={"job": "2:"}), "job needs a label after the colon"),
        (Code(rare={"age": "2"}), "age is of the kind integer; rare is for categories"),
    ],
)
def test_what_cannot_be_is_refused(code: Code, message: str) -> None:
    with pytest.raises(FaultsError, match=message):
        code.apply(people([1, 2]), rng=Seed(1).rng())


def test_nothing_asked_is_refused() -> None:
    with pytest.raises(ParameterError, match="code must be given at least one of top, bottom, round, intervals, rare"):
        Code()


@given(
    st.lists(st.integers(-60, 60), min_size=1, max_size=25),
    st.integers(1, 40),
    st.lists(st.integers(-50, 50), min_size=1, max_size=4, unique=True).map(sorted),
    st.integers(-70, 70),
)
@example([5], 5, [5], 5)  # on the border
@example([-3, 2], 5, [0], 60)  # halves below 0 go up too
def test_cells_admit_the_truth_and_labels_name_their_ends(
    ages: list[int], step: int, edges: list[int], top: int
) -> None:
    data = people(ages)
    for code in (
        Code(round={"age": step}, top={"age": top}),
        Code(intervals={"age": tuple(map(str, edges))}, top={"age": top}),
    ):
        release = code.apply(data, rng=Seed(1).rng())
        cells = release.table.numbers("age")
        assert cells.admits(data.grid("age")).all()
        assert (cells.upper[data.grid("age") < top] < top).all() or code.round
        for age, text in zip(ages, published_frame(release)["age"].cast(pl.String), strict=True):
            assert text is not None
            if age >= top:
                assert text == f">={top}"
            elif code.round:
                assert int(text) % step == 0
                assert -step < 2 * (age - int(text)) <= step or 2 * (int(text) - age) == step
            elif text.startswith("["):
                low, high = map(int, text[1:-1].split(";"))
                assert low <= age <= high
                assert low in edges


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30), st.integers(1, 8))
def test_no_written_category_is_rarer_than_asked_where_that_is_possible(jobs: list[str], least: int) -> None:
    data = people(list(range(len(jobs))), jobs)
    written = coded(Code(rare={"job": f"{least}:Other"}), data)["job"]
    counts = written.value_counts()["count"].to_list()
    assert min(counts) >= min(least, len(jobs))
    kept = written.filter(written != "Other")
    assert kept.to_list() == [job for job, text in zip(jobs, written, strict=True) if text != "Other"]


@given(
    st.lists(st.integers(-5, 30), min_size=1, max_size=40),
    st.sampled_from(
        [
            Code(top={"age": "10%"}, round={"age": "4"}),
            Code(bottom={"age": "1%", "pay": "30%"}),
            Code(intervals={"age": ("0", "10", "11")}, top={"age": "50%"}),
            Code(rare={"job": "3"}),
            Code(rare={"job": "5:Other"}, bottom={"age": "99%"}),
        ]
    ),
)
@example([7], Code(top={"age": "50%"}))
def test_distinct_values_with_their_numbers_are_coded_like_every_record(ages: list[int], code: Code) -> None:
    data = people(ages, [f"job {age % 7}" for age in ages])
    whole = code.code_columns(SCHEMA, {name: ColumnValues(data=data) for name in code.columns})
    few: dict[str, ColumnValues] = {}
    for name in code.columns:
        counted = data.frame.group_by(name).agg(pl.len().cast(pl.Int64).alias("count"))
        values = Dataset(counted.select(name), Schema((SCHEMA[name],)))
        few[name] = ColumnValues(data=values, weights=counted["count"].to_numpy())
    coded_few = code.code_columns(SCHEMA, few)
    assert {name: column.report for name, column in coded_few.items()} == {
        name: column.report for name, column in whole.items()
    }
    assert [column.warnings for column in coded_few.values()] == [column.warnings for column in whole.values()]
