"""Beyond memory, too, every class has k records that keep l and t, its cells hold the truth, and one part is no part."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.records.recoding.plain_recoding import set_codes

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.files.published_frame import published_frame
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_space import join_columns
from sekisho.protect.records.streamed.recoding_plan import PartLimit
from sekisho.protect.records.streamed.streamed_recoding import LargeRecoding, recode_blocks
from sekisho.safety.records.diversity import Diversity
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="job", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
)
KEYS = ("age", "town", "job")
TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d"), parents=(-1, 0, 1, 1, 0, 4, 4))
FIELDS = {
    each.name: FieldRules(name=each.name, kind=each.kind, pattern="(?s:.*)", writing=OrdinaryWriting())
    for each in SCHEMA
}


def people(rows: int, seed: int) -> Dataset:
    rng = Seed(seed).rng()
    return Dataset(
        pl.DataFrame(
            {
                "age": rng.integers(20, 60, rows),
                "town": rng.choice(list("abcd"), rows),
                "job": rng.choice(["cook", "smith; retired", "*", "{x}", "none"], rows),
                "ill": rng.choice(["flu", "cold", "gout"], rows, p=[0.6, 0.3, 0.1]),
            }
        ),
        SCHEMA,
    )


def recode(method: Partition, data: Dataset, folder: Path, *, size: int, block: int = 100) -> LargeRecoding:
    def blocks() -> Iterator[Dataset]:
        for frame in data.frame.iter_slices(block):
            yield Dataset(frame, SCHEMA)

    limit, seed = PartLimit(records=size), Seed(3).child("partition")
    return recode_blocks(method, blocks, SCHEMA, FIELDS, folder=folder, limit=limit, seed=seed)


def publish(recoding: LargeRecoding, data: Dataset) -> pl.DataFrame:
    owner = np.array(recoding.owner)
    kept = owner >= 0
    keys = {name: texts.publish(as_values=True).take(owner[kept]) for name, texts in recoding.texts.items()}
    return pl.DataFrame([keys.get(name, data.frame[name].filter(pl.Series(kept))) for name in SCHEMA.names])


@pytest.mark.parametrize(
    "method",
    [
        Partition(keys=KEYS, k=4),
        Partition(keys=KEYS, k=4, strict=True),
        Partition(keys=("age", "town"), k=3, tree={"town": TOWNS}),
        Partition(keys=KEYS, k=4, sensitive="ill", l=2),
        Partition(keys=KEYS, k=4, suppress=Fraction(1, 20)),
        Partition(keys=("town",), k=4),
    ],
)
def test_one_part_is_the_release_of_the_in_memory_path(method: Partition, tmp_path: Path) -> None:
    data = people(500, 1)
    recoding = recode(method, data, tmp_path, size=10**6)
    release = method.apply(data, rng=Seed(3).child("partition").rng())
    assert publish(recoding, data).equals(published_frame(release))
    assert recoding.parts == 1
    told = method.describe_figures(recoding.figures, recoding.schema, recoding.keys)
    assert told == release.detail
    assert (np.array(recoding.owner) < 0).tolist() == release.deleted.tolist()


@try_examples(30)
@given(
    rows=st.integers(60, 400),
    seed=st.integers(0, 100),
    k=st.integers(2, 9),
    size=st.integers(10, 50),
    asked=st.sampled_from(
        [
            {},
            {"strict": True},
            {"suppress": Fraction(1, 10)},
            {"sensitive": "ill", "l": 2},
            {"sensitive": "ill", "l": 1.5, "diversity": Diversity.ENTROPY},
            {"sensitive": "ill", "t": 0.25},
            {"tree": {"town": TOWNS}},
        ]
    ),
)
def test_every_class_of_every_part_keeps_what_is_promised(
    rows: int, seed: int, k: int, size: int, asked: dict[str, Any]
) -> None:
    data, method = people(rows, seed), Partition(keys=KEYS, k=k, effort=0.01, **asked)
    with TemporaryDirectory() as folder:
        try:
            recoding = recode(method, data, Path(folder), size=size)
        except InfeasibleError:
            with pytest.raises(InfeasibleError):
                method.apply(data, rng=Seed(3).rng())
            return
        frame, owner = publish(recoding, data), np.array(recoding.owner)
    classes = frame.group_by(KEYS).agg(
        pl.len(), pl.col("ill").n_unique().alias("values"), pl.col("ill").value_counts(sort=True)
    )
    smallest = int(classes["len"].to_numpy().min())
    assert smallest >= k
    assert recoding.figures.smallest <= smallest  # two classes that are written alike are one to others
    assert (owner < 0).sum() <= int(method.suppress * rows)
    assert recoding.figures.kept == frame.height
    if asked.get("l") == 2:
        assert int(classes["values"].to_numpy().min()) >= 2
    # the loss that is told is the one of the cells, key by key
    spans = frame["age"].str.extract_groups(r"^\[?(\d+)(?:;(\d+)\])?$").struct.unnest().cast(pl.Int64)
    low, high = spans.to_series(0), spans.to_series(1).fill_null(spans.to_series(0))
    ages = data.frame["age"].filter(pl.Series(owner >= 0))
    assert bool(((low <= ages) & (ages <= high)).all())
    width = int(np.ptp(data.frame["age"].to_numpy()))
    lost = float(((high - low) / width).sum()) + rows - frame.height
    assert recoding.figures.ncp_by_key["age"] == pytest.approx(lost / rows)


def test_small_parts_lose_little_more_than_one(tmp_path: Path) -> None:
    data, method = people(3000, 2), Partition(keys=KEYS, k=5)
    losses = []
    for size in (10**6, 150):
        (tmp_path / str(size)).mkdir()
        recoding = recode(method, data, tmp_path / str(size), size=size)
        losses.append(recoding.figures.ncp)
    assert recoding.parts > 3
    assert losses[1] < 1.15 * losses[0]


def test_blocks_do_not_matter(tmp_path: Path) -> None:
    data, method, releases = people(400, 4), Partition(keys=KEYS, k=3), []
    for block in (400, 37):
        (tmp_path / str(block)).mkdir()
        releases.append(publish(recode(method, data, tmp_path / str(block), size=60, block=block), data))
    assert releases[0].equals(releases[1])


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    data = people(50, 5)
    with pytest.raises(InfeasibleError, match="50 records cannot form a class of 51"):
        recode(Partition(keys=KEYS, k=51), data, tmp_path, size=10)
    with pytest.raises(ParameterError, match="keys must be among the columns age, town, job, ill"):
        recode(Partition(keys=("nobody",), k=2), data, tmp_path, size=10)
    tree = Tree(codes=("all", "a", "b", "c"), parents=(-1, 0, 0, 0))
    with pytest.raises(FaultsError, match="'d' of the data is no leaf"):
        recode(Partition(keys=KEYS, k=2, tree={"town": tree}), data, tmp_path, size=10)


def test_parts_are_as_large_as_memory_allows_but_not_slower() -> None:
    few = join_columns([set_codes("s", [0], 100)])
    assert PartLimit().fit(few, 5) == PartLimit(memory=4 * 10**9).fit(few, 5) == 300_000
    assert PartLimit(memory=512 * 10**6).fit(few, 5) < PartLimit(memory=550 * 10**6).fit(few, 5) < 300_000
    # a set of 50,000 values costs a class of 5 records 200,000 bytes and a bit for each value: 41,250 a record
    many = join_columns([set_codes("s", [0], 50_000)])
    assert PartLimit(memory=2 * 10**9).fit(many, 5) == (2 * 10**9 - 450 * 10**6) // (520 + 41_250)
