"""A margin must be taken for one whatever it is called, and nothing else may be taken for one in silence."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.files.apriori import apply_hst
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import apply_pattern, apply_published, freeze_pattern, pattern_frame
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables, places
from sekisho.tables.model.linked.populations import difference_tables
from sekisho.tables.model.margins import NAMES, SUBTOTALS, Margins, is_margin, names_margin, names_subtotal
from sekisho.tables.model.table import Status, Table
from sekisho.tables.model.tabulate import flat_dimensions

FILE = CellFile(dims=("r", "c"), value="n")


def framed(total: str, other: str | None = None) -> pl.DataFrame:
    """E: a 2, b 40; W: a 30, b 50; all margins, those of the columns under another name if one is given."""
    across = other or total
    inner = {("E", "a"): 2, ("E", "b"): 40, ("W", "a"): 30, ("W", "b"): 50}
    sums = {
        (r, c): sum(n for key, n in inner.items() if r in (total, key[0]) and c in (across, key[1]))
        for r, c in product(("E", "W", total), ("a", "b", across))
    }
    return pl.DataFrame([(*key, n) for key, n in sums.items()], schema=["r", "c", "n"], orient="row")


@pytest.mark.parametrize(
    "name", ["総数", "TOTAL", "計", "All", "total", "合計", "総計", "全体", "Grand Total", "ＴＯＴＡＬ", "総　数", "_T"]
)
def test_common_names_are_margins(name: str) -> None:
    table = FILE.table(framed(name))
    assert table.margins == (name, name)
    # 3 x 3 cells; as one more category it would be 4 x 4 with margins twice as large.
    assert len(table) == 9
    assert table.value[table.position[name, name]] == 122
    assert FILE.known_by_name(table) == [("r", name), ("c", name)]


def test_the_lists_hold_whole_words_only() -> None:
    assert all(map(names_margin, NAMES))
    assert all(map(names_subtotal, SUBTOTALS))
    assert not any(map(names_margin, ("時計", "家計", "統計", "全国", "T", "Totally", "合計等", "", *SUBTOTALS)))
    assert not is_margin("All", {"All", "Total"})
    assert is_margin("All", {"Total"})
    assert is_margin("", {"Total"})


def test_each_dimension_keeps_its_own_name() -> None:
    table = FILE.table(framed("総数", "All"))
    assert table.margins == ("総数", "All")
    assert table.named(table.position["総数", "All"]) == "r=総数, c=All"
    assert "r=総数 at c=All" in table.equations


def test_an_unusual_name_is_refused_until_it_is_told() -> None:
    frame = framed("Gesamt")
    with pytest.raises(FaultsError) as caught:
        FILE.table(frame, source="t.csv")
    assert [(fault.column, fault.rule, fault.value) for fault in caught.value.faults] == [
        ("r", "margin", "Gesamt"),
        ("c", "margin", "Gesamt"),
    ]
    for word in ("total r=Gesamt", "category r=Gesamt", "total c=Gesamt", "t.csv"):
        assert word in str(caught.value)
    both = CellFile(dims=("r", "c"), value="n", margins=Margins(everywhere="Gesamt")).table(frame)
    each = CellFile(dims=("r", "c"), value="n", margins=Margins(of={"r": "Gesamt", "c": "Gesamt"})).table(frame)
    assert both.keys == each.keys
    assert both.margins == ("Gesamt", "Gesamt")
    assert len(both) == 9
    with pytest.raises(FaultsError, match=r"total c=Gesamt"):
        CellFile(dims=("r", "c"), value="n", margins=Margins(of={"r": "Gesamt"})).table(frame)
    told = Margins(categories={"r": ("Gesamt",), "c": ("Gesamt",)})
    plain = CellFile(dims=("r", "c"), value="n", margins=told).table(frame)
    assert (len(plain), plain.value[plain.position["Total", "Total"]]) == (16, 488)


def test_a_category_with_a_margin_s_name_does_not_add_up_and_says_how_to_tell() -> None:
    frame = pl.DataFrame({"r": ["E", "W", "All"], "n": [3, 4, 9]})
    one = CellFile(dims=("r",), value="n")
    with pytest.raises(FaultsError, match=r"category r=All.*does not add up"):
        one.table(frame)
    told = CellFile(dims=("r",), value="n", margins=Margins(categories={"r": ("All",)})).table(frame)
    assert told.value[told.position["Total",]] == 16


def test_two_names_need_a_word_and_one_word_is_enough() -> None:
    frame = pl.DataFrame({"r": ["E", "W", "All", "Total"], "n": [3, 4, 9, 16]})
    with pytest.raises(FaultsError, match=r"'All' and 'Total' of r .* total r=All"):
        CellFile(dims=("r",), value="n").table(frame)
    table = CellFile(dims=("r",), value="n", margins=Margins(of={"r": "Total"})).table(frame)
    assert table.keys == (("Total",), ("All",), ("E",), ("W",))


def test_a_margin_that_is_told_and_not_there_does_not_make_another_a_category() -> None:
    with pytest.raises(FaultsError, match=r"'Sum' is said .* but '総数' is"):
        CellFile(dims=("r", "c"), value="n", margins=Margins(of={"r": "Sum"})).table(framed("総数"))
    inner = framed("総数").filter((pl.col("r") != "総数") & (pl.col("c") != "総数"))
    table = CellFile(dims=("r", "c"), value="n", margins=Margins(of={"r": "Summe"})).table(inner)
    assert table.margins == ("Summe", "Total")


def test_a_sub_total_is_neither_a_margin_nor_a_category() -> None:
    frame = pl.DataFrame({"r": ["a", "b", "小計", "c", "計"], "n": [3, 4, 7, 9, 16]})
    with pytest.raises(FaultsError, match=r"'小計' of r is a sub-total .*tree or grouping"):
        CellFile(dims=("r",), value="n").table(frame)
    table = CellFile(dims=("r",), value="n", groups={"r": (("小計", ("a", "b")),)}).table(frame)
    assert table.keys == (("計",), ("a",), ("b",), ("c",), ("小計",))


def test_a_margin_alone_is_no_dimension() -> None:
    frame = pl.DataFrame({"r": ["E", "W"], "y": ["計", "計"], "n": [3, 4]})
    with pytest.raises(FaultsError, match=r"no code of y beside the total: .*category y=計"):
        CellFile(dims=("r", "y"), value="n").table(frame)


def test_margins_of_some_dimensions_are_kept_and_the_others_summed() -> None:
    frame = framed("総数").filter(pl.col("c") != "総数").with_columns(f=pl.col("n") + 1, x=pl.col("n"), w=pl.lit(2))
    file = CellFile(dims=("r", "c"), value="n", frequency="f", largest=("x",), weight="w")
    table = file.table(frame)
    at = table.position
    assert table.margins == ("総数", "Total")
    assert table.value[at["総数", "Total"]] == 122
    # Given frequencies stay as they are (33, not 3 + 31); those that were not are sums of the inner cells': 3 + 41 and
    # 3 + 41 + 31 + 51.
    assert [int(table.frequency[at[key]]) for key in (("総数", "a"), ("E", "Total"), ("総数", "Total"))] == [
        33,
        44,
        126,
    ]
    assert [float(table.largest[at[key], 0]) for key in (("総数", "a"), ("E", "Total"))] == [32, 40]
    assert [float(table.weight[at[key]]) for key in (("総数", "a"), ("E", "Total"))] == [2, 4]
    with pytest.raises(FaultsError, match="the cell 総数, b is missing"):
        file.table(frame.filter((pl.col("r") != "総数") | (pl.col("c") != "b")))


def test_an_empty_margin_is_read_if_told() -> None:
    frame = framed("")
    with pytest.raises(FaultsError, match="is empty"):
        FILE.table(frame)
    table = CellFile(dims=("r", "c"), value="n", margins=Margins(everywhere="")).table(frame)
    assert table.keys == FILE.table(framed("Total")).keys


def test_a_tree_s_root_has_its_own_name_or_the_one_that_the_cells_use() -> None:
    tree = Hierarchy(tree=Tree.of([("E", "Land"), ("W", "Land")]))
    file = CellFile(dims=("r", "c"), value="n", trees={"r": tree})
    inner = framed("計").filter((pl.col("r") != "計") & (pl.col("c") != "計"))
    assert file.table(inner).margins == ("Land", "Total")
    assert file.table(framed("Land", "計")).margins == ("Land", "計")
    assert file.table(framed("計")).margins == ("計", "計")
    assert file.known_by_name(file.table(framed("Land", "計"))) == [("c", "計")]
    with pytest.raises(FaultsError, match=r"'Gesamt' is no code of r; .*total r=CODE"):
        file.table(framed("Gesamt", "計"))
    told = CellFile(dims=("r", "c"), value="n", trees={"r": tree}, margins=Margins(of={"r": "Gesamt"}))
    assert told.table(framed("Gesamt", "計")).margins == ("Gesamt", "計")
    with pytest.raises(FaultsError, match=r"'E' is no margin of r"):
        CellFile(dims=("r", "c"), value="n", trees={"r": tree}, margins=Margins(of={"r": "E"})).table(inner)


def test_what_is_told_must_make_sense() -> None:
    with pytest.raises(ParameterError, match="total must be of one of r, c"):
        CellFile(dims=("r", "c"), value="n", margins=Margins(of={"q": "All"}))
    with pytest.raises(ParameterError, match="category must be of one of r, c"):
        CellFile(dims=("r", "c"), value="n", margins=Margins(categories={"q": ("All",)}))
    with pytest.raises(ParameterError, match="no category of r"):
        Margins(of={"r": "All"}, categories={"r": ("All",)})
    with pytest.raises(FaultsError, match=r"'Total' of r cannot be a category and .*total r="):
        CellFile(dims=("r",), value="n", margins=Margins(categories={"r": ("Total",)})).table(
            pl.DataFrame({"r": ["Total", "Shell"], "n": [3, 4]})
        )


def test_records_must_not_collide_with_the_margin_that_is_added() -> None:
    firms = pl.DataFrame({"firm": ["Total", "Shell", "Total"], "kind": ["小計", "TOTAL", "b"]})
    with pytest.raises(FaultsError) as caught:
        flat_dimensions(firms, ["firm", "kind"], source="firms.csv")
    assert [(fault.column, fault.value) for fault in caught.value.faults] == [
        ("firm", "Total"),
        ("kind", "小計"),
        ("kind", "TOTAL"),
    ]
    assert "total firm=" in str(caught.value)
    assert "category kind=TOTAL" in str(caught.value)
    told = Margins(of={"firm": "All"}, categories={"kind": ("小計", "TOTAL")})
    first, second = flat_dimensions(firms, ["firm", "kind"], margins=told)
    assert (first.total, first.leaves) == ("All", ("Shell", "Total"))
    assert (second.total, second.leaves) == ("Total", ("TOTAL", "b", "小計"))
    with pytest.raises(FaultsError, match="'Shell' of firm cannot be a category and"):
        flat_dimensions(firms, ["firm"], margins=Margins(of={"firm": "Shell"}))


values = st.lists(st.integers(0, 40), min_size=12, max_size=12)
GRID = [(r, c) for r in ("E", "W", "ab") for c in ("a", "b", "x", "z")]


def summed(numbers: list[int], total: str) -> Table:
    dims = [Dimension.flat("r", ["E", "W", "ab"], total=total), Dimension.flat("c", ["a", "b", "x", "z"], total=total)]
    return from_inner(dims, GRID, np.array(numbers, dtype=np.float64))


@given(values, st.sampled_from(["総数", "All", "aa", "zz", "計"]))
def test_another_name_changes_nothing_but_names(numbers: list[int], name: str) -> None:
    known = Margins(everywhere=name, categories={"r": ("E", "W", "ab"), "c": ("a", "b", "x", "z")})
    usual = Margins(everywhere="Total", categories=known.categories)
    frames = [pattern_frame(summed(numbers, total), value="n").drop("status") for total in (name, "Total")]
    one, other = (
        CellFile(dims=("r", "c"), value="n", margins=said).table(frame)
        for said, frame in zip((known, usual), frames, strict=True)
    )
    assert one.keys_under(other.margins) == list(other.keys)
    assert np.array_equal(one.value, other.value)
    assert np.array_equal(one.matrix.toarray(), other.matrix.toarray())
    assert [text.replace("=" + name, "=Total") for text in one.equations] == list(other.equations)
    # What the optimiser's first patterns are built on must not follow the alphabet.
    mine, theirs = Axes.of(one), Axes.of(other)
    assert mine is not None
    assert theirs is not None
    assert np.array_equal(mine.codes, theirs.codes)
    assert np.array_equal(mine.cell, theirs.cell)
    assert all(np.array_equal(a, b) for a, b in zip(mine.spread, theirs.spread, strict=True))


def test_tables_are_joined_whatever_their_margins_are_called() -> None:
    jobs, ages = FILE.table(framed("総数")), FILE.table(framed("計", "All"))
    joint = join_tables([jobs, ages])
    assert (len(joint), joint.margins) == (9, ("総数", "総数"))
    assert [joint.keys[at] for at in places(ages, joint)] == ages.keys_under(joint.margins)
    smaller = difference_tables(jobs, ages, names=("all", "part", "rest"))
    assert np.all(smaller.value[18:] == 0)
    other = CellFile(dims=("r",), value="n", margins=Margins(of={"r": "Sum"}, categories={"r": ("総数",)})).table(
        pl.DataFrame({"r": ["総数", "W"], "n": [3, 4]})
    )
    with pytest.raises(FaultsError, match="'総数' is the margin of r in one table and a category in another"):
        join_tables([jobs, other])


@pytest.mark.parametrize("theirs", ["Total", "All", "", "Land"])
def test_patterns_may_call_the_margins_otherwise(theirs: str) -> None:
    table = FILE.table(framed("総数"))
    trees = {"r": Hierarchy(tree=Tree.of([("E", "Land"), ("W", "Land")]))}
    name = "Total" if theirs == "Land" else theirs
    words = {("E", "a"): "primary", (theirs, "a"): "secondary", ("E", name): "secondary", (theirs, name): "secondary"}
    frame = framed(theirs, name)
    if theirs == name == "":
        frame = framed("").with_columns(pl.col("r", "c").replace("", None))
    keys = list(zip(frame["r"].fill_null(""), frame["c"].fill_null(""), strict=True))
    frame = frame.with_columns(status=pl.Series([words.get(key, "safe") for key in keys]))
    for made in (
        apply_pattern(table, frame, value="n", trees=trees),
        freeze_pattern(table, frame, value="q", trees=trees),
    ):
        hidden = [table.keys[cell] for cell in np.flatnonzero(made.suppressed)]
        assert hidden == [("総数", "総数"), ("総数", "a"), ("E", "総数"), ("E", "a")]


def test_other_programs_tables_and_notes_may_too() -> None:
    table, other = FILE.table(framed("総数")), FILE.table(framed("Total"))
    mask = np.array([key == ("Total", "a") for key in other.keys])
    assert apply_published(table, other.flag_cells(mask, sliding=1.0)).keys[int(np.flatnonzero(mask)[0])] == (
        "総数",
        "a",
    )
    noted = apply_hst(table, "Total;a;U\nE;;P\n")
    assert Status(noted.status[noted.position["総数", "a"]]) is Status.PRIMARY
    assert Status(noted.status[noted.position["E", "総数"]]) is Status.PUBLISH


def test_an_earlier_pattern_whose_margins_cannot_be_found_is_refused() -> None:
    table = FILE.table(framed("総数"))
    earlier = framed("Gesamt", "総数").with_columns(status=pl.lit("secondary"))
    with pytest.raises(FaultsError, match=r"no margin '総数' of r, but 'Gesamt'"):
        freeze_pattern(table, earlier, value="q")
    fewer = framed("総数").filter(pl.col("r") != "W").with_columns(status=pl.lit("secondary"))
    assert freeze_pattern(table, fewer, value="q").suppressed.sum() == 6
