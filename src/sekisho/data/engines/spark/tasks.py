"""Pieces of work on executors: each is a row of bytes on its way there, and its answer a row of bytes on its way back.

They travel in waves, so that neither the driver nor a message holds all of them at once.

Kernels on executors: our compiled code on blocks of Arrow that Spark hands to Python.

A kernel goes there by name, so the executors must have this package. That it is the same package is checked in every
process before its first block: other code with the same seed could make another release.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import pyarrow as pa

from sekisho.data.engines.names import ArrowSchema, Batch, GroupKernel, Kernel, Table
from sekisho.data.engines.spark.connection import CarriedError, SparkObject, explained
from sekisho.errors import InputError, SekishoError
from sekisho.words import Said

CODE = ".py"


@dataclass(frozen=True, slots=True)
class SparkBlockTask:
    """A kernel as Spark calls it: on an executor's blocks, one after another, their columns by their own names."""

    kernel: Kernel
    names: Sequence[str]
    schema: ArrowSchema
    code: str

    def __call__(self, blocks: Iterable[Batch]) -> Iterator[Batch]:
        """Give what the kernel makes of each block."""
        try:
            check_code(self.code)
            for block in blocks:
                yield self.kernel(block.rename_columns(list(self.names))).cast(self.schema)
        except SekishoError as error:
            raise CarriedError(error) from error


def make_group_task(kernel: GroupKernel, names: Sequence[str], schema: ArrowSchema, code: str) -> GroupKernel:
    """Return a kernel as Spark calls it on the rows of a group: a function of one argument, which Spark counts."""

    def run_kernel(table: Table) -> Table:
        try:
            check_code(code)
            return kernel(table.rename_columns(list(names))).cast(schema)
        except SekishoError as error:
            raise CarriedError(error) from error

    return run_kernel


def pack_blocks(blocks: Iterable[Batch]) -> Iterator[Batch]:
    """Give each block as one cell of bytes, so that whole blocks travel to the driver as rows do."""
    for block in blocks:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, block.schema) as stream:
            stream.write_batch(block)
        yield pa.RecordBatch.from_pydict({"block": pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def unpack_block(data: bytes) -> Iterator[Batch]:
    """Give the block that a cell of bytes holds."""
    with pa.ipc.open_stream(data) as stream:
        yield from stream


def check_code(code: str) -> None:
    """Refuse to work where the package is another than the driver's.

    Raises:
        InputError: it is.
    """
    if digest_code() != code:
        raise InputError(
            "Spark", Said("its executors have another version of sekisho than the driver: install the same one")
        )


@cache
def digest_code() -> str:
    """Return a digest of this package's code, here."""
    digest = blake2b(digest_size=16)
    for name, file in sorted(_list_code(files("sekisho"), "")):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _list_code(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _list_code(each, f"{path}/{each.name}")
        elif each.name.endswith(CODE):
            yield f"{path}/{each.name}", each


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
