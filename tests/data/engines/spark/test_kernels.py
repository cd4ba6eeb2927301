"""Kernels go by name; what they are called on, and that the code is the same, is checked where they run."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sekisho.data.engines.names import Batch, Table
from sekisho.data.engines.spark import tasks
from sekisho.data.engines.spark.connection import CarriedError, unpack_error
from sekisho.data.engines.spark.tasks import SparkBlockTask, digest_code, make_group_task, pack_blocks, unpack_block
from sekisho.errors import InfeasibleError, InputError

SCHEMA = pa.schema({"x": pa.int64()})
BLOCKS = [pa.RecordBatch.from_pydict({"x": pa.array(values, pa.int32())}) for values in ([1, 2], [], [3])]


def keep(block: Batch) -> Batch:
    return block


def refuse(block: Batch) -> Batch:
    raise InfeasibleError(f"{block.num_rows} rows")


def test_a_task_survives_the_way_and_gives_the_promised_types() -> None:
    task = pickle.loads(pickle.dumps(SparkBlockTask(keep, ["x"], SCHEMA, digest_code())))
    blocks = list(task(iter(BLOCKS)))
    assert [block.schema for block in blocks] == [SCHEMA] * 3
    assert pa.Table.from_batches(blocks)["x"].to_pylist() == [1, 2, 3]


def test_columns_have_their_own_names_where_a_kernel_works() -> None:
    def name(block: Batch) -> Batch:
        return pa.RecordBatch.from_pydict({"x": [len(block.schema.names[0])]})

    (block,) = SparkBlockTask(name, ["a.`b"], SCHEMA, digest_code())(iter(BLOCKS[:1]))
    assert block["x"].to_pylist() == [4]


def test_a_refusal_is_packed() -> None:
    with pytest.raises(CarriedError) as packed:
        list(SparkBlockTask(refuse, ["x"], SCHEMA, digest_code())(iter(BLOCKS)))
    assert str(unpack_error(str(packed.value))) == "2 rows"

    def refuse_group(table: Table) -> Table:
        raise InfeasibleError(f"{table.num_rows} rows of a group")

    with pytest.raises(CarriedError) as packed:
        make_group_task(refuse_group, ["x"], SCHEMA, digest_code())(pa.table({"x": [1]}))
    assert str(unpack_error(str(packed.value))) == "1 rows of a group"


def test_other_code_is_refused_before_the_first_block() -> None:
    def fail() -> Iterator[Batch]:
        raise AssertionError("a block was asked for")
        yield

    with pytest.raises(CarriedError) as packed:
        list(SparkBlockTask(keep, ["x"], SCHEMA, "another")(fail()))
    arrived = unpack_error(str(packed.value))
    assert isinstance(arrived, InputError)
    assert "another version" in str(arrived)


def test_the_digest_is_that_of_names_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest() -> str:
        digest_code.cache_clear()
        return digest_code()

    def find_files(package: str) -> Path:
        assert package == "sekisho"
        return tmp_path

    monkeypatch.setattr(tasks, "files", find_files)
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.py").write_text("1")
    first = digest()
    (tmp_path / "room" / "page.html").write_text("no code")
    assert digest() == first
    (tmp_path / "room" / "a.py").write_text("2")
    second = digest()
    (tmp_path / "room" / "a.py").rename(tmp_path / "room" / "b.py")
    assert len({first, second, digest()}) == 3
    digest_code.cache_clear()


def test_blocks_travel_as_bytes() -> None:
    cells = [block["block"][0].as_py() for block in pack_blocks(BLOCKS)]
    arrived = [block for cell in cells for block in unpack_block(cell)]
    assert [block.to_pydict() for block in arrived] == [block.to_pydict() for block in BLOCKS]
