"""What is written beyond memory is whole or not there, in the order of the rows, with the bytes of the in-memory path."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest
from tests.data.engines.engines import CHOICES, RECORDS, leaves_nothing

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Batch
from sekisho.data.engines.scan import open_scan
from sekisho.data.engines.sink import write_scan
from sekisho.data.files.plain_table import frame_bytes
from sekisho.errors import InputError
from sekisho.words import quote_words

FRAME = pl.DataFrame({"text": ["a", None, 'q"', "x,y\n", ""] * 50, "number": range(250), "part": [0.5] * 250})


def double(block: Batch) -> Batch:
    frame = pl.DataFrame(block).with_columns(pl.col("number") * 2)
    return frame.to_arrow().combine_chunks().to_batches()[0]


@pytest.fixture(name="source")
def fixture_source(tmp_path: Path) -> Path:
    path = tmp_path / "some.parquet"
    FRAME.write_parquet(path)
    return path


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kept", [False, True])
def test_rows_pass_a_kernel_in_their_order(
    tmp_path: Path, source: Path, choice: EngineChoice, ending: str, *, kept: bool
) -> None:
    out = tmp_path / f"out.{ending}"
    rules = RECORDS.file.__class__(missing=("none",))
    schema = RECORDS.__class__(shape=RECORDS.shape, file=rules)
    with open_scan(source, schema, choice, beside=out) as scan:
        write_scan(scan, tmp_path / f"same.{ending}")
        kind = double(next(scan.batches(3))).schema
        doubled = map_blocks(scan, double, kind)
        assert doubled.names == ("text", "number", "part")
        if kept:  # a question is asked of them, so they are kept
            assert doubled.collect(doubled.frame.select("number")).height == 250
        write_scan(doubled, out)
    wanted = FRAME.with_columns(pl.col("number") * 2)
    if ending == "csv":
        assert out.read_bytes() == frame_bytes(wanted, out)
        assert (tmp_path / "same.csv").read_bytes() == frame_bytes(FRAME, out)
    else:
        assert pl.read_parquet(out).rows() == wanted.rows()
        assert pl.read_parquet(tmp_path / "same.parquet").rows() == FRAME.rows()
    assert leaves_nothing(tmp_path)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_kernel_that_fails_leaves_what_was_there(tmp_path: Path, source: Path, choice: EngineChoice) -> None:
    out = tmp_path / "out.csv"
    out.write_text("before")

    def fail(block: Batch) -> Batch:
        raise InputError("block", quote_words(f"{block.num_rows} rows"))

    with pytest.raises(InputError, match="rows"), open_scan(source, RECORDS, choice, beside=out) as scan:
        write_scan(map_blocks(scan, fail, next(scan.batches()).schema), out)
    assert out.read_text() == "before"
    assert leaves_nothing(tmp_path)


SLOW = """
import sys, time
from pathlib import Path

from sekisho.data.engines.names import Batch
from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.data.engines.sink import write_scan
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape

def wait(block):
    print("at work", flush=True)
    time.sleep(60)
    return block

source, out, engine = Path(sys.argv[1]), Path(sys.argv[2]), Engine(sys.argv[3])
with open_scan(source, SchemaFile(shape=Shape.RECORDS), EngineChoice(engine=engine), beside=out) as scan:
    write_scan(map_blocks(scan, wait, next(scan.batches()).schema), out)
"""


@pytest.mark.parametrize("choice", CHOICES)
def test_an_interruption_leaves_no_temporary_files(tmp_path: Path, source: Path, choice: EngineChoice) -> None:
    out = tmp_path / "out.csv"
    words = [sys.executable, "-c", SLOW, str(source), str(out), choice.engine.value]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as work:
        assert work.stdout is not None
        assert work.stdout.readline() == "at work\n"
        assert not leaves_nothing(tmp_path)
        started = monotonic()
        work.send_signal(signal.SIGINT)
        while work.poll() is None and monotonic() - started < 20:
            sleep(0.05)
        assert work.poll() is not None, "it goes on"
        work.kill()
    assert leaves_nothing(tmp_path)
    assert not out.exists()
