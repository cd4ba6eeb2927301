"""A table of records that stay with an engine is the table of memory: cells, release, claims and page, to the byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.errors import FaultsError, SekishoError, SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.tables.recipe import list_cell_methods
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.run import pass_gate
from sekisho.tables.model.contributors import Contributors, Surveyed

ENGINES = ('memory = "1GB"', 'engine = "polars"', 'engine = "duckdb"')
TOWNS = {"01100": 0.04, "01202": 0.2, "13101": 0.4, "13102": 0.3, "27100": 0.06}
TREE = "node,parent\n01,全国\n13,全国\n27,全国\n" + "".join(f"{code},{code[:2]}\n" for code in TOWNS)
FIRM = "秘密商店"
TOP = 'shape = "table"\noriginal = "{file}"\nmicrodata = true\n'
MONEY = 'value = "売上高"\nrules = ["min:3", "p%:10"]\n'
OWN = f'dims = ["市区町村", "業種"]\n{MONEY}'
TREES = '[trees]\n"市区町村" = "tree.csv"\n'
SEVERAL = '[[tables]]\nname = "trades"\ndims = ["市区町村", "業種"]\n[[tables]]\nname = "sizes"\ndims = ["市区町村", "規模"]\n'
WAYS = {
    "counts": 'dims = ["市区町村", "業種"]\n',
    "contributors": f'{OWN}contributor = "企業名"\n',
    "holdings, weights, requests": f'{OWN}contributor = "企業名"\nholding = "グループ"\nweight = "重み"\nrequest = "希望"\n'
    "insiders = 1\n",
    "a tree": f"{OWN}{TREES}",
    "a coarser tree": f'dims = ["市区町村", "業種"]\n{TREES}[coarser]\n"市区町村" = 1\n',
    "rounded": 'dims = ["市区町村", "業種"]\n[[methods]]\nname = "round"\nbase = 5\n',
    "several tables": SEVERAL,
    "several tables with a tree": f"{SEVERAL}{TREES}",
    "several tables, people rebuilt": f'{SEVERAL}[[adversaries]]\nname = "reconstruct"\n',
}


def make_firms(rows: int = 240) -> pl.DataFrame:
    draw = np.random.default_rng(7)
    sums = np.round(draw.lognormal(4, 1, rows), 2)
    return pl.DataFrame(
        {
            "企業名": [f"{FIRM}{number // 2:03}" for number in range(rows)],
            "市区町村": draw.choice([*TOWNS], rows, p=[*TOWNS.values()]),
            "業種": draw.choice(["製造", "小売", "運輸"], rows, p=[0.5, 0.4, 0.1]),
            "規模": draw.choice(["小", "大"], rows, p=[0.8, 0.2]),
            "グループ": [f"G{number % 9}" if number % 4 == 0 else "" for number in range(rows)],
            "売上高": sums,
            "重み": draw.choice([1.0, 1.5, 2.0], rows),
            "希望": draw.choice([0, 1], rows, p=[0.97, 0.03]),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office's file: CP932, a title above its columns, a note below them, codes that begin with 0; and as Parquet."""
    folder, firms = tmp_path_factory.mktemp("office"), make_firms()
    text = f"令和6年 企業調査 個票\n\n{firms.write_csv()}\n注: 速報値\n"
    (folder / "firms.csv").write_bytes(text.replace("\n", "\r\n").encode("cp932"))
    (folder / "tree.csv").write_text(TREE, encoding="utf-8")
    firms.write_parquet(folder / "firms.parquet")
    return folder


def list_files(folder: Path, way: str, engine: str = "", file: str = "firms.csv") -> dict[str, bytes]:
    """Return what a run of a recipe writes, without what differs from run to run."""
    name = "recipe.toml"  # of one name, for it stands on pages
    (folder / name).write_text(f"{TOP.format(file=file)}{engine}\n{WAYS[way]}", encoding="utf-8")
    with TemporaryDirectory() as out:
        made = pass_gate(folder / name, out=out)
        part = "public" if made.verdict is Verdict.RELEASE else "confidential/proposed"
        if made.verdict is not Verdict.REFUSE:
            assert verify_certificate(Path(out) / part / "certificate.json").valid
        files = {**made.public, **made.proposed, **made.confidential}
    said = repr((made.certificate.claims, made.certificate.statements, made.reasons))
    own = {place: data for place, data in files.items() if place.endswith((".csv", ".html"))}
    assert own
    return {"said": said.encode(), **{place: mask(data) for place, data in own.items()}}


def mask(page: bytes) -> bytes:
    """Return a page without its date, its seconds, and the digest of the recipe, which is another."""
    dated = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"", page)
    return re.sub(rb"[0-9a-f]{64}|seconds</(span|dt)>.*?</dd>", b"", dated)


@pytest.mark.parametrize("way", WAYS)
def test_a_run_writes_and_claims_what_it_does_in_memory(folder: Path, way: str) -> None:
    here = list_files(folder, way)
    for engine in ENGINES[:2]:
        assert list_files(folder, way, engine) == here
    assert not any(FIRM.encode() in data for place, data in here.items() if place.startswith("release"))


def test_a_parquet_file_is_tabulated_as_it_is_in_memory(folder: Path) -> None:
    way = "holdings, weights, requests"
    here = list_files(folder, way, file="firms.parquet")
    assert [list_files(folder, way, engine, "firms.parquet") for engine in ENGINES] == [here] * 3


CELLS = {
    "town": st.sampled_from(["01", "1", " 01", "é町", "x.y"]),
    "kind": st.sampled_from(["a1", "a2", "b1", "a1 "]),
    "firm": st.sampled_from(["1", "2", "3", ""]),
    "group": st.sampled_from(["g", " g", ""]),
    "pay": st.sampled_from(["1", "2.5", "-3", "0.25", "10", "0.1"]),
    "w": st.sampled_from(["1", "2", "0.5"]),
    "ask": st.sampled_from(["0", "1"]),
}
KINDS = "node,parent\na,All\nb,All\na1,a\na2,a\nb1,b\n"
DRAWN = (
    'dims = ["town", "kind"]\n',
    'dims = ["town", "kind"]\nvalue = "pay"\nrules = ["p%:10"]\nwidth = 1\n',
    'dims = ["kind", "town"]\nvalue = "pay"\ncontributor = "firm"\nholding = "group"\nrules = ["p%:10"]\nwidth = 1\n',
    'dims = ["town", "kind"]\nvalue = "pay"\nweight = "w"\nrequest = "ask"\nrules = ["min:3"]\nwidth = 1\n',
    'dims = ["town", "kind"]\n[trees]\nkind = "kinds.csv"\n',
    'dims = ["town", "kind"]\n[trees]\nkind = "kinds.csv"\n[coarser]\nkind = 1\n',
    'dims = ["kind"]\nvalue = "pay"\nrules = ["min:3"]\n[trees]\nkind = "kinds.csv"\n[coarser]\nkind = ["a"]\n',
    '[[tables]]\nname = "one"\ndims = ["town", "kind"]\n[[tables]]\nname = "two"\ndims = ["town", "ask"]\n',
)


def open_stage(recipe: Path, engine: str, text: str, file: str) -> TableStage:
    recipe.write_text(f"{TOP.format(file=file)}{engine}\n{text}", encoding="utf-8")
    return cast("TableStage", ReadRecipe.read(recipe).open().stage)


def list_figures(stage: TableStage) -> Iterator[object]:
    """Give everything of a table on which its release and its certificate rest."""
    table = stage.table if stage.flagged is None else stage.flagged
    yield table.keys, table.dims, table.margins, repr(stage.system and stage.system.parts)
    yield table.equations, table.matrix.toarray().tolist()
    for numbers in (table.value, table.weight, table.frequency, table.status, table.lower, table.upper, table.largest):
        yield numbers.tolist()
    yield from (one.tolist() for one in (table.lower_level, table.upper_level, table.sliding_level))
    for units in (table.units, table.holdings) if isinstance(table, Surveyed) else ():
        yield from () if units is None else _list_units(units)


def _list_units(units: Contributors) -> Iterator[object]:
    for numbers in (units.total, units.count, units.largest, units.target, units.asked):
        yield None if numbers is None else numbers.tolist()


@try_examples(10)
@given(
    rows=st.lists(st.fixed_dictionaries(CELLS), min_size=2, max_size=14),
    text=st.sampled_from(DRAWN),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    engine=st.sampled_from(ENGINES),
)
@example(
    rows=[
        {"town": "01", "kind": kind, "firm": "1", "group": "", "pay": "0.1", "w": "1", "ask": "0"}
        for kind in ("a1", "a2 ", "b1", "a1")
    ],
    text=DRAWN[6],
    encoding="utf-8",
    engine=ENGINES[0],
)
def test_whatever_the_file_holds_the_cells_are_those_of_memory(
    rows: list[dict[str, str]], text: str, encoding: str, engine: str
) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "kinds.csv").write_text(KINDS, encoding="utf-8")
        (folder / "f.csv").write_text(pl.DataFrame(rows).write_csv(), encoding=encoding)
        outcomes = list[object]()
        for way in ("", engine):
            try:
                outcomes.append(list(list_figures(open_stage(folder / "r.toml", way, text, "f.csv"))))
            except SekishoError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]


WRITINGS = (
    ["1,200円", "△300円", "500円"],  # no coin is smaller: a comma parts thousands
    ["１，２００", "３００", "△５"],
    ["(1,200.5)", "+3", "1e3", "1e50"],
    ["1.200", "2.500"],  # with a point or with a comma: nobody can tell, unless the weights do
    ["1.200,5", "1e-3", "7"],
    ["12.5%", "¥3", "x", "nan", "1.2.3"],
    ["1 200", "1'200", " 7 "],
)


@try_examples(20)
@given(
    pay=st.sampled_from(WRITINGS).flatmap(lambda words: st.lists(st.sampled_from(words), min_size=1, max_size=6)),
    weights=st.sampled_from([["1"], ["1.5", "2"], ["1,5", "2"], ["1,234"], ["x"]]),
    engine=st.sampled_from(ENGINES),
)
@example(pay=["1.200", "2.500"], weights=["1.5", "2"], engine=ENGINES[0])  # the weights have a point, so the sums do
def test_amounts_are_the_numbers_of_memory_however_they_are_written(
    pay: list[str], weights: list[str], engine: str
) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "f.csv"
        rows = {"town": ["x"] * len(pay), "pay": pay, "w": [weights[at % len(weights)] for at in range(len(pay))]}
        pl.DataFrame(rows).write_csv(path, separator=";")
        text = 'separator = ";"\ndims = ["town"]\nvalue = "pay"\nweight = "w"\nrules = ["p%:10"]\n'
        outcomes = list[object]()
        for way in ("", engine):
            try:
                outcomes.append(list(list_figures(open_stage(Path(place) / "r.toml", way, text, "f.csv"))))
            except FaultsError as error:
                outcomes.append({str(fault.message) for fault in error.faults})
        assert outcomes[0] == outcomes[1]


def read_faults(folder: Path, text: str) -> dict[str, str]:
    (folder / "wrong.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as wrong:
        read_recipe(folder / "wrong.toml")
    return {fault.column: str(fault.message) for fault in wrong.value.faults}


def test_all_that_has_no_way_there_is_told_at_once(tmp_path: Path) -> None:
    perturb = '[[methods]]\nname = "perturb"\nnoise_file = "n.csv"\nkey_file = "k.json"\n[[methods]]\nname = "round"\n'
    text = f'{TOP.format(file="f.csv")}memory = "2GB"\nwidth = -1\ndims = ["a"]\n{perturb}'
    faults = read_faults(tmp_path, text)
    assert faults.keys() == {"methods", "width"}
    assert "adjust, intervals, round" in faults["methods"]
    assert "perturb" in faults["methods"]
    assert "perturb" not in list_cell_methods()


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ('engine = "spark"\n', {"engine": "be polars or duckdb"}),
        ('memory = "much"\n', {"memory": "an amount such as 2GB"}),
        ('memory = "10MB"\n', {"memory": "at least 512 MB"}),
        ('memory = "2GB"\nengine = "polars"\n', {"memory": "be given with duckdb"}),
        (
            'microdata = false\nmemory = "2GB"\nengine = "duckdb"\ncount = "n"\n',
            {"memory": "microdata = true only", "engine": "microdata = true only"},
        ),
    ],
)
def test_wrong_engines_are_refused_as_for_records(tmp_path: Path, keys: str, wrong: dict[str, str]) -> None:
    top = (
        TOP.format(file="f.csv").replace("microdata = true\n", "") if "microdata" in keys else TOP.format(file="f.csv")
    )
    faults = read_faults(tmp_path, f'{top}dims = ["a"]\n{keys}')
    assert faults.keys() == wrong.keys()
    for name, words in wrong.items():
        assert words in faults[name]


@pytest.mark.parametrize("engine", ["", *ENGINES])
def test_columns_and_codes_that_are_wrong_are_all_told_there_too(tmp_path: Path, engine: str) -> None:
    (tmp_path / "f.csv").write_text("a,b,v\nx,Total,1\ny,総数,2\n" + "x,u,3\n" * 4 + "y,w,much\n", encoding="utf-8")
    with pytest.raises(FaultsError) as margins:
        open_stage(
            tmp_path / "r.toml", engine, 'dims = ["a", "b"]\nvalue = "v"\nrules = ["min:3"]\nwidth = 1\n', "f.csv"
        )
    assert "Total" in str(margins.value)
    assert "総数" in str(margins.value)
