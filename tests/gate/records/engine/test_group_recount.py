"""Classes are counted again where they lie, whole, and the worst of all groups is the worst of all classes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.pretended_cluster import PretendedCluster

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.scan import Scan
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.frame.dataset import Kind
from sekisho.errors import BugError
from sekisho.gate.records.engine import recount_scan
from sekisho.gate.records.engine.recount_scan import ScanClasses, mix_texts
from sekisho.gate.records.recount import Recount, RowClasses, recount_promises

KEYS = ("age", "town")
KINDS = {"age": Kind.INTEGER, "town": Kind.CATEGORY, "pay": Kind.INTEGER}
FIELDS = {name: FieldRules(name=name, kind=kind) for name, kind in KINDS.items()}


def promise(*keys: str, **asked: object) -> dict[str, object]:
    sensitive = {"column": "pay", "l": None, "kind": "distinct", "c": 3.0, "t": None, "ordered": False, **asked}
    return {"alike": {"keys": list(keys or KEYS), "least": 1, "sensitive": sensitive}}


def count_there(frame: pl.DataFrame, promised: dict[str, object]) -> tuple[Recount, ...]:
    with TemporaryDirectory() as folder:
        session = PretendedCluster(EngineChoice(engine=Engine.POLARS), Path(folder))
        scan = Scan(session, nw.from_native(frame.lazy()))
        return recount_promises(ScanClasses(scan=scan, fields=FIELDS), promised)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from([1, 2]), st.sampled_from("a*京"), st.integers(0, 12)), min_size=1, max_size=40
    ),
    pairs=st.integers(1, 50),
    asked=st.sampled_from(
        [
            {"l": 1.0, "t": 1.0},
            {"l": 1.0, "kind": "entropy"},
            {"l": 1.0, "kind": "recursive", "c": 1e9},
            {"t": 1.0, "ordered": True},
        ]
    ),
)
def test_every_figure_is_that_of_the_in_memory_recount(
    rows: list[tuple[int, str, int]], pairs: int, asked: dict[str, object]
) -> None:
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "town": pl.String, "pay": pl.Int64}, orient="row")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recount_scan, "PAIRS", pairs)
        counted = count_there(frame, promise(**asked))
    expected = recount_promises(RowClasses(rows=PublishedRows(frame), fields=FIELDS), promise(**asked))
    assert [each.counted for each in counted] == pytest.approx([each.counted for each in expected])
    assert [(each.promise, each.keys, each.wanted, each.kept, each.kind) for each in counted] == [
        (each.promise, each.keys, each.wanted, each.kept, each.kind) for each in expected
    ]


def test_one_poor_class_among_many_groups_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recount_scan, "PAIRS", 4)
    rich = pl.DataFrame({"age": [age for age in range(30) for _ in range(3)], "pay": [1, 2, 3] * 30})
    poor = pl.DataFrame({"age": [99, 99], "pay": [1, 1]})
    frame = pl.concat([rich, poor]).with_columns(pl.lit("a").alias("town"))
    with pytest.raises(BugError, match="has l-diversity 1, 2 is promised"):
        count_there(frame, promise(l=2.0))
    assert count_there(rich.with_columns(pl.lit("a").alias("town")), promise(l=3.0))[1].counted == 3


def test_a_text_has_the_number_that_it_has_everywhere() -> None:
    # the values of RFC 9923 for nothing and for "a"
    texts = pl.Series(["", "a", "東"])
    numbers = mix_texts(texts).tolist()
    assert numbers[:2] == [0xCBF29CE484222325, 0xAF63DC4C8601EC8C]
    assert mix_texts(texts[1:]).tolist() == numbers[1:]
    assert mix_texts(texts[:0]).tolist() == []


def test_a_key_may_be_called_as_counts_are() -> None:
    frame = pl.DataFrame({"rows": ["a", "a", "b", "b"], "pay": [1, 2, 3, 4]})
    assert [each.counted for each in count_there(frame, promise("rows", l=2.0))] == [2, 2]
