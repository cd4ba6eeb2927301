"""One pass tells of a file what reading it at once tells: values, rows that are left out, notices and faults."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES
from tests.laws import try_examples

from sekisho.data.engines import blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.schema_files.survey import ROW, Survey, SurveyKernel, open_own, place_name, survey_file
from sekisho.data.engines.session import open_session
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.reading import OwnData, read_own
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, ParameterError

CELLS = st.tuples(st.sampled_from(["1", "23", "", "4"]), st.sampled_from(["a", "b", "a.b", ""]))


def survey(
    path: Path, folder: Path, choice: EngineChoice, missing: Missing, *, most: int = 9, most_gone: int | None = None
) -> tuple[Survey, list[str]]:
    folder.mkdir()
    session = open_session(choice, folder)
    try:
        own = open_own(session, path, SchemaFile(shape=Shape.RECORDS, missing_cells=missing))
        told = list[Notice]()
        return survey_file(own, ("age", "town"), told.append, most=most, most_gone=most_gone), [*map(str, told)]
    finally:
        session.close()


def read_at_once(path: Path, missing: Missing) -> OwnData | FaultsError:
    try:
        return read_own(path, SchemaFile(shape=Shape.RECORDS, missing_cells=missing))
    except FaultsError as error:
        return error


@try_examples(25, share_fixtures=True)
@given(rows=st.lists(CELLS, min_size=1, max_size=12), missing=st.sampled_from(Missing), size=st.integers(1, 4))
@example(rows=[("", "a"), ("1", "b"), ("", "")], missing=Missing.REFUSE, size=1)
@example(rows=[("", "a")], missing=Missing.DROP, size=1)
def test_it_tells_what_memory_knows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], missing: Missing, size: int
) -> None:
    folder = tmp_path_factory.mktemp("survey")
    path = folder / "people.csv"
    path.write_text("age,town\n" + "".join(f"{age},{town}\n" for age, town in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", size)
        patch.setattr(blocks.MappedScan.batches, "__defaults__", (size,))
        for place, choice in enumerate(CHOICES):
            own = read_at_once(path, missing)
            if isinstance(own, FaultsError):
                with pytest.raises(FaultsError) as refusal:
                    survey(path, folder / str(place), choice, missing)
                assert (refusal.value.faults, refusal.value.count) == (own.faults, own.count)
                assert refusal.value.hint == own.hint
                continue
            found, told = survey(path, folder / str(place), choice, missing)
            assert found.records == len(own.data)
            assert found.gone.tolist() == np.delete(np.arange(len(rows)), own.rows).tolist()
            # what is found out about the file as a whole is told before
            assert sorted(told) == sorted(str(notice) for notice in own.notices if notice.count)
            for name, values in found.values.items():
                texts = values.data.text(name).to_list()
                assert dict(zip(texts, values.counts.tolist(), strict=True)) == Counter(own.data.text(name).to_list())
                assert len(set(texts)) == len(texts)


def test_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,town\n1,a\n2,b\n,b\n,a\n3,b\n")
    with pytest.raises(ParameterError, match="column age must have at most 2 distinct values to be coded"):
        survey(path, tmp_path / "one", CHOICES[0], Missing.DROP, most=2)
    with pytest.raises(ParameterError, match=r"missing must drop at most 1 rows here: leave them out .* not 2"):
        survey(path, tmp_path / "two", CHOICES[0], Missing.DROP, most_gone=1)
    assert survey(path, tmp_path / "three", CHOICES[0], Missing.DROP, most=3, most_gone=2)[0].records == 3


def test_kernels_travel_and_take_empty_blocks(tmp_path: Path) -> None:
    pl.DataFrame({"age": [1, 2], "town": ["a", "b"]}).write_parquet(tmp_path / "people.parquet")
    session = open_session(CHOICES[0], tmp_path)
    own = open_own(session, tmp_path / "people.parquet", SchemaFile(shape=Shape.RECORDS))
    assert own.kinds == (nw.Int64, nw.String)
    kernel = pickle.loads(pickle.dumps(SurveyKernel(reader=own.reader, names=own.names, counted=("age",))))
    empty = pa.RecordBatch.from_pydict(
        {
            place_name(0): pa.array([], pa.int64()),
            place_name(1): pa.array([], pa.string()),
            ROW: pa.array([], pa.int64()),
        }
    )
    assert kernel(empty).schema == kernel.schema
