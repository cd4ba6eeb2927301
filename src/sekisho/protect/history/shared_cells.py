"""Releases in which several people's rows are published alike: the way from *slots* to a release.

A slot is one published row that stands for one row of each member of a group; rows of the same slot get the same cells,
a row without a slot (-1) is deleted.

The best ends of a range that several values share: the smallest range need not be the cheapest in sum.

A range [a; b] costs its n values together N / D with N = sum of (x - a)^2 + (b - x)^2 + (b - a) w, D = 2 (b - a + w),
where w is one grid step. Let u = b - a + w. With b held and a moved outwards that is (n u + Q + R / u) / 2, R = 2 * sum
of (b - x)(b - x + w), Q free of u; least over whole steps m = u / w at the smallest m with m (m + 1) >= R / (n w^2).
The other end likewise. At most one end ever wants to move, and then the other is at its best too
(docs/proofs/history-groups.md, section 2a). Ends stay within the column's values: nobody bought a negative number of
things.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, SetCells, find_gaps, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.distance import range_error
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.spread import Spread, measure_spread
from sekisho.data.history.arrays import History, find_owners
from sekisho.errors import InfeasibleError
from sekisho.kernels import njit
from sekisho.provenance import Provenance
from sekisho.words import Said


@njit(cache=True, fastmath=True)
def gain(low: float, high: float, count: float, total: float, squares: float, grain: float, top: float) -> float:
    """Return by how much the best range between 0 and ``top`` undercuts the smallest, from count, sum and squares."""
    below = squares - 2.0 * high * total + count * high * high + grain * (count * high - total)
    above = squares - 2.0 * low * total + count * low * low + grain * (total - count * low)
    moment = 2.0 * max(below, above)
    least = high - low + grain
    if moment <= count * least * least:
        return 0.0
    limit = high + grain if below > above else top - low + grain
    steps = np.ceil(0.5 * np.sqrt(1.0 + 4.0 * moment / (count * grain * grain)) - 0.5 - 1e-9)
    wide = max(least, min(limit, steps * grain))
    return max(0.0, 0.5 * (count * (least - wide) + moment / least - moment / wide))


def widen_ranges(
    values: NDArray[np.int64],
    place: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    *,
    within: tuple[int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best ends, not beyond ``within``, for values in places whose smallest ranges are given."""
    count = np.bincount(place, minlength=len(low)).astype(np.float64)
    down, up = (high[place] - values).astype(np.float64), (values - low[place]).astype(np.float64)
    below = 2.0 * np.bincount(place, weights=down * (down + 1.0), minlength=len(low))
    above = 2.0 * np.bincount(place, weights=up * (up + 1.0), minlength=len(low))
    ratio = np.divide(np.maximum(below, above), count, out=np.zeros_like(count), where=count > 0)
    steps = np.ceil(0.5 * np.sqrt(1.0 + 4.0 * ratio) - 0.5 - 1e-9).astype(np.int64)
    first = np.where(below > above, np.maximum(within[0], high + 1 - steps), low)
    last = np.where(below > above, high, np.minimum(within[1], low + steps - 1))
    return np.minimum(low, first), np.maximum(high, last)


MAX_SET = 100
"""The contest of 2018 allows sets of at most this many items; what a method takes where no rules are known."""
LARGEST_SET = "Most items that a set may hold; not above the rules' own limit, which is the default."


def gather_history(data: Dataset) -> History:
    """Return a history that can be protected.

    Raises:
        InfeasibleError: there are no rows.
    """
    if not len(data):
        raise InfeasibleError(Said("a history without rows cannot be protected"))
    return History.of(data)


def draw_pseudonyms(people: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return each person's pseudonym: the numbers 1 to ``people`` in random order."""
    return rng.permutation(people).astype(np.int64) + 1


def build_history_release(
    data: Dataset,
    columns: dict[str, Cells],
    deleted: NDArray[np.bool_],
    made_by: Provenance,
    *,
    rng: np.random.Generator,
) -> Release:
    """Return the release of some cells under fresh pseudonyms; the cells of deleted rows are suppressed."""
    owner, names = find_owners(data)
    pseudonym = np.where(deleted, 0, draw_pseudonyms(len(names), rng=rng)[owner])
    table = MaskedTable(
        schema=data.schema,
        columns={name: cells.suppress(deleted) for name, cells in columns.items()},
        pseudonym=pseudonym,
    )
    return Release(table=table, deleted=deleted, provenance=made_by)


def cover_slots(
    data: Dataset,
    slot: NDArray[np.int64],
    *,
    max_set: int = MAX_SET,
    widen: bool = False,
    spreads: Mapping[str, Spread] | None = None,
) -> dict[str, Cells]:
    """Return cells that make rows of one slot alike.

    Per slot and column: the smallest range or set that covers its rows (with ``widen`` the range whose errors sum to
    least), or ``*`` where the errors of the rows would sum to more than 1 each; sets above ``max_set`` become ``*``. A
    number that all rows of a slot lack stays missing, one that only some lack becomes ``*``.
    ``spreads`` of the numeric columns are given where the rows are only some of the original's.
    """
    kept = np.flatnonzero(slot >= 0)
    place = slot[kept]
    count = np.bincount(place)
    columns: dict[str, Cells] = {}
    for column in data.schema.attributes:
        if column.kind.numeric:
            grid = data.grid(column.name)
            spread = measure_spread(grid) if spreads is None else spreads[column.name]
            columns[column.name] = _cover_ranges(grid, kept, place, count, spread, widen=widen)
        else:
            columns[column.name] = _cover_sets(data, column.name, kept, place, max_set)
    return columns


def _cover_ranges(
    values: NDArray[np.int64],
    kept: NDArray[np.int64],
    place: NDArray[np.int64],
    count: NDArray[np.int64],
    spread: Spread,
    *,
    widen: bool,
) -> RangeCells:
    gaps = find_gaps(values[kept])
    lacking = np.bincount(place, weights=gaps, minlength=len(count))
    numbers = np.where(gaps, spread.low, values[kept])
    low = np.full(len(count), np.iinfo(np.int64).max)
    high = np.full(len(count), np.iinfo(np.int64).min)
    np.minimum.at(low, place, numbers)
    np.maximum.at(high, place, numbers)
    if widen:
        low, high = widen_ranges(numbers, place, low, high, within=(spread.low, spread.high))
    cells = RangeCells(lower=low[place], upper=high[place], suppressed=np.zeros(len(kept), dtype=np.bool_))
    total = np.bincount(place, weights=range_error(numbers, cells, spread.deviation))
    mixed = (lacking > 0) & (lacking < count)
    low, high = (np.where(lacking > 0, MISSING_NUMBER, ends) for ends in (low, high))
    star = ((total > count) | mixed)[place]
    lower, upper = np.zeros_like(values), np.zeros_like(values)
    suppressed = np.ones(len(values), dtype=np.bool_)
    lower[kept], upper[kept], suppressed[kept] = np.where(star, 0, low[place]), np.where(star, 0, high[place]), star
    return RangeCells(lower=lower, upper=upper, suppressed=suppressed)


def _cover_sets(data: Dataset, name: str, kept: NDArray[np.int64], place: NDArray[np.int64], max_set: int) -> SetCells:
    slots = int(place.max(initial=-1)) + 1
    shared = gather_sets(place, data.codes(name)[kept], slots, data.domain(name))
    shared = shared.suppress(shared.sizes() > max_set)
    # One more set, empty, for the deleted rows.
    with_empty = SetCells(
        offsets=np.append(shared.offsets, shared.offsets[-1]),
        codes=shared.codes,
        suppressed=np.append(shared.suppressed, True),
        domain=shared.domain,
    )
    pick = np.full(len(data), slots, dtype=np.int64)
    pick[kept] = place
    return with_empty.take(pick)
