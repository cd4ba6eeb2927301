"""A rule gives the tree that a person would write, in the labels that she would; what it cannot give it refuses whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.rule_labels import apply_rule
from sekisho.data.trees.rule_proposal import find_tree_kind, join_rare, propose_lengths, propose_rule
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_files import write_tree
from sekisho.data.trees.tree_rule import (
    CategorySteps,
    CodeSteps,
    DateSteps,
    DateUnit,
    GroupStep,
    NumberSteps,
    TreeKind,
    TreeRule,
    find_rule_path,
    open_tree,
    read_rule,
    write_tree_files,
)
from sekisho.errors import FaultsError, ParameterError


def make_column(values: Sequence[object], kind: Kind = Kind.INTEGER, decimals: int = 0) -> TreeColumn:
    schema = Schema(columns=(Column(name="c", kind=kind, role=Role.QUASI, decimals=decimals),))
    return TreeColumn.of(Dataset.of(pl.DataFrame({"c": values}), schema), "c")


def number(
    width: Fraction | None = None,
    *,
    low: Fraction | None = None,
    high: Fraction | None = None,
    edges: tuple[Fraction, ...] = (),
    quantiles: int | None = None,
    joins: tuple[int, ...] = (),
) -> TreeRule:
    steps = NumberSteps(width=width, low=low, high=high, edges=edges, quantiles=quantiles, joins=joins)
    return TreeRule(column="c", number=steps)


def list_lines(rule: TreeRule, column: TreeColumn) -> list[str]:
    return write_tree(apply_rule(rule, column)).decode().splitlines()


def test_intervals_of_a_width_have_open_ends_and_are_joined() -> None:
    # Fives from 20 to 80 with open ends; two joined are tens from 20 on, and 80+ stays: 12 fives are 6 tens.
    rule = number(width=Fraction(5), low=Fraction(20), high=Fraction(80), joins=(2,))
    lines = list_lines(rule, make_column([3, 19, 20, 24, 25, 79, 80, 101]))
    assert lines == [
        "3;<20;<20;*",
        "19;<20;<20;*",
        "20;20-24;20-29;*",
        "24;20-24;20-29;*",
        "25;25-29;20-29;*",
        "79;75-79;70-79;*",
        "80;80+;80+;*",
        "101;80+;80+;*",
    ]


def test_edges_by_hand_and_quantiles() -> None:
    assert list_lines(number(edges=(Fraction(18), Fraction(19), Fraction(65))), make_column([17, 18, 40, 70])) == [
        "17;<18;*",
        "18;18;*",
        "40;19-64;*",
        "70;65+;*",
    ]
    # Ten people in halves: five have 1 or 2.
    halves = list_lines(number(quantiles=2), make_column([1, 1, 1, 2, 2, 3, 4, 5, 6, 7]))
    assert halves[:3] == ["1;<3;*", "2;<3;*", "3;3+;*"]


def test_decimals_and_numbers_below_zero_have_labels_of_their_own() -> None:
    column = make_column([18.4, 18.5, 24.9, 25.0], Kind.DECIMAL, 1)
    assert list_lines(number(edges=(Fraction(37, 2), Fraction(25))), column) == [
        "18.4;<18.5;*",
        "18.5;18.5-24.9;*",
        "24.9;18.5-24.9;*",
        "25;25+;*",
    ]
    assert list_lines(number(width=Fraction(10)), make_column([-7, 3])) == ["-7;-10..-1;*", "3;0-9;*"]


@given(st.lists(st.integers(-200, 200), min_size=2, max_size=30), st.integers(1, 50), st.lists(st.integers(2, 4)))
@example([0, 1], 1, [2])
def test_every_number_lies_in_the_interval_that_is_named(numbers: list[int], width: int, joins: list[int]) -> None:
    tree = apply_rule(number(width=Fraction(width), joins=tuple(joins[:3])), make_column([*numbers, 300]))
    for leaf in tree.leaves:
        place = tree.parents[tree.position[leaf]]
        while place > 0:
            low, _, high = tree.codes[place].replace("..", "/").partition("/")
            if not high:
                low, _, high = tree.codes[place].partition("-")
            assert int(low) <= int(leaf) <= int(high or low)
            place = tree.parents[place]


def test_periods_of_dates() -> None:
    rule = TreeRule(column="c", date=DateSteps(units=tuple(DateUnit)))
    column = make_column([date(1962, 4, 30), date(1969, 12, 1)], Kind.DATE)
    assert list_lines(rule, column) == [
        "1962-04-30;1962-04;1962-Q2;1962;1960-1964;*",
        "1969-12-01;1969-12;1969-Q4;1969;1965-1969;*",
    ]
    late = make_column([date(1962, 4, 30), date(1989, 12, 1)], Kind.DATE)
    tens = TreeRule(column="c", date=DateSteps(units=(DateUnit.TEN_YEARS,)))
    assert list_lines(tens, late) == ["1962-04-30;1960s;*", "1989-12-01;1980s;*"]
    shifted = TreeRule(column="c", date=DateSteps(units=(DateUnit.FIVE_YEARS, DateUnit.TEN_YEARS), first_year=1955))
    assert list_lines(shifted, late) == ["1962-04-30;1960-1964;1955-1964;*", "1989-12-01;1985-1989;1985-1994;*"]


def test_prefixes_of_codes_and_a_code_that_is_a_prefix() -> None:
    rule = TreeRule(column="c", code=CodeSteps(lengths=(3, 2)))
    column = make_column(["0600001", "0600002", "0610011", "1000001"], Kind.CATEGORY)
    assert list_lines(rule, column)[0] == "0600001;060;06;*"
    with pytest.raises(FaultsError, match="'060' is a value and a group, too"):
        apply_rule(rule, make_column(["060", "0600001", "1"], Kind.CATEGORY))


def test_groups_by_hand_hold_values_that_the_data_lack_and_all_faults_are_told() -> None:
    hands = GroupStep(groups={"hands": ("driver", "cook"), "desk": ("clerk",)})
    work = GroupStep(groups={"work": ("hands", "desk")})
    column = make_column(["driver", "clerk", "none", None], Kind.CATEGORY)
    tree = apply_rule(TreeRule(column="c", category=CategorySteps(steps=(hands, work))), column)
    assert tree.children == {
        "*": ("work", "none"),
        "work": ("desk", "hands"),
        "desk": ("clerk",),
        "hands": ("driver", "cook"),
    }
    twice = GroupStep(groups={"a": ("driver",), "b": ("driver", "clerk")})
    strange = GroupStep(groups={"c": ("a", "hands")})
    with pytest.raises(FaultsError) as caught:
        apply_rule(TreeRule(column="c", category=CategorySteps(steps=(twice, strange))), column)
    assert [(fault.column, fault.rule, fault.value) for fault in caught.value.faults] == [
        ("step 1", "one parent", "driver"),
        ("step 2", "code", "hands"),
    ]


@pytest.mark.parametrize(
    "make",
    [
        NumberSteps,
        lambda: NumberSteps(width=Fraction(0)),
        lambda: NumberSteps(width=Fraction(5), edges=(Fraction(1),)),
        lambda: NumberSteps(edges=(Fraction(2), Fraction(1))),
        lambda: NumberSteps(width=Fraction(5), low=Fraction(20), high=Fraction(81)),
        lambda: NumberSteps(edges=(Fraction(2),), low=Fraction(1)),
        lambda: NumberSteps(width=Fraction(5), joins=(11,)),
        lambda: NumberSteps(quantiles=1),
        lambda: DateSteps(units=()),
        lambda: DateSteps(units=(DateUnit.YEAR, DateUnit.MONTH)),
        lambda: CodeSteps(lengths=(2, 3)),
        lambda: TreeRule(column="c"),
        lambda: apply_rule(number(width=Fraction(5)), make_column(["a"], Kind.CATEGORY)),
        lambda: apply_rule(number(width=Fraction(1)), make_column([0, 1_000_000])),
    ],
)
def test_rules_that_make_no_tree_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ParameterError):
        make()


RULES = [
    number(width=Fraction(5, 2), low=Fraction(20), joins=(2, 2)),
    number(edges=(Fraction(1), Fraction(1, 3) + 1)),
    number(quantiles=4),
    TreeRule(column="誕生日", root="全体", date=DateSteps(units=(DateUnit.MONTH, DateUnit.TEN_YEARS), first_year=1955)),
    TreeRule(column="c", code=CodeSteps(lengths=(3, 2))),
    TreeRule(column="c", category=CategorySteps()),
    TreeRule(column="c", category=CategorySteps(steps=(GroupStep(groups={"手 作業": ("a;b", 'q"'), "desk": ("c",)}),))),
]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_comes_back_from_its_file_while_the_tree_is_what_it_gave(rule: TreeRule, tmp_path: Path) -> None:
    path = tmp_path / "c.tree.csv"
    write_whole(write_tree_files(Tree.flat(["a", "b"], root="*"), path, rule))
    assert find_rule_path(path) == tmp_path / "c.rule.toml"
    assert open_tree(path).rule == rule == read_rule(find_rule_path(path)).rule
    path.write_text("a;x;*\nb;x;*\nc;c;*\n")
    opened = open_tree(path)
    assert opened.by_hand
    assert opened.tree.leaves == ("a", "b", "c")
    assert "counts as made by hand" in opened.remarks[0]


def test_a_rule_that_cannot_be_read_leaves_the_tree_open(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;x;*\nb;x;*\n")
    assert open_tree(tmp_path / "t.csv").by_hand
    (tmp_path / "t.rule.toml").write_text("digest = 1\nstrange = 2\n")
    opened = open_tree(tmp_path / "t.csv")
    assert opened.by_hand
    assert "strange" in opened.remarks[0]


def test_ages_are_offered_round_intervals_with_thin_ends_joined() -> None:
    # 30 people at every age from 20 to 79, one at each of 15 to 19 and 80 to 99.
    ages = [age for age in range(20, 80) for _ in range(30)] + [*range(15, 20), *range(80, 100)]
    rule = propose_rule(make_column(ages))
    assert rule.number is not None
    people = make_column(ages).count_people()
    tree = apply_rule(rule, make_column(ages))
    held: dict[str, int] = {}
    for leaf, count in zip(make_column(ages).texts, people.tolist(), strict=True):
        held[tree.codes[tree.parents[tree.position[leaf]]]] = (
            held.get(tree.codes[tree.parents[tree.position[leaf]]], 0) + count
        )
    assert min(held.values()) >= 20
    assert any(label.startswith("<") for label in held)
    assert any(label.endswith("+") for label in held)


def test_numbers_too_few_or_too_skewed_for_intervals_are_offered_something_all_the_same() -> None:
    assert propose_rule(make_column([1, 2, 3])).number == NumberSteps(width=Fraction(1))
    skewed = propose_rule(make_column([2**power for power in range(50)])).number
    assert skewed is not None
    assert skewed.quantiles == 2
    apply_rule(propose_rule(make_column([7, 7])), make_column([7, 7]))


def test_dates_are_offered_periods_that_leave_fewer_alone() -> None:
    # 365 days, a person each: alone by day, 28 to 31 by month, so that nothing longer lessens it: the usual ones follow.
    days = [date(1999, 1, 1) + timedelta(days=day) for day in range(365)]
    usual = DateSteps(units=(DateUnit.MONTH, DateUnit.YEAR, DateUnit.TEN_YEARS))
    assert propose_rule(make_column(days, Kind.DATE)).date == usual
    assert propose_rule(make_column(days * 2, Kind.DATE)).date == usual
    # 40 days 120 days apart: alone by day, month and quarter, 3 or more a year; above the year 10 years follow
    apart = [date(1980, 1, 1) + timedelta(days=120 * number) for number in range(40)]
    assert propose_rule(make_column(apart, Kind.DATE)).date == DateSteps(units=(DateUnit.YEAR, DateUnit.TEN_YEARS))


@pytest.mark.parametrize(
    ("codes", "lengths"),
    [
        (["0600001", "0600002", "1000001"], (3, 2)),
        (["060-0001", "100-0001"], (3, 2)),
        (["01100", "01101", "01202", "01203", "13101", "13102", "13103", "13104"], (4,)),  # 0110, 0120, 1310
        (["011", "012", "021", "022"], (2,)),
        (["E110", "E119", "E120", "E121", "I10"], (2,)),
        (["01", "01001"], ()),
        (["A1", "12"], ()),
    ],
)
def test_codes_are_offered_prefixes_where_they_agree(codes: list[str], lengths: tuple[int, ...]) -> None:
    assert propose_lengths(codes) == lengths


def test_kinds_are_told_apart() -> None:
    assert find_tree_kind(make_column(["0600001", "1000001"], Kind.CATEGORY)) is TreeKind.CODE
    assert find_tree_kind(make_column(["cook", "driver"], Kind.CATEGORY)) is TreeKind.CATEGORY
    assert find_tree_kind(make_column(["医師", "看護師"], Kind.CATEGORY)) is TreeKind.CATEGORY
    assert propose_rule(make_column(["A1", "A2"], Kind.CATEGORY), kind=TreeKind.CATEGORY).category is not None
    with pytest.raises(ParameterError, match="kind must suit column c"):
        propose_rule(make_column([1]), kind=TreeKind.CODE)


def test_rare_categories_are_joined_by_name_and_never_under_a_name_that_is_taken() -> None:
    jobs = ["cook"] * 40 + ["clerk"] * 40 + ["smith", "other"]
    group = join_rare(make_column(jobs, Kind.CATEGORY))
    assert group == GroupStep(groups={"other (other)": ("other", "smith")})
    assert join_rare(make_column(["a", "b"], Kind.CATEGORY)) is None
    rule = propose_rule(make_column(jobs, Kind.CATEGORY), other="その他")
    assert apply_rule(rule, make_column(jobs, Kind.CATEGORY)).children["その他"] == ("other", "smith")


@given(st.lists(st.one_of(st.none(), st.integers(-1000, 1000)), min_size=2, max_size=80))
def test_what_is_offered_makes_a_tree_of_all_values(numbers: list[int | None]) -> None:
    column = make_column([*numbers, 0])
    tree = apply_rule(propose_rule(column), column)
    assert sorted(tree.leaves) == sorted(column.drop_gaps().texts)
