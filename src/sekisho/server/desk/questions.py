"""What the desk asks of a file, answered from coded columns as plain data for JSON; no process, page or file is here.

Against whom: one who knows the keys of a person, all of them or at most three; of a history, one who knows some rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Kind
from sekisho.safety.records.classes import ColumnCodes, count_classes, number_classes
from sekisho.safety.records.uniques.key_uniques import count_key_uniques
from sekisho.safety.records.uniques.special_uniques import find_special_uniques
from sekisho.seeds import Seed
from sekisho.server.desk.plain_data import Plain

MASK = "•••"
WORST = 10
BINS = 12
KNOWN = 3
"""How many things, or rows, an attacker knows who does not know everything."""
DRAWN = 2000
"""Of so many people of a history rows are drawn."""
SIZES = (1, 2, 3, 5, 10, 20)
"""The classes are counted from one of these sizes up to the next."""

Columns = Mapping[str, ColumnCodes]


def count_alone(keys: Columns) -> Plain:
    """Return how many records are alone on some keys, how many without each, in which classes, and the worst ones."""
    if not keys:
        return {"keys": [], "records": 0, "alone": 0, "without": {}, "classes": 0, "sizes": [], "worst": []}
    uniques = count_key_uniques({name: pl.Series(column.codes) for name, column in keys.items()})
    classes = _ClassCount.of(keys)
    return {
        "keys": list(keys),
        "records": uniques.records,
        "alone": uniques.unique,
        "without": dict(uniques.without),
        "classes": len(classes.sizes),
        "sizes": classes.tell_sizes(),
        "worst": classes.list_worst(keys),
    }


def list_worst_classes(keys: Columns) -> list[Plain]:
    """Return the smallest classes of some keys, those of rare values first."""
    return _ClassCount.of(keys).list_worst(keys) if keys else []


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _ClassCount:
    """Classes of records: which each is of, how many each has, and a record of each."""

    number: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, keys: Columns) -> _ClassCount:
        columns = list(keys.values())
        number = number_classes(columns, len(columns[0]))
        return cls(number=number, sizes=count_classes(number))

    def tell_sizes(self) -> list[Plain]:
        ends = [*(start - 1 for start in SIZES[1:]), None]
        bounds = np.array([*SIZES, np.iinfo(np.int64).max])
        place = np.searchsorted(bounds, self.sizes, side="right") - 1
        classes = np.bincount(place, minlength=len(SIZES))
        records = np.bincount(place, weights=self.sizes, minlength=len(SIZES))
        return [
            {"from": start, "to": end, "classes": int(classes[at]), "records": int(records[at])}
            for at, (start, end) in enumerate(zip(SIZES, ends, strict=True))
        ]

    def list_worst(self, keys: Columns) -> list[Plain]:
        """Return the smallest classes; of those of one size, the ones whose values are rarest one by one."""
        first = np.zeros(len(self.sizes), dtype=np.int64)
        first[self.number[::-1]] = np.arange(len(self.number))[::-1]  # the last to be written is the first of its class
        few = len(self.sizes) > WORST and int(np.partition(self.sizes, WORST - 1)[WORST - 1])
        chosen = np.flatnonzero(self.sizes <= few) if few else np.arange(len(self.sizes))
        rarity = np.zeros(len(chosen))
        for column in keys.values():
            often = np.bincount(column.codes, minlength=len(column.values))
            rarity += np.log(often[column.codes[first[chosen]]])
        order = np.lexsort((first[chosen], rarity, self.sizes[chosen]))[:WORST]
        return [
            {
                "size": int(self.sizes[at]),
                "row": int(first[at]) + 1,
                "values": {name: column.values[int(column.codes[first[at]])] for name, column in keys.items()},
            }
            for at in chosen[order].tolist()
        ]


def find_stand_outs(keys: Columns, *, rows: NDArray[np.int64] | None = None) -> Plain:
    """Return who stands out by few keys, which keys make people stand out, and who is found by at most three things.

    Args:
        keys: by name.
        rows: where each record stands in its file; one after the other if not said.
    """
    most = min(KNOWN, len(keys))
    special = find_special_uniques(list(keys.values()), largest=most)
    least = np.full(len(special.rows), most + 1)
    np.minimum.at(least, special.places, special.sizes)
    found = np.cumsum(np.bincount(least, minlength=most + 2)[1 : most + 1])
    shares = special.compute_contributions()
    stand_outs = special.list_stand_outs(keys, count=WORST, rows=rows)
    return {
        "records": len(next(iter(keys.values()))),
        "known": [{"things": size, "found": int(count)} for size, count in enumerate(found, 1)],
        "shares": {name: float(share) for name, share in zip(keys, shares.tolist(), strict=True)},
        "stand_outs": [
            {
                "row": one.row + 1,
                "score": one.score,
                "sets": one.minimal,
                "values": dict(zip(one.columns, one.values, strict=True)),
            }
            for one in stand_outs
        ],
    }


def count_found_by_rows(people: ColumnCodes, rows: Columns, *, seed: Seed) -> Plain:
    """Return how many drawn people of a history are found for certain by one, two, three known rows of theirs.

    A person is found if nobody else has all the known rows. Whoever has fewer rows than are known is known whole.

    Args:
        people: whose each row is.
        rows: what is known of a row.
        seed: of the draws.
    """
    kinds = number_classes(list(rows.values()), len(people))
    owners = len(people.values)
    pairs = np.unique(kinds * owners + people.codes)  # who has a row of which kind, by kind
    starts = np.searchsorted(pairs, np.arange(int(kinds.max(initial=-1)) + 2) * owners)
    order = np.argsort(people.codes, kind="stable")
    begin = np.searchsorted(people.codes[order], np.arange(owners + 1))
    holders = np.flatnonzero(np.diff(begin))
    rng = seed.child("known rows").rng()
    drawn = np.sort(rng.permutation(holders)[:DRAWN])
    found = np.zeros(KNOWN, dtype=np.int64)
    for person in drawn.tolist():
        own = order[begin[person] : begin[person + 1]]
        known = kinds[rng.permutation(own)[:KNOWN]]
        found += [_is_alone(known[: count + 1], pairs, starts, owners) for count in range(KNOWN)]
    return {
        "people": len(holders),
        "drawn": len(drawn),
        "known": [{"rows": count, "found": int(number)} for count, number in enumerate(found.tolist(), 1)],
    }


def _is_alone(known: NDArray[np.int64], pairs: NDArray[np.int64], starts: NDArray[np.int64], owners: int) -> bool:
    """Tell whether only one person has rows of all these kinds."""
    kinds = known[np.argsort(starts[known + 1] - starts[known], kind="stable")]  # the rarest first
    people = pairs[starts[kinds[0]] : starts[kinds[0] + 1]] % owners
    for kind in kinds[1:].tolist():
        if len(people) == 1:
            return True
        wanted = kind * owners + people
        at = np.searchsorted(pairs, wanted)
        people = people[(at < len(pairs)) & (pairs[np.minimum(at, len(pairs) - 1)] == wanted)]
    return len(people) == 1


def draw_bins(values: pl.Series, counts: NDArray[np.int64], kind: Kind) -> list[int]:
    """Return the counts of a small picture of a column: at most twelve bins.

    Of numbers and dates the bins are of one width; of categories they are the values, the most frequent first, and of
    more than twelve values the mean of so many neighbours as one bin holds.

    Args:
        values: the distinct ones as texts, none of them missing.
        counts: how many rows have each.
        kind: of the values.
    """
    if not len(values):
        return []
    if kind.numeric:
        numbers = _read_places(values, kind)
        there = np.isfinite(numbers)
        if there.any():
            return np.histogram(numbers[there], bins=BINS, weights=counts[there])[0].astype(np.int64).tolist()
    often = np.sort(counts)[::-1]
    return [round(part.mean()) for part in np.array_split(often, min(BINS, len(often)))]


def _read_places(values: pl.Series, kind: Kind) -> NDArray[np.float64]:
    texts = values.str.strip_chars()
    if kind is Kind.DATE:
        days = texts.str.slice(0, 10).str.to_date(strict=False).cast(pl.Int32)
        return days.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return texts.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
