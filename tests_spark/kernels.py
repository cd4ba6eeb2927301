"""Kernels that the tests send to the executors."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

from sekisho.errors import Fault, FaultsError, InfeasibleError


@njit
def add_squares(values: np.ndarray) -> np.ndarray:
    """Return each value's square plus itself, by a compiled loop."""
    result = np.empty(len(values), np.int64)
    for place in range(len(values)):
        result[place] = values[place] * values[place] + values[place]
    return result


def make_squares(block: pa.RecordBatch) -> pa.RecordBatch:
    """Return the squares of x, with the texts."""
    squares = add_squares(block.column("x").to_numpy(zero_copy_only=False).astype(np.int64))
    return pa.RecordBatch.from_pydict({"square": squares, "text": block.column("text")})


def refuse_block(block: pa.RecordBatch) -> pa.RecordBatch:
    """Refuse a block as a method does."""
    fault = Fault(row=3, column="x", rule="even", value="7", message=f"7 is odd, in a block of {block.num_columns}")
    raise FaultsError("people.parquet", [fault])


def stumble(block: pa.RecordBatch) -> pa.RecordBatch:
    """Fail as only a mistake of ours does."""
    raise ZeroDivisionError(str(block.num_columns))


def count_group(table: pa.Table) -> pa.Table:
    """Return a group's key and how many rows it has."""
    return pa.table({"group": table["group"].slice(0, 1), "rows": pa.array([table.num_rows], pa.int64())})


@dataclass(frozen=True)
class WaitingKernel:
    """Doubles x, but leaves a mark of each block and waits from some block on until it may go on."""

    folder: Path
    quick: int

    def __call__(self, block: pa.RecordBatch) -> pa.RecordBatch:
        """Return x doubled."""
        if block.num_rows:
            name = f"{os.getppid()}-{os.getpid()}-{time.time_ns()}"
            (self.folder / name).touch()
            mine = len(list(self.folder.glob(f"{os.getppid()}-*")))
            until = time.monotonic() + 120
            while mine > self.quick and not (self.folder / "go").exists() and time.monotonic() < until:
                time.sleep(0.05)
        return pa.RecordBatch.from_pydict({"x": pc.multiply(block.column("x"), 2)})


def count_letters(word: str) -> int:
    """Return how many letters a word has; refuse one."""
    if word == "no":
        raise InfeasibleError("no letters")
    return len(word)
