"""The whole tables behind a release, listed: how many there are, and what is left if the choice among them is known.

``rule``: all tables inside all statements. ``least``: of a zero-restricted rounding, those whose least rounding is the
one shown (the sum of the changes of all cells is least). ``tie``: those of which the one shown is also the first, in
the order of its inner cells, among the least ones; whoever has the program that rounds can find that out. All three
are listed in full, so small tables only; for larger ones ``least`` is asked by programs
(:mod:`sekisho.tables.round.least_attack`), ``tie`` is refused, never guessed.

Source: the page on statements (docs/methods); enumeration.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.attacker import System
from sekisho.tables.audit.statement_audit import expand_sums, find_inner
from sekisho.tables.audit.statements import ReaderKnowledge, Statements
from sekisho.tables.model.table import Floats
from sekisho.tables.reconstruct.block_search import UP, Wholes, list_solutions
from sekisho.tables.reconstruct.people import MOST, BlockData, PeopleSystem
from sekisho.words import Said

TABLES = 20_000
"""So many tables are listed at most."""
CELLS = 500
"""Tables with more inner cells are not listed."""
NODES = 200_000
"""How many nodes the list may take."""
TOO_MANY = Said(
    "be rule or least: how ties are broken is told by comparing all tables one by one, and here they are too many"
)
COMPARED = 50_000_000
"""So many numbers are compared at most to know which tables have the one shown for their least rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTables:
    """Tables that a reader cannot exclude, listed.

    Attributes:
        cells: one row each, all cells of the table.
        complete: whether these are all.
    """

    cells: Wholes
    complete: bool

    @property
    def low(self) -> Floats:
        """The least value of each cell among them."""
        return self.cells.min(axis=0).astype(np.float64)

    @property
    def high(self) -> Floats:
        """The greatest."""
        return self.cells.max(axis=0).astype(np.float64)


def list_tables(system: System, statements: Statements, *, most: int = TABLES) -> ListedTables | None:
    """Return the whole tables inside all statements.

    None where cells are not sums of inner ones, have no end, or are too many to be listed.
    """
    inner, sums = np.flatnonzero(find_inner(system)), expand_sums(system)
    if sums is None or len(inner) > CELLS:
        return None
    rows = csr_array(sums.tocsc()[:, inner].tocsr())
    low = np.ceil(np.maximum(statements.low, 0.0)).astype(np.int64)
    high = np.floor(np.minimum(statements.high, float(MOST))).astype(np.int64)
    people = PeopleSystem.of(rows)
    lows, highs = people.fill_bounds(low[None], high[None])
    if np.any(csr_array(rows * (high[:, None] < MOST)).sum(axis=0) == 0):
        return None
    block = BlockData(people, lows[0], highs[0])
    if not block.possible:
        return ListedTables(cells=np.zeros((0, len(system)), dtype=np.int64), complete=True)
    out = np.empty((most, len(block.cells)), dtype=np.int64)
    found, complete = list_solutions(block.rows, block.low, block.high, out, NODES, UP)
    whole = np.tile(block.settled, (found, 1))
    whole[:, block.cells] = out[:found]
    return ListedTables(cells=whole @ rows.T.toarray().astype(np.int64), complete=complete)


def can_compare(system: System, listed: ListedTables | None) -> bool:
    """Tell whether all tables are listed, and few enough to be compared with all roundings one by one."""
    inner = int(find_inner(system).sum())
    others = 3**inner if inner < 20 else COMPARED
    return listed is not None and listed.complete and others * len(listed.cells) * len(system) <= COMPARED


def keep_chosen(
    system: System, statements: Statements, listed: ListedTables, *, base: int, knowledge: ReaderKnowledge
) -> ListedTables:
    """Return the tables of which a program that makes the change least shows what is shown.

    Raises:
        ParameterError: they are not all listed, or too many to compare.
    """
    inner = np.flatnonzero(find_inner(system))
    if not can_compare(system, listed):
        raise ParameterError("knows", TOO_MANY, knowledge.value)
    shown = np.rint(statements.shown).astype(np.int64)
    sums = expand_sums(system)
    rows = (
        np.zeros((0, len(inner)), dtype=np.int64) if sums is None else sums.tocsc()[:, inner].toarray().astype(np.int64)
    )
    moves = np.array(list(product((-base, 0, base), repeat=len(inner))), dtype=np.int64)
    rivals: Wholes = ((shown[inner] + moves) @ rows.T).astype(np.int64)  # in the order of their inner cells
    kept = [place for place, cells in enumerate(listed.cells) if _is_chosen(cells, shown, rivals, base, knowledge)]
    return ListedTables(cells=listed.cells[kept], complete=True)


def _is_chosen(cells: Wholes, shown: Wholes, rivals: Wholes, base: int, knowledge: ReaderKnowledge) -> bool:
    """Tell whether the rounding shown is a least one of a table; with ``tie`` also the first of the least ones."""
    change = np.abs(rivals - cells)
    allowed = np.all((change < base) & (rivals >= 0), axis=1)
    cost = change.sum(axis=1)
    own = int(np.abs(shown - cells).sum())
    if np.any(cost[allowed] < own):
        return False
    first = int(np.flatnonzero(allowed & (cost == own))[0])
    return knowledge is not ReaderKnowledge.TIE or np.array_equal(rivals[first], shown)
