"""Targeted record swapping: records that are rare where they live change places with like ones that live elsewhere.

1. The geography is a list of columns, the coarsest first. A record is at risk on a level if fewer than k records share
  its
   geography down to that level and its risk keys.
2. Level by level, the coarsest first, every record at risk that has not been swapped, in a random order, changes its
  whole
   geography with a record that has not been swapped, has the same values in the similar columns and lives elsewhere on
   that level: one at risk where there is one, else any, at random.
3. Where fewer than the asked share of all records have then been swapped, records drawn at random change with such
   partners, elsewhere on the finest level.

With ``household`` whole households change places: with one of as many members, alike in the similar columns member by
member; one is at risk if a member is.

Against whom: one who finds a record that is rare in its place and concludes that it is the person who lives there.
Nothing provable is promised: who was swapped is hidden by chance only, and a record at risk without a partner stays
(``stayed``). The table of geography by similar columns stays as it was.

Source: Shlomo, Tudor, Groom, "Data swapping for protecting census tables", PSD 2010; Dalenius, Reiss, "Data-swapping: a
technique for disclosure control", JSPI 6, 1982; the function recordSwap of sdcMicro (here one list of similar columns,
no weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.protect.records.recoding.household_classes import number_households
from sekisho.protect.records.record_release import ReleaseMaker, build_record_release
from sekisho.safety.records.households import number_patterns
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordSwap:
    """Let records that are rare in their place change places with like ones elsewhere (targeted record swapping).

    The table of geography by similar columns stays as it was; nothing provable is promised.

    Example: `sekisho protect recordswap people.csv --geography region,town --similar age,size --k 3 --out R.csv`

    Source: Shlomo, Tudor, Groom, PSD 2010; recordSwap of sdcMicro.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    geography: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that change places, the coarsest first: region,town."}
    )
    similar: tuple[str, ...] = field(default=(), metadata={"help": "Columns in which partners are equal, a,b."})
    risk: tuple[str, ...] = field(
        default=(), metadata={"help": "Columns that make a record rare; all other quasi-identifiers if none."}
    )
    k: int = field(default=3, metadata={"help": "A record is at risk where fewer than k share place and risk columns."})
    rate: float = field(default=0.0, metadata={"help": "Least share of all records that is swapped."})
    household: str = field(
        default="",
        metadata={"help": "The column that says who lives together: whole households change places, with ones alike."},
    )

    def __post_init__(self) -> None:
        if not self.geography:
            raise ParameterError("geography", Said("name at least one column"), "none", hint="region,town")
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        if not 0 <= self.rate <= 1:
            raise ParameterError("rate", Said("lie between 0 and 1"), self.rate)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the swapped records; none is deleted.

        Raises:
            FaultsError: columns are unknown, the identifier, or in two lists; all at once.
        """
        require_one_row(data)
        places = self.geography
        risky_keys = self.risk or tuple(name for name in data.schema.with_role(Role.QUASI) if name not in places)
        _refuse_misuse(data, {"geography": places, "similar": self.similar, "risk": self.risk})
        units = _Units.of(data, self.household, places)
        profile = units.join(_number_rows(data, self.similar))
        source, at_risk = np.arange(len(units)), np.zeros(len(units), dtype=np.bool_)
        for level in range(1, len(places) + 1):
            rare = units.mark(_count_alike(data, (*places[:level], *risky_keys)) < self.k)
            at_risk |= rare
            place = _number_rows(data, places[:level])[units.first]
            _swap(source, np.flatnonzero(rare), at_risk, profile, place, rng)
        stayed = int((at_risk & (source == np.arange(len(units)))).sum())
        asked = ceil(self.rate * len(units))
        _swap_more(source, profile, _number_rows(data, places)[units.first], asked, rng)
        columns: dict[str, Cells] = dict(exact_table(data).columns)
        for name in places:
            columns[name] = columns[name].take(units.first[source][units.owner].astype(np.intp))
        if self.household in columns:
            columns[self.household] = columns[self.household].suppress(np.ones(len(data), dtype=np.bool_))
        moved = int((source != np.arange(len(units))).sum())
        warnings = [Said("records at risk that have no partner and stay: {stayed:,}", stayed=stayed)] if stayed else []
        warnings += (
            [Said("{moved:,} records were swapped, fewer than the {asked:,} asked for", moved=moved, asked=asked)]
            if moved < asked
            else []
        )
        detail = {
            "at_risk": int(at_risk.sum()),
            "stayed": stayed,
            "swapped": moved,
            "records": len(data),
            **({"households": len(units)} if self.household else {}),
            "warnings": warnings,
        }
        table = MaskedTable(schema=data.schema, columns=columns)
        return build_record_release(
            table, np.zeros(len(data), dtype=np.bool_), ReleaseMaker("recordswap", self, detail)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Units:
    """What changes places: records, or the households that they belong to.

    Attributes:
        owner: the unit of each record.
        first: a record of each unit.
    """

    owner: NDArray[np.int64]
    first: NDArray[np.int64]

    @classmethod
    def of(cls, data: Dataset, household: str, places: Sequence[str]) -> _Units:
        """Return the units.

        Raises:
            ParameterError: somebody lives elsewhere than those whom he lives with.
        """
        if not household:
            return cls(owner=np.arange(len(data)), first=np.arange(len(data)))
        owner = number_households(data, household)
        first = np.unique(owner, return_index=True)[1].astype(np.int64)
        place = _number_rows(data, places)
        strange = np.flatnonzero(place != place[first][owner])
        if len(strange):
            rule = Said("be the same for all who live together (row {row} differs)", row=int(strange[0]) + 1)
            raise ParameterError("geography", rule, ", ".join(places))
        return cls(owner=owner, first=first)

    def __len__(self) -> int:
        return len(self.first)

    def join(self, profile: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the profile of each unit: of a household all its members', in any order."""
        return profile if len(self) == len(self.owner) else number_patterns(self.owner, profile)

    def mark(self, records: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the units some record of which is marked."""
        marks = np.zeros(len(self), dtype=np.bool_)
        marks[self.owner[records]] = True
        return marks


def _refuse_misuse(data: Dataset, lists: dict[str, Sequence[str]]) -> None:
    faults: list[Fault] = []
    for option, names in lists.items():
        for name in dict.fromkeys(names):
            reason = ""
            if name not in data.schema.names:
                reason = Said("{name} is no column; there are {names}", name=name, names=", ".join(data.schema.names))
            elif data.schema[name].role is Role.IDENTIFIER:
                reason = Said("{name} is the identifier, which is left out of the release", name=name)
            elif option != "geography" and name in lists["geography"]:
                reason = Said("{name} is in the geography as well", name=name)
            elif list(names).count(name) > 1:
                reason = Said("{name} is named twice", name=name)
            if reason:
                faults.append(Fault(row=0, column=f"--{option}", rule=option, value=name, message=reason))
    if faults:
        raise FaultsError(Said("options"), faults)


def _number_rows(data: Dataset, names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each row, the same for rows that are equal in some columns; missing equals missing."""
    if not names:
        return np.zeros(len(data), dtype=np.int64)
    return (
        data.frame.select(pl.struct(list(names)).rank("dense").alias("number"))["number"].to_numpy().astype(np.int64)
        - 1
    )


def _count_alike(data: Dataset, names: Sequence[str]) -> NDArray[np.int64]:
    number = _number_rows(data, names)
    return np.bincount(number, minlength=1)[number]


def _swap(
    source: NDArray[np.int64],
    asking: NDArray[np.intp],
    wanted: NDArray[np.bool_],
    profile: NDArray[np.int64],
    place: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Swap those who ask, in a random order, with partners of their profile elsewhere, wanted ones first."""
    order = np.lexsort((rng.random(len(source)), ~wanted, profile)).astype(np.int64)
    starts = np.searchsorted(profile[order], np.arange(int(profile.max(initial=0)) + 2)).astype(np.int64)
    _swap_in_order(source, rng.permutation(asking).astype(np.int64), order, starts, profile, place, len(source))


def _swap_more(
    source: NDArray[np.int64],
    profile: NDArray[np.int64],
    place: NDArray[np.int64],
    asked: int,
    rng: np.random.Generator,
) -> None:
    """Swap records drawn at random until so many are swapped."""
    missing = asked - int((source != np.arange(len(source))).sum())
    if missing <= 0:
        return
    order = np.lexsort((rng.random(len(source)), profile)).astype(np.int64)
    starts = np.searchsorted(profile[order], np.arange(int(profile.max(initial=0)) + 2)).astype(np.int64)
    asking = rng.permutation(len(source)).astype(np.int64)
    _swap_in_order(source, asking, order, starts, profile, place, -(-missing // 2))


@njit(cache=True, nogil=True)
def _swap_in_order(
    source: NDArray[np.int64],
    asking: NDArray[np.int64],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    profile: NDArray[np.int64],
    place: NDArray[np.int64],
    most: int,
) -> None:
    """Swap each that asks with the first free record of its profile that is elsewhere; at most so many pairs."""
    pairs = 0
    for record in asking:
        if pairs >= most:
            return
        if source[record] != record:
            continue
        for at in range(starts[profile[record]], starts[profile[record] + 1]):
            other = order[at]
            if source[other] == other and place[other] != place[record]:
                source[record], source[other] = other, record
                pairs += 1
                break
