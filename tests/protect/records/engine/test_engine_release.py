"""Beyond memory the same seed makes the same release as in memory, to the byte, on every engine and in any blocks."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, leaves_nothing
from tests.data.records.microdata_text import write_microdata
from tests.gate.records.engine.made_up_people import ask_texts
from tests.laws import try_examples

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.records.microdata import read_microdata
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records.draw import prepare_draw
from sekisho.protect.records.engine import kernels, records
from sekisho.protect.records.engine.kernels import CodedColumn, ReleaseKernel, choose_bits
from sekisho.protect.records.engine.records import ROW, RecordKey, open_records
from sekisho.protect.records.engine.release import EnginePram, EngineSample
from sekisho.protect.records.pram import LabelledMatrix, Pram
from sekisho.protect.records.sample import Sample
from sekisho.safety.sampling import Stratum
from sekisho.safety.transition import Matrix, Replacement
from sekisho.seeds import CipherWords, KeyedWords, Seed

HALF = Fraction(1, 2)
OWN = LabelledMatrix(
    values=("w", "u", "", "v", "never"),
    matrix=Matrix(rows=Replacement(values=5, retention=0.25).matrix() * 0.5 + 0.1),
)
METHODS: Sequence[Pram | Sample] = (
    Pram(retention=HALF),
    Pram(k=Fraction(3), sample=40, strata="town"),
    Pram(retention=Fraction(1, 3), invariant=True, sample=25, strata="town", hide_strata=True),
    Pram(retention=HALF, matrices={"x": OWN}, sample=59),
    Sample(size=7),
    Sample(size=30, strata="town", known=9),
    Sample(size=31, strata="town", allocation={"a": 1, "b": 30, "日本": 0}),
)


def make_people(count: int = 60) -> pl.DataFrame:
    rows = np.arange(count)
    return pl.DataFrame(
        {
            "number": (rows * 37 % 61) * 5,
            "name": [f"person {row}" for row in rows],
            "town": [["a", "b", "日本"][row % 7 % 3] if row < 40 else "b" for row in rows],
            "x": [["u", "v", "w", ""][row % 5 % 4] for row in rows],
            "age": rows % 11,
        }
    )


def release_large(
    method: Pram | Sample, path: Path, choice: EngineChoice, *, identifier: str = "", seed: int | None = 3
) -> tuple[bytes, dict[str, object], dict[str, object]]:
    task = ask_texts(path, choice, identifier=identifier, secret=seed is None)
    way = EnginePram(method=method) if isinstance(method, Pram) else EngineSample(method=method)
    with way.release(task, Seed(seed or 0)) as release:
        release.put()
    assert leaves_nothing(path.parent)
    return task.out.read_bytes(), dict(release.detail), release.mechanism.as_dict()


def release_small(
    method: Pram | Sample, path: Path, *, identifier: str = "", seed: int = 3
) -> tuple[bytes, dict[str, object], dict[str, object]]:
    microdata = read_microdata(path, identifier=identifier)
    release = method.apply(microdata.data, rng=Seed(seed).child("pram" if isinstance(method, Pram) else "sample").rng())
    return (
        write_microdata(release.published(), microdata.form),
        dict(release.detail),
        release.mechanism.as_dict(),
    )


@pytest.mark.parametrize("identifier", ["", "number", "name"])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: repr(method)[:60])
def test_a_seed_makes_the_release_of_memory(tmp_path: Path, method: Pram | Sample, identifier: str) -> None:
    path = tmp_path / "people.parquet"
    make_people().write_parquet(path)
    small = release_small(method, path, identifier=identifier)
    for choice in CHOICES:
        assert release_large(method, path, choice, identifier=identifier) == small, choice


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
@pytest.mark.parametrize(
    "form", [CsvForm(separator=";", header=True, encoding="cp932"), CsvForm(separator="\t", header=False)]
)
def test_a_csv_is_written_as_it_was_found(tmp_path: Path, form: CsvForm, choice: EngineChoice) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(write_microdata(make_people().cast(pl.String), form))
    method = Pram(retention=HALF, sample=20)
    assert release_large(method, path, choice) == release_small(method, path)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_cells_of_parquet_mean_the_texts_that_they_show(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "people.parquet"
    frame = pl.DataFrame(
        {
            "born": pl.Series(["2001-02-03", None, "1999-12-31", "2001-02-03"]).str.to_date(),
            "seen": pl.Series(["2001-02-03 04:05:06", None, "1999-12-31 00:00:00", None]).str.to_datetime(),
            "weight": [1.5, None, 2.0, 1.5],
            "text": ["", None, "a\r\nb", "a,b"],
            "flag": [True, False, None, True],
        }
    )
    for chosen in (frame, frame.drop("seen")):  # a column of times is written anew, the others are read as they are
        chosen.write_parquet(path)
        method = Sample(size=4)
        assert release_large(method, path, choice) == release_small(method, path)


@try_examples(12, share_fixtures=True)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "u", "v", "é"])), min_size=1, max_size=40),
    st.data(),
    st.integers(0, 2**63 - 1),
)
def test_any_file_gives_the_release_of_memory(
    tmp_path: Path, rows: list[tuple[str, str]], data: st.DataObject, seed: int
) -> None:
    path = tmp_path / "people.parquet"
    pl.DataFrame(rows, schema=["town", "x"], orient="row").write_parquet(path)
    size = data.draw(st.integers(1, len(rows)))
    strata = data.draw(st.sampled_from(["", "town"]))
    method = data.draw(st.sampled_from([Sample(size=size, strata=strata), Pram(retention=HALF, sample=size)]))
    small = release_small(method, path, seed=seed)
    for choice in CHOICES:
        assert release_large(method, path, choice, seed=seed) == small


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_secret_releases_differ_and_have_their_size(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "people.parquet"
    make_people().write_parquet(path)
    method = Pram(retention=HALF, sample=30, strata="town")
    first, again = (release_large(method, path, choice, seed=None) for _ in range(2))
    assert first[0] != again[0]
    assert first[0].count(b"\n") == 31
    assert first[1]["randomness"] == "secret"


def make_kernel(frame: pl.DataFrame, words: KeyedWords | CipherWords) -> ReleaseKernel:
    towns, values = (tuple(sorted(frame[name].unique())) for name in ("town", "x"))
    return ReleaseKernel(
        keys=RecordKey(name=ROW, numbers=True),
        words=words,
        columns=(
            CodedColumn(name="town", values=towns, released=towns),
            CodedColumn(name="x", values=values, released=OWN.values, draw=prepare_draw(OWN.matrix), place=1),
        ),
        strata=CodedColumn(name="town", values=towns, released=towns),
        bits=4,
        rows=True,
    )


@given(st.integers(1, 60), st.sampled_from([KeyedWords(5), CipherWords()]))
def test_a_kernel_gives_the_same_whatever_the_blocks_and_wherever_it_is_sent(
    size: int, words: KeyedWords | CipherWords
) -> None:
    frame = make_people().with_row_index(ROW).with_columns(pl.col(ROW).cast(pl.Int64))
    kernel = make_kernel(frame, words)
    assert ForkingPickler.dumps(kernel)  # as it is sent to another process
    sent = deepcopy(kernel)
    whole = kernel(frame.to_arrow().combine_chunks().to_batches()[0])
    blocks = [sent(block) for block in frame.to_arrow().combine_chunks().to_batches(max_chunksize=size)]
    assert pa.Table.from_batches(blocks).equals(pa.Table.from_batches([whole]))
    assert whole.schema.equals(kernel.schema)


def test_buckets_are_few_however_many_parts_there_are() -> None:
    for parts in (1, 3, 1000, 1 << 20, 1 << 22):
        bits = choose_bits([Stratum(name="", records=2, sample=1)] * parts)
        assert 1 <= bits <= 16
        assert parts << bits <= max(1 << 20, 2 * parts)
    assert choose_bits([Stratum(name="", records=2, sample=2)]) == 0


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_one_bucket_is_enough(tmp_path: Path, choice: EngineChoice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MOST_BITS", 1)
    path = tmp_path / "people.parquet"
    make_people().write_parquet(path)
    for size in (1, 29, 30, 31, 59):
        assert release_large(Sample(size=size), path, choice) == release_small(Sample(size=size), path)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_what_memory_refuses_is_refused(tmp_path: Path, choice: EngineChoice, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.parquet"
    make_people().with_columns(pl.lit("one").alias("name")).write_parquet(path)
    with pytest.raises(ParameterError, match="identifier name must differ from record to record"):
        release_large(Pram(retention=HALF), path, choice, identifier="name")
    with pytest.raises(ParameterError, match="column must be one of number, name, town, x, age, not 'city'"):
        release_large(Sample(size=3, strata="city"), path, choice)
    with pytest.raises(InfeasibleError, match="nobody can hide among 61"):
        release_large(Pram(k=Fraction(61)), path, choice)
    monkeypatch.setattr(records, "MOST_VALUES", 59)
    with pytest.raises(ParameterError, match="column number must have at most 59 values beyond memory"):
        release_large(Pram(retention=HALF), path, choice)
    assert leaves_nothing(tmp_path)


def test_ids_are_numbers_only_if_all_are(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    for ids, numbers in ((["7", "12"], True), (["7", "012"], False), (["7", "-1"], False), (["7", None], False)):
        pl.DataFrame({"id": ids, "x": ["u", "v"]}).write_parquet(path)
        for choice in CHOICES:
            with open_records(path, choice, identifier="id") as opened:
                assert opened.find_keys() == RecordKey(name="id", numbers=numbers)
                assert isinstance(opened.scan.frame, nw.LazyFrame)
