"""A release of one's own shows no values of people as ends of ranges, in memory and on an engine alike."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import cast

import polars as pl
import pytest
from tests.data.engines.engines import CHOICES
from tests.gate.records.engine.made_up_people import judge

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.layout import open_original
from sekisho.data.files.published_frame import publish_values
from sekisho.data.files.schema_files.schema_file import ColumnRules, SchemaFile
from sekisho.data.frame.dataset import Dataset, Kind, Role
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.gate.records.range_ends import widen_ranges
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.protect import Method
from sekisho.protect.beyond_memory import EngineTask
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.partition import Partition
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.records.information_loss import CertaintyPenalty
from sekisho.utility.schema_terms import own_rules

KEYS = ("sex", "born", "pay")
METHOD = Partition(keys=KEYS, k=5, effort=0.001)
ROWS = 120


def write_era(day: date) -> str:
    era, first = next(
        (era, first) for era, first in (("令和", 2019), ("平成", 1989), ("昭和", 1926)) if day.year >= first
    )
    return f"{era}{day.year - first + 1}年{day.month}月{day.day}日"


def write_points(day: date) -> str:
    return f"{day:%d.%m.%Y}"


DATES = {"iso": date.isoformat, "points": write_points, "eras": write_era}


def write_people(folder: Path, form: str, ending: str) -> Path:
    rng = Seed(3).rng()
    born = [date(1935, 1, 6) + timedelta(days=int(days)) for days in rng.integers(0, 25_000, ROWS)]
    frame = pl.DataFrame(
        {
            "id": [f"p{row}" for row in range(ROWS)],
            "sex": rng.choice(["f", "m"], ROWS),
            "born": [DATES[form](day) for day in born],
            "pay": [f"{pay / 100:.2f}" for pay in rng.integers(1_200_000, 9_000_000, ROWS)],
        }
    )
    path = folder / f"people.{ending}"
    if ending == "csv":
        frame.write_csv(path)
    else:
        frame.with_columns(pl.col("pay").cast(pl.Float64), pl.Series("born", born)).write_parquet(path)
    return path


def describe() -> RecordTerms:
    columns = (
        ColumnRules(name="id", role=Role.IDENTIFIER),
        ColumnRules(name="born", kind=Kind.DATE),
        ColumnRules(name="pay", kind=Kind.DECIMAL, decimals=2),
    )
    book = own_rules(SchemaFile(shape=Shape.RECORDS, columns=columns, all_columns=True), "people")
    assert isinstance(book, RecordTerms)
    return book


def protect(path: Path, method: Method) -> tuple[Dataset, Release]:
    original, rules = open_original(path, describe())
    assert isinstance(rules, RecordTerms)
    stage = RecordsStage(recipe=RecordsRecipe(rules=rules, methods={"it": method}), original=original.data)
    return original.data, stage.protections()["it"](Seed(1))


def list_grids(release: Release) -> dict[str, str]:
    return cast("dict[str, str]", release.detail.get("grid", {}))


@pytest.mark.parametrize("form", DATES)
@pytest.mark.parametrize("method", [METHOD, Lattice(keys=KEYS, k=5)], ids=["partition", "lattice"])
def test_every_end_is_told_on_a_grid_and_every_value_stays_admitted(
    tmp_path: Path, form: str, method: Partition | Lattice
) -> None:
    data, release = protect(write_people(tmp_path, form, "csv"), method)
    bare = method.apply(data, rng=Seed(1).child(method.__class__.__name__.lower()).rng())
    for name in ("born", "pay"):
        cells = release.table.numbers(name)
        assert cells.admits(data.grid(name)).all()
        wide = cells.lower < cells.upper
        assert not (wide & ~cells.suppressed).any() or name in list_grids(release)
    frame = publish_values(release).frame
    sizes = frame.group_by(KEYS).len()["len"]
    assert min(sizes.to_list()) >= method.k
    ranges = [text for text in frame["born"].cast(pl.String).to_list() if text.startswith("[")]
    assert all(re.fullmatch(r"\[\d{4}-01-01;\d{4}-12-31\]", text) for text in ranges)
    assert release.detail.keys() >= bare.detail.keys()
    if "ncp_by_key" in release.detail:
        lost = CertaintyPenalty(keys=KEYS).compare(data, release)
        assert release.detail["ncp"] == pytest.approx(lost.value, abs=0.02)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_engine_writes_the_same_bytes_as_memory(tmp_path: Path, choice: EngineChoice, ending: str) -> None:
    path = write_people(tmp_path, "iso", ending)
    _, release = protect(path, METHOD)
    task = EngineTask(source=path, terms=describe(), out=tmp_path / f"out.{ending}", ordered=True, choice=choice)
    with judge(METHOD, task, Seed(1)) as outcome:
        outcome.release.put()
        detail = outcome.release.detail
    there = pl.read_csv(task.out, infer_schema=False) if ending == "csv" else pl.read_parquet(task.out)
    here = publish_values(release).frame
    assert there.select(KEYS).rows() == here.select(pl.col(KEYS).cast(pl.String)).rows()
    assert detail["grid"] == release.detail["grid"]
    assert detail["ncp"] == pytest.approx(release.detail["ncp"])


def test_cells_that_are_no_ranges_are_left_alone(tmp_path: Path) -> None:
    data, release = protect(write_people(tmp_path, "iso", "csv"), Partition(keys=("sex",), k=5, effort=0.001))
    assert "grid" not in release.detail
    assert widen_ranges(release, data, {}) is release
