"""The people behind the tables of a release: how each published cell counts them, by all dimensions at once.

One table's people are its inner cells. Of several tables they are the cells of the joint table behind them, which
nobody publishes; the holder who has the records knows it all the same, and can say how much of it the tables tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.statement_audit import expand_sums, find_inner
from sekisho.tables.audit.statements import Statements
from sekisho.tables.model.linked.joint import read_lists, rename_codes, tie_cells
from sekisho.tables.model.table import Key, Table
from sekisho.tables.reconstruct.people import MOST, PeopleSystem
from sekisho.words import Said

Wholes = NDArray[np.int64]
LARGEST = 100_000
"""So many joint cells are asked for at most."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointPeople:
    """How the cells of a system of tables count people by all dimensions.

    Attributes:
        dims: the dimensions.
        keys: of each joint cell its codes.
        cells: of each row the cell of the system that it is.
        matrix: a row for each of these cells, a column for each joint cell.
        system: the same rows as the search has them.
        truth: how many people are in each joint cell; None if nobody knows it here.
    """

    dims: tuple[str, ...]
    keys: tuple[Key, ...]
    cells: NDArray[np.intp]
    matrix: csr_array
    system: PeopleSystem
    truth: Wholes | None

    @classmethod
    def of(cls, system: Table, parts: Sequence[Table] = (), *, joint: Table | None = None) -> JointPeople:
        """Return the people behind a table, or behind several that are joined to a system.

        Args:
            system: all cells.
            parts: the tables; the system itself if there are none.
            joint: the true table by all dimensions of the parts, where it is known.

        Raises:
            ParameterError: the cells are no counts or no sums of joint cells, or there are too many of these.
        """
        if not system.whole or np.any(system.value[~system.unpublished] < 0):
            raise ParameterError("reconstruct", Said("have whole counts"), repr(system))
        return cls._of_one(system) if len(parts) < 2 else cls._of_several(system, parts, joint)

    @classmethod
    def _of_one(cls, table: Table) -> JointPeople:
        inner, sums = np.flatnonzero(find_inner(table)), expand_sums(table)
        if sums is None or len(inner) > LARGEST:
            raise _refuse_size(len(inner))
        rows = csr_array(sums.tocsc()[:, inner].tocsr())
        keys = tuple(table.keys[cell] for cell in inner.tolist())
        return cls._make(table.dims, keys, np.arange(len(table)), rows, table.value[inner])

    @classmethod
    def _of_several(cls, system: Table, parts: Sequence[Table], joint: Table | None) -> JointPeople:
        margins = dict(zip(system.dims, system.margins, strict=True))
        tables = [rename_codes(part, [margins[dim] for dim in part.dims]) for part in parts]
        lists = read_lists(tables, margins)
        size = 0 if lists is None else prod(len(each.leaves) for each in lists.values())
        if lists is None or size > LARGEST:
            raise _refuse_size(size)
        ties = tie_cells(system, tables, lists, every=True)
        keys = tuple(product(*(lists[dim].leaves for dim in system.dims)))
        truth = None
        if joint is not None:
            order = [joint.dims.index(dim) for dim in system.dims]
            known = {
                tuple(key[axis] for axis in order): value for key, value in zip(joint.keys, joint.value, strict=True)
            }
            if all(key in known for key in keys):
                truth = np.array([known[key] for key in keys])
        return cls._make(system.dims, keys, np.array(ties.cells, dtype=np.intp), ties.rows, truth)

    @classmethod
    def _make(
        cls,
        dims: tuple[str, ...],
        keys: tuple[Key, ...],
        cells: NDArray[np.intp],
        rows: csr_array,
        truth: NDArray[np.float64] | None,
    ) -> JointPeople:
        matrix = csr_array(rows.astype(np.int64))
        matrix.eliminate_zeros()
        return cls(
            dims=dims,
            keys=keys,
            cells=cells,
            matrix=matrix,
            system=PeopleSystem.of(matrix),
            truth=None if truth is None else np.rint(truth).astype(np.int64),
        )

    def bound_rows(self, said: Statements) -> tuple[Wholes, Wholes]:
        """Return the least and the greatest number of people in each row by what is said of the system's cells."""
        low = np.ceil(np.maximum(said.low[self.cells], 0.0)).astype(np.int64)
        high = np.floor(np.minimum(said.high[self.cells], float(MOST))).astype(np.int64)
        return low, high

    @property
    def lists(self) -> list[list[int]]:
        """The joint cells of each row, as the checker reads them."""
        return [row.tolist() for row in np.split(self.matrix.indices, self.matrix.indptr[1:-1])]


def _refuse_size(cells: int) -> ParameterError:
    rule = Said(
        "have tables whose cells are sums of at most {most:,} joint cells, and lists of codes that fit each other",
        most=LARGEST,
    )
    return ParameterError("reconstruct", rule, cells)
