"""Groups of a history that stays where it lies publish the rows that they publish in memory, for one seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.data.engines.engines import CHOICES

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.sink import write_scan
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.history.files import write_release
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.fit import fit
from sekisho.protect.history.engine.block_kernels import Publishing
from sekisho.protect.history.engine.history import open_history
from sekisho.protect.history.engine.release import EngineGroups, GroupedRows, release_groups
from sekisho.protect.history.groups import Groups
from sekisho.safety.terms import HistoryTerms
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.schema_terms import own_rules

RULES = own_rules(schema_from_options(Shape.HISTORY, identifier="customer"), "shop")


@pytest.fixture(name="shop", scope="module")
def fixture_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a shop's year as a folder of two files and as one, equal rows among them."""
    folder, rng, rows = tmp_path_factory.mktemp("shop"), np.random.default_rng(3), 420
    frame = pl.DataFrame(
        {
            "day": pl.Series(rng.integers(20_000, 20_030, rows)).cast(pl.Int32).cast(pl.Date),
            "customer": rng.integers(1, 62, rows),
            "item": [f"i{item}" for item in rng.integers(0, 9, rows)],
            "price": (rng.integers(1, 40, rows) / 4),
            "kind": rng.choice(["a;b", "{c}", "*"], rows),
        }
    )
    frame = pl.concat([frame, frame.head(40)])
    frame.write_parquet(folder / "one.parquet")
    (folder / "parts.parquet").mkdir()
    frame.head(200).write_parquet(folder / "parts.parquet" / "a.parquet")
    frame.tail(-200).write_parquet(folder / "parts.parquet" / "b.parquet")
    return folder


def publish_in_memory(
    method: Groups, path: Path, out: Path
) -> tuple[pl.DataFrame, dict[str, float], dict[str, object]]:
    """Return the published rows of memory's release, its errors by column and what is told of it."""
    assert isinstance(RULES, HistoryTerms)
    original, settled = open_original(path, RULES)
    release = method.apply(original.data, rng=Seed(4).rng())
    out.write_bytes(write_release(release, settled))
    rows = pl.read_csv(out, infer_schema=False).filter(pl.col("customer") != "*")
    rows = rows.with_columns(pl.col("customer").cast(pl.Int64))
    errors = dict(MEASURES.make("cell-error").compare(original.data, release).detail)
    return rows.sort(rows.columns), errors, dict(release.detail)


def publish_beyond(method: Groups, path: Path, choice: EngineChoice, out: Path) -> GroupedRows:
    """Write what an engine publishes."""
    assert isinstance(RULES, HistoryTerms)
    with open_history(path, RULES.layout.described, choice, beside=out) as history:
        settled = RULES.adopt_schema(history.settled)
        publishing = Publishing(
            fields={each.name: each for each in settled.layout.columns}, grammar=settled.layout.grammar
        )
        release = release_groups(method, history, publishing, rng=Seed(4).rng())
        write_scan(release.published, out)
    return release


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(("k", "block", "effort"), [(3, 12, 0.5), (2, 12, 0.5), (3, None, 0.5), (3, 12, None)])
def test_the_rows_of_memory_are_published(
    shop: Path, tmp_path: Path, choice: EngineChoice, k: int, block: int | None, effort: float | None
) -> None:
    method = fit(Groups(k=k, block=block, effort=effort), RULES.parameters())
    wanted, errors, detail = publish_in_memory(method, shop / "one.parquet", tmp_path / "here.csv")
    release = publish_beyond(method, shop / "parts.parquet", choice, tmp_path / "there.parquet")
    rows = pl.read_parquet(tmp_path / "there.parquet")
    assert rows.equals(wanted)
    assert ("blocks" in detail) is (block is not None)
    assert release.detail == detail
    assert dict(release.errors) == pytest.approx(errors, rel=1e-12)  # the sums are added in another order
    assert (release.rows, release.people) == (wanted.height, wanted["customer"].n_unique())
    alike = rows.group_by("customer").agg(pl.struct(pl.exclude("customer")).sort()).group_by(pl.exclude("customer"))
    assert alike.len().filter(pl.col("len") < k).is_empty()
    assert {each.name for each in tmp_path.iterdir()} == {"here.csv", "there.parquet"}


@pytest.mark.parametrize("method", [Groups(k=3, seconds=5.0), Groups(k=3, jobs=2), Groups(k=3, raw=3)])
def test_what_has_no_meaning_there_is_refused_before_any_row_is_read(method: Groups) -> None:
    with pytest.raises(ParameterError, match="must not be given where rows stay with an engine"):
        EngineGroups(method=method)


def test_too_few_people_are_told(shop: Path, tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match="61 customers cannot form a group of 70"):
        publish_beyond(Groups(k=70), shop / "parts.parquet", CHOICES[0], tmp_path / "out.parquet")
