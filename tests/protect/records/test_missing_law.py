"""Whatever cells are missing, a class of k is one of k in the file as it is written, and no missing cell is invented.

The oracle reads the written texts and counts, record by record; an empty text of a key is a value as any other, one of
the sensitive column is none.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.files.published_frame import publish_texts
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InfeasibleError
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.microaggregate import Microaggregate
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Matching, Suppress
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="born", kind=Kind.DATE),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="pay", kind=Kind.DECIMAL, decimals=1, role=Role.SENSITIVE),
    )
)
KEYS = ("age", "born", "town")
FIELDS = {
    each.name: FieldRules(name=each.name, kind=each.kind, decimals=each.decimals, writing=OrdinaryWriting())
    for each in SCHEMA
}
TREES = {
    "age": Tree(codes=("all", "low", "3", "4", "high", "5", "9"), parents=(-1, 0, 1, 1, 0, 4, 4)),
    "town": Tree(codes=("all", "a", "b"), parents=(-1, 0, 0)),
}
ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 3, 4, 5, 9]),
        st.sampled_from([None, date(2001, 1, 1), date(2001, 1, 9)]),
        st.sampled_from([None, "a", "b"]),
        st.sampled_from([None, 1.5, 2.0]),
    ),
    min_size=3,
    max_size=14,
)
METHODS = {
    "partition": Partition(keys=KEYS, k=3, effort=0.001),
    "partition, trees": Partition(keys=KEYS, k=3, effort=0.001, tree=TREES),
    "partition, l": Partition(keys=KEYS, k=2, effort=0.001, sensitive="pay", l=2),
    "lattice": Lattice(keys=KEYS, k=3, suppress=Fraction(2, 5)),
    "lattice, l": Lattice(keys=KEYS, k=2, suppress=Fraction(2, 5), sensitive="pay", l=2),
    "lattice, trees": Lattice(keys=KEYS, k=3, suppress=Fraction(2, 5), tree=TREES),
    "suppress": Suppress(keys=KEYS, k=3, matching=Matching.ALIKE),
    "microaggregate": Microaggregate(keys=KEYS, k=3),
}


def write(release: Release) -> pl.DataFrame:
    """Return what is written of a release, as texts, its deleted rows left out."""
    return publish_texts(release.take(~release.deleted), FIELDS).frame


@pytest.mark.parametrize("name", METHODS)
@try_examples(40)
@given(rows=ROWS)
@example(rows=[(None, None, None, None)] * 3)
@example(rows=[(None, None, "a", None), (3, None, "a", 1.5), (4, date(2001, 1, 1), None, 2.0), (9, None, "b", 2.0)])
def test_classes_of_written_cells_have_k(name: str, rows: list[tuple[object, ...]]) -> None:
    method = METHODS[name]
    data = Dataset.of(pl.DataFrame(rows, schema=["age", "born", "town", "pay"], orient="row", strict=False), SCHEMA)
    try:
        release = method.apply(data, rng=Seed(1).rng())
    except InfeasibleError:
        return
    written = write(release)
    classes = Counter(written.select(KEYS).rows())
    assert not classes or min(classes.values()) >= method.k
    kept = [row for row, gone in zip(rows, release.deleted.tolist(), strict=True) if not gone]
    for place, column in enumerate(KEYS[: None if name != "microaggregate" else 2]):
        texts = written[column].to_list()
        # a written gap stands for a gap, and a written number for a number: else it is a star, a set or a label
        assert all(kept[row][place] is None for row, text in enumerate(texts) if text == "")
        assert all(
            kept[row][place] is not None for row, text in enumerate(texts) if text.isdecimal() or text.startswith("[")
        )
    assert written["pay"].to_list() == ["" if row[3] is None else f"{row[3]:g}" for row in kept]
    if name.endswith(", l"):
        by_class: dict[tuple[str, ...], set[str]] = {}
        for *keys, pay in written.select(*KEYS, "pay").rows():
            by_class.setdefault(tuple(keys), set()).add(pay)
        assert all(len(values - {""}) != 1 for values in by_class.values())  # a gap is no second value
