"""Tasks travel as rows of bytes, in waves, and their answers come back in order."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sekisho.data.engines.names import Batch, Table
from sekisho.data.engines.spark import tasks
from sekisho.data.engines.spark.connection import CarriedError, unpack_error
from sekisho.data.engines.spark.tasks import TaskRunner, digest_code, run_on_executors
from sekisho.errors import InfeasibleError


class FakeSpark:
    """Runs what is mapped here, the rows of a wave turned round: executors keep no order."""

    def __init__(self) -> None:
        self.waves = list[int]()

    def createDataFrame(self, table: Table) -> FakeSpark:
        self.table = table
        self.waves.append(table.num_rows)
        return self

    def repartitionByRange(self, parts: int, name: str) -> FakeSpark:
        assert (parts, name) == (self.table.num_rows, "place")
        return self

    def mapInArrow(self, runner: TaskRunner, schema: str) -> FakeSpark:
        assert schema == "place long, data binary"
        rows = [self.table.slice(place, 1).to_batches()[0] for place in reversed(range(self.table.num_rows))]
        self.answers = pa.Table.from_batches(list(runner(iter(rows))))
        return self

    def toArrow(self) -> Table:
        return self.answers


def double(task: int) -> int:
    return 2 * task


def refuse(task: int) -> int:
    raise InfeasibleError(f"no answer to {task}")


@pytest.mark.parametrize("most", [1, 3, 100])
def test_answers_come_in_the_order_of_the_tasks(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(tasks, "MOST", most)
    spark = FakeSpark()
    assert list(run_on_executors(spark, double, iter(range(7)))) == [0, 2, 4, 6, 8, 10, 12]
    assert max(spark.waves) <= most
    assert sum(spark.waves) == 7


def test_a_wave_holds_few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "WAVE", 2_500)
    spark = FakeSpark()
    assert list(run_on_executors(spark, len, [bytes(1_000)] * 5)) == [1_000] * 5
    assert spark.waves == [2, 2, 1]
    assert not list(run_on_executors(spark, len, []))


def test_a_refusal_is_packed() -> None:
    block: Batch = pa.RecordBatch.from_pydict(
        {"place": [0], "data": [tasks.pickle.dumps((refuse, 3))]}, schema=tasks.SCHEMA
    )
    with pytest.raises(CarriedError) as packed:
        list(TaskRunner(digest_code())([block]))
    assert str(unpack_error(str(packed.value))) == "no answer to 3"
