"""Pieces of work on executors: each is a row of bytes on its way there, and its answer a row of bytes on its way back.

They travel in waves, so that neither the driver nor a message holds all of them at once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sekisho.data.engines.arrow import Batch
from sekisho.data.engines.spark.connection import SparkObject
from sekisho.data.engines.spark.failures import CarriedError, explained
from sekisho.data.engines.spark.kernels import check_code, digest_code
from sekisho.errors import SekishoError

WAVE = 48 << 20
"""So many bytes of tasks travel at once: Spark Connect takes no message of more than 128 MB."""
MOST = 2_000
"""So many tasks a wave has at most."""
SCHEMA = pa.schema({"place": pa.int64(), "data": pa.binary()})


@dataclass(frozen=True, slots=True)
class TaskRunner:
    """Works on rows of tasks."""

    code: str

    def __call__(self, blocks: Iterable[Batch]) -> Iterator[Batch]:
        """Give the answers."""
        try:
            check_code(self.code)
            for block in blocks:
                for place, data in zip(block["place"].to_pylist(), block["data"].to_pylist(), strict=True):
                    function, task = pickle.loads(data)
                    answer = pickle.dumps(function(task), protocol=5)
                    yield pa.RecordBatch.from_pydict({"place": [place], "data": [answer]}, schema=SCHEMA)
        except SekishoError as error:
            raise CarriedError(error) from error


def run_on_executors(spark: SparkObject, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
    """Give a function's answer to each task, in their order."""
    wave, size = list[bytes](), 0
    for task in tasks:
        data = pickle.dumps((function, task), protocol=5)
        if wave and (size + len(data) > WAVE or len(wave) >= MOST):
            yield from _run_wave(spark, wave)
            wave, size = [], 0
        wave.append(data)
        size += len(data)
    if wave:
        yield from _run_wave(spark, wave)


def _run_wave(spark: SparkObject, wave: list[bytes]) -> Iterator[Any]:
    table = pa.table({"place": pa.array(range(len(wave)), pa.int64()), "data": pa.array(wave, pa.binary())})
    with explained():
        sent = spark.createDataFrame(table).repartitionByRange(len(wave), "place")
        answers = sent.mapInArrow(TaskRunner(digest_code()), "place long, data binary").toArrow()
    for data in answers.sort_by("place")["data"]:
        yield pickle.loads(data.as_py())
