"""A table for τ-ARGUS must come back from its files, and the manual's own examples must be read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sekisho.data.files.whole_files import write_whole
from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.tables.files.apriori import apply_hst, hst_text
from sekisho.tables.files.argus import read_tab, tab_files
from sekisho.tables.files.argus_metadata import Meta, TabColumn, Variable, rda_meta, rda_text
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Status, Table

DEEP = Dimension(name="region", parent={"N": "Total", "n1": "N", "n2": "N", "s": "Total"})
FLAT = Dimension.flat("size", ["small", "large"])

# Shaped like pp.rda and pp.tab of the τ-ARGUS distribution: quoted codes with leading spaces, decimal commas, E for
# empty, 99 unknown.
RDA = """   <SEPARATOR> ";"
Size "99"
    <RECODEABLE>
    <TOTCODE> "Total"
Region "99"
    <RECODEABLE>
    <TOTCODE> "Alles"
    <DISTANCE> 2 4 4 4 4
    <CODELIST> "REGION.CDL"
    <HIERARCHICAL>
    <HIERCODELIST> "region2.hrc"
    <HIERLEADSTRING> "@"
Var2
    <NUMERIC>
    <DECIMALS> 2
FreqVar
    <FREQUENCY>
Var2_Cost
    <NUMERIC> <COSTVAR>
Top1
    <MAXSCORE>
StatusVar
    <STATUS>
LowerProtLevel
    <NUMERIC> <LOWERPL>
UpperProtLevel
    <NUMERIC> <UPPERPL>
"""
TAB = """"Total";"Alles";12,50;9;12,50;5,00;S;0,01;0,01
"Total";"Nr";10,50;8;10,50;5,00;S;0,01;0,01
"Total";" 1";5,00;1;5,00;5,00;U;0,75;0,50
"Total";" 2";5,50;7;5,50;2,00;P;0,00;0,00
"Total";"99";2,00;1;2,00;2,00;M;0,00;0,00
" 5";"Alles";12,50;9;12,50;5,00;S;0,01;0,01
" 5";"Nr";10,50;8;10,50;5,00;S;0,01;0,01
" 5";" 1";5,00;1;5,00;5,00;U;0,75;0,50
" 5";" 2";5,50;7;5,50;2,00;P;0,00;0,00
" 5";"99";2,00;1;2,00;2,00;M;0,00;0,00
"""


def table_of() -> Table:
    keys = [(region, size) for region in ("n1", "n2", "s") for size in ("small", "large")]
    table = from_inner((DEEP, FLAT), keys, np.array([1.5, 2.25, 3, 4, 5, 60]))
    rng = np.random.default_rng(3)
    status = rng.integers(0, 4, len(table)).astype(np.int8)
    primary = status == Status.PRIMARY
    return replace(
        table,
        frequency=rng.integers(1, 9, len(table)),
        largest=-np.sort(-rng.integers(0, 9, (len(table), 2)).astype(np.float64), axis=1),
        weight=rng.integers(1, 5, len(table)) / 4,
        status=status,
        lower_level=np.where(primary, 0.5, 0.0),
        upper_level=np.where(primary, 1.25, 0.0),
    )


def test_a_table_written_is_the_table_read(tmp_path: Path) -> None:
    table, path = table_of(), tmp_path / "t.tab"
    write_whole(tab_files(table, path, (DEEP, FLAT)))
    assert sorted(found.name for found in tmp_path.iterdir()) == ["t.rda", "t.tab", "t_region.hrc"]
    again = read_tab(path)
    assert again.dims == table.dims
    at = np.array([again.position[key] for key in table.keys])
    for name in ("value", "frequency", "largest", "weight", "status", "lower_level", "upper_level"):
        assert getattr(again, name)[at].tolist() == getattr(table, name).tolist(), name
    assert len(again.equations) == len(table.equations)


def test_files_as_the_program_writes_them_are_read(tmp_path: Path) -> None:
    (tmp_path / "p.rda").write_text(RDA)
    (tmp_path / "p.tab").write_text(TAB)
    (tmp_path / "region2.hrc").write_text("Nr \n@ 1\n@ 2\n")
    table = read_tab(tmp_path / "p.tab")
    assert table.dims == ("Size", "Region")
    at = table.position
    assert table.value[at["5", "Nr"]] == 10.5
    assert Status(table.status[at["Total", "99"]]) is Status.SECONDARY
    assert Status(table.status[at["Total", "2"]]) is Status.PUBLISH
    assert (table.lower_level[at["Total", "1"]], table.upper_level[at["Total", "1"]]) == (0.75, 0.5)
    assert table.upper_level[at["Total", "Alles"]] == 0  # a level is a primary's
    assert table.largest[at["Total", "1"]].tolist() == [5]


def test_broken_tables_are_told_whole(tmp_path: Path) -> None:
    (tmp_path / "p.rda").write_text(RDA)
    (tmp_path / "region2.hrc").write_text("Nr\n@ 1\n@ 2\n")
    (tmp_path / "p.tab").write_text(TAB.replace(";U;", ";Q;"))
    with pytest.raises(FaultsError, match="'Q' is no status"):
        read_tab(tmp_path / "p.tab")
    (tmp_path / "p.tab").write_text(TAB.replace('" 2"', '"moon"').replace("12,50;9", "a;9"))
    with pytest.raises(FaultsError) as caught:
        read_tab(tmp_path / "p.tab")
    assert [(fault.row, fault.rule) for fault in caught.value.faults] == [
        (1, "number"),
        (4, "code"),
        (6, "number"),
        (9, "code"),
    ]
    (tmp_path / "p.tab").write_text("a;b\n")
    with pytest.raises(FaultsError, match="has 2 columns, not 9"):
        read_tab(tmp_path / "p.tab")
    (tmp_path / "p.tab").write_text("\n")
    with pytest.raises(InputError, match="no rows"):
        read_tab(tmp_path / "p.tab")


def test_metadata_comes_back() -> None:
    meta = Meta(
        separator=";",
        variables=(
            Variable(name="nace", part=TabColumn.SPANNING, total="T", widths=(2, 1, 0), missing=("99",)),
            Variable(name="region", part=TabColumn.SPANNING, outline="r.hrc", lead="#"),
            Variable(name="x", part=TabColumn.RESPONSE, decimals=2),
            Variable(name="shade", part=TabColumn.SHADOW),
            Variable(name="c", part=TabColumn.COST),
            Variable(name="other"),
        ),
    )
    assert rda_meta(rda_text(meta)) == meta


def test_bad_metadata_is_told_whole() -> None:
    with pytest.raises(FaultsError) as caught:
        rda_meta("<RECODEABLE>\nx\n <ODD>\n <DECIMALS> two\n <NUMERIC> 3 4\nloose 9\n stray\n")
    assert [fault.rule for fault in caught.value.faults] == ["spanning", "keyword", "keyword", "number"]


def test_digits_make_a_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "d.rda").write_text(
        '<SEPARATOR> ","\nnace\n<RECODABLE>\n<HIERARCHICAL>\n<HIERLEVELS> 1 1\nn\n<NUMERIC>\n'
    )
    (tmp_path / "d.tab").write_text("Total,6\n1,4\n11,1\n12,3\n2,2\n21,2\n")
    table = read_tab(tmp_path / "d.tab")
    assert list(table.equations) == ["nace=Total", "nace=1", "nace=2"]


def test_an_a_priori_file_comes_back() -> None:
    table = table_of()
    plain = from_inner((DEEP, FLAT), [("n1", "small")], np.array([0.0]))
    plain = replace(plain, value=table.value)
    again = apply_hst(plain, hst_text(table))
    for name in ("status", "weight", "lower_level", "upper_level"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist(), name


def test_a_priori_letters() -> None:
    table = from_inner((FLAT,), [("small",), ("large",)], np.array([10.0, 20.0]))
    made = apply_hst(table, "// a remark\nsmall, u\nlarge, p\nTotal, c, 7.5\n", margin=Fraction(20))
    assert made.status.tolist() == [Status.SAFE, Status.PRIMARY, Status.PUBLISH]
    assert made.weight.tolist() == [7.5, 1, 1]
    assert made.upper_level.tolist() == [0, 2, 0]
    assert apply_hst(table, "small;U\nsmall;PL;3;4\n").upper_level.tolist() == [0, 4, 0]


def test_bad_a_priori_lines_are_told_whole() -> None:
    table = from_inner((FLAT,), [("small",), ("large",)], np.array([10.0, 20.0]))
    text = "moon;U\nsmall;Q\nsmall;C\nsmall;C;-1\nsmall;PL;a\nsmall;U\nsmall;P\n"
    with pytest.raises(FaultsError) as caught:
        apply_hst(table, text)
    told = [(fault.row, fault.rule) for fault in caught.value.faults]
    assert told == [(1, "cell"), (2, "letter"), (3, "number"), (4, "number"), (5, "number"), (7, "status")]


def write_small(folder: Path, tab: str, *, total: str = "Total", separator: str = ";") -> Path:
    rda = f'   <SEPARATOR> "{separator}"\nr\n   <RECODEABLE>\n   <TOTCODE> "{total}"\nv\n   <NUMERIC>\n'
    (folder / "t.rda").write_text(rda)
    (folder / "t.tab").write_text(tab, newline="")
    return folder / "t.tab"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_other_line_ends_are_read(tmp_path: Path, end: str) -> None:
    table = read_tab(write_small(tmp_path, end.join(["Total;3", "a;1", "b;2"])))
    assert table.value.tolist() == [3, 1, 2]
    assert apply_hst(table, end.join(["a;U", "a;PL;1;1", "b;C;7"])).weight.tolist() == [1, 1, 7]


@pytest.mark.parametrize("total", ["Total", "T"])
def test_the_grand_total_alone_is_no_table(tmp_path: Path, total: str) -> None:
    with pytest.raises(FaultsError, match=r"t\.tab: file, r: .*no code"):
        read_tab(write_small(tmp_path, f"{total};5\n", total=total))


def test_an_endless_cell_is_refused(tmp_path: Path) -> None:
    long = "x" * 131_073
    with pytest.raises(FaultsError, match=r"t\.tab: row 2: a cell has more than 131,072"):
        read_tab(write_small(tmp_path, f"Total;3\n{long};1\n"))
    with pytest.raises(FaultsError, match=r"h: row 1: a cell has more than 131,072"):
        apply_hst(table_of(), f"{long};U\n", source="h")


@pytest.mark.parametrize("separator", [";;", "、"])
def test_metadata_with_a_separator_that_is_none_is_refused(tmp_path: Path, separator: str) -> None:
    with pytest.raises(FaultsError, match=r"t\.rda: row 1: <SEPARATOR> takes one ASCII character"):
        read_tab(write_small(tmp_path, "Total;3\n", separator=separator))


def test_levels_of_thousands_of_digits_are_refused() -> None:
    with pytest.raises(FaultsError, match="takes whole numbers of at most 4 digits"):
        rda_meta("r\n   <RECODEABLE>\n   <HIERLEVELS> " + "1" * 5000 + "\nv\n   <NUMERIC>\n")


def test_costs_and_levels_of_an_a_priori_file_are_finite() -> None:
    for number in ("nan", "inf"):
        with pytest.raises(FaultsError, match="takes 1 to 1 numbers"):
            apply_hst(table_of(), f"n1;small;C;{number}\n")


@pytest.mark.parametrize(
    ("written", "code", "name"),
    [("Total", "Total", "Total"), ("", "", "Total"), ("Alles", "Alles", "Alles"), ("Total", "総数", "総数")],
)
def test_the_total_s_code_is_the_metadata_s_or_known_by_its_name(
    written: str, code: str, name: str, tmp_path: Path
) -> None:
    _write_margins(tmp_path, written, code)
    table = read_tab(tmp_path / "m.tab")
    assert table.margins == (name,)
    assert table.keys == ((name,), ("a",), ("b",))
    files = tab_files(table, tmp_path / "again.tab")
    assert f'<TOTCODE> "{name}"' in files[tmp_path / "again.rda"].decode()


def test_a_total_under_a_name_that_the_metadata_does_not_know_is_refused(tmp_path: Path) -> None:
    _write_margins(tmp_path, "Total", "Gesamt")
    with pytest.raises(FaultsError, match="total v=Gesamt"):
        read_tab(tmp_path / "m.tab")
    table = read_tab(tmp_path / "m.tab", margins=Margins(of={"v": "Gesamt"}))
    assert table.keys == (("Gesamt",), ("a",), ("b",))
    assert read_tab(tmp_path / "m.tab", margins=Margins(everywhere="Gesamt")).keys == table.keys
    assert len(read_tab(tmp_path / "m.tab", margins=Margins(categories={"v": ("Gesamt",)}))) == 4
    with pytest.raises(ParameterError, match="total must be of one of v"):
        read_tab(tmp_path / "m.tab", margins=Margins(of={"w": "Gesamt"}))


def _write_margins(folder: Path, written: str, code: str) -> None:
    """Cells a 300 and b 41 and their total of a code, in metadata that call it otherwise or the same."""
    head = '   <SEPARATOR> ";"\nv\n    <RECODEABLE>\n'
    (folder / "m.rda").write_text(f'{head}    <TOTCODE> "{written}"\nn\n    <NUMERIC>\n')
    (folder / "m.tab").write_text(f'"a";300\n"b";41\n"{code}";341\n')


def test_variables_have_names_of_their_own() -> None:
    with pytest.raises(FaultsError, match="the name 'r' of a variable is empty or stands there twice"):
        rda_meta("r\n   <RECODEABLE>\nv\n   <NUMERIC>\nr\n")


def test_a_variable_may_be_called_by_a_sign_that_polars_takes_for_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "t.rda").write_text('   <SEPARATOR> ";"\nr\n   <RECODEABLE>\n*\n   <NUMERIC>\n')
    (tmp_path / "t.tab").write_text("Total;3,5\na,b;1,5\nc;2\n")
    assert read_tab(tmp_path / "t.tab").keys[1:] == (("a,b",), ("c",))
