"""A random part of the records, of fixed size, in an order that reveals nothing.

Against whom: an adversary who knows only some of the records; his chance is bounded by :mod:`sekisho.safety.sampling`,
and is promised only if the unknown records are like those he knows. On a real file that is measured by an attack
(:mod:`sekisho.gate.records.known_part`). Against one who knows them all a sample promises nothing. With a seed the
sample depends on the records' ids, not on the order of their rows.

Source: Kikuchi, "How much can the sampling reduce the identification risk?", section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, SetCells
from sekisho.data.frame.dataset import Column, Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.microdata import CategoryCounts, compute_record_keys, count_categories
from sekisho.data.records.space import count_unique_records, require_one_row
from sekisho.data.shape import Abilities, Place, Reads, Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.drawn_release import DrawnRelease
from sekisho.protect.records.recoding.household_classes import number_households
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.planner import allot_sample
from sekisho.safety.sampling import (
    ASSUMPTION,
    SampleRisk,
    Size,
    Stratum,
    count_sample,
    read_share,
    stratified_chance,
    stratified_risk,
)
from sekisho.safety.transition import Replacement
from sekisho.seeds import RecordWords, Words, choose_words, describe_randomness
from sekisho.words import Said

WEIGHTS = "Draw from strata at rates in this proportion, a=2,b=1; the size from each is fixed."
NO_NUMBER = Said(
    "nothing is promised: no number of known records is given, and whoever knows them all finds the unique ones"
)


@runtime_checkable
class Drawn(Protocol):
    """Records that are drawn, wherever they are."""

    @property
    def mechanism(self) -> Mechanism:
        """What was done, which may be published."""
        ...

    @property
    def detail(self) -> Mapping[str, object]:
        """What is told of it, as plain data."""
        ...


@runtime_checkable
class DrawnSample(Drawn, Protocol):
    """What is known of a sample, wherever its records are."""

    @property
    def risk(self) -> SampleRisk | None:
        """Under the assumption of the model; None where no number of known records was given."""
        ...

    @property
    def known(self) -> int | None:
        """How many records the adversary is thought to know."""
        ...

    @property
    def uniques(self) -> int:
        """How many records of the original have values that nobody else has."""
        ...

    @property
    def promised(self) -> bool:
        """Whether the risk that was asked for is below 1 under the assumption; so it is where none was."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleRelease(DrawnRelease):
    """A plain sample and its risk.

    Attributes:
        risk: under the assumption of the model; None where no number of known records was given.
        known: how many records the adversary is thought to know; None where that was not given.
        uniques: how many records of the original have values that nobody else has.
    """

    risk: SampleRisk | None
    known: int | None
    uniques: int

    @property
    def promised(self) -> bool:
        """Tell whether the risk that was asked for is below 1 under the assumption.

        So it is where none was asked for.
        """
        return self.risk is None or self.risk.promised


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Sample:
    """Draw a fixed number of records, from the whole or from each stratum.

    Example: `sekisho protect sample adult.csv --size 10000 --known 3000 --out S.csv`

    Source: Kikuchi, "How much can the sampling reduce the identification risk?", section 4.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads=Reads.TEXTS, runs_on=frozenset({Place.MEMORY, Place.ENGINE}))

    size: Size = field(metadata={"help": "How many records are drawn, or which share of them, such as 1%."})
    strata: str = field(default="", metadata={"help": "Draw from each value of this column on its own."})
    allocation: Mapping[str, int] | None = field(
        default=None, metadata={"help": "How many from each stratum, a=10,b=20; else in proportion."}
    )
    weights: Mapping[str, Fraction] | None = field(default=None, metadata={"help": WEIGHTS})
    known: int | None = field(default=None, metadata={"help": "How many records the adversary is thought to know."})
    household: str = field(
        default="",
        metadata={"help": "The column that says who lives together: whole households are drawn, size counts them."},
    )

    def __post_init__(self) -> None:
        if self.household and (self.strata or self.known is not None):
            rule = Said("be given without strata and without a number of known records")
            raise ParameterError("household", rule, self.household)
        if not isinstance(self.size, int):
            read_share(self.size, name="size")
        check_strata(self.strata, self.allocation, self.weights)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> SampleRelease:
        """Return the release; its detail holds the risk if ``known`` is given."""
        columns = [column for column in require_categories(data) if column.name != self.household]
        homes = number_households(data, self.household) if self.household else None
        mechanism = self.settle(_count_units(data, self.household, homes))
        keys, words = compute_record_keys(data), choose_words(rng)
        if homes is None:
            order = draw_order(list_parts(mechanism), keys, words, find_parts(data, self.strata))
        else:
            order = draw_households(homes, mechanism.sample, keys, words)
        codes = {column.name: data.codes(column.name)[order] for column in columns}
        risk, uniques = self.judge(mechanism), count_unique_records(data)
        return SampleRelease(
            table=place_drawn_records(data, order, codes, mechanism.domains),
            deleted=mark_left_out(len(data), order),
            provenance=Provenance(name="sample", parameters=list_parameters(self)),
            detail=self.describe(mechanism, uniques, describe_randomness(rng)),
            order=order,
            mechanism=mechanism,
            risk=risk,
            known=self.known,
            uniques=uniques,
        )

    def settle(self, counts: CategoryCounts) -> Mechanism:
        """Return what is done to records of which so many bear each value."""
        size = count_sample(self.size, counts.records, name="size")
        parts = allot_strata(counts, self.strata, size, self.allocation, self.weights)
        domains = {name: counts.domain(name) for name in counts.names}
        return Mechanism(
            records=counts.records,
            sample=size,
            domains=domains,
            transitions={
                name: Replacement(values=len(domain), retention=Fraction(1)) for name, domain in domains.items()
            },
            stratum=self.strata,
            strata=parts if self.strata else (),
            households=bool(self.household),
        )

    def judge(self, mechanism: Mechanism) -> SampleRisk | None:
        """Return the risk; None where no number of known records is given."""
        return None if self.known is None else stratified_risk(self._list_known(mechanism, self.known))

    def describe(self, mechanism: Mechanism, uniques: int, randomness: str) -> dict[str, object]:
        """Return what is told of the release, as plain data."""
        risk = self.judge(mechanism)
        return {
            "records": mechanism.records,
            "sample": mechanism.sample,
            "risk": 1.0 if risk is None else float(risk.risk),
            "chance": 1.0 if risk is None else float(stratified_chance(self._list_known(mechanism, self.known or 0))),
            "risk_against": "whoever knows all records" if risk is None else f"whoever knows {self.known} records",
            "guaranteed": False,  # sampling alone promises under an assumption only
            "promise": NO_NUMBER if risk is None else risk.promise,
            "assumes": ASSUMPTION,
            "uniques": uniques,
            "gap": risk.gap and risk.gap.words if risk else Said("no number of known records is given"),
            "randomness": randomness,
            **({"unit": "household"} if mechanism.households else {}),
            **mechanism.measure_epsilon().to_dict(),
        }

    def _list_known(self, mechanism: Mechanism, known: int) -> list[Stratum]:
        # Those he knows may all lie in one stratum.
        return [
            Stratum(name=part.name, records=part.records, sample=part.sample, known=min(known, part.records))
            for part in list_parts(mechanism)
        ]


def require_categories(data: Dataset) -> tuple[Column, ...]:
    """Return the attributes, refusing numbers: what is drawn and changed here are categories."""
    require_one_row(data)
    numeric = [column.name for column in data.schema.attributes if column.kind.numeric]
    if numeric:
        raise ParameterError("columns", Said("be categories (code numbers into classes first)"), numeric)
    return data.schema.attributes


def check_strata(column: str, allocation: Mapping[str, int] | None, weights: Mapping[str, Fraction] | None) -> None:
    """Refuse sizes and weights of strata where there are none, and both at once."""
    for name, given in (("allocation", allocation), ("weights", weights)):
        if given is not None and not column:
            raise ParameterError(
                name, Said("be given together with strata"), {key: str(part) for key, part in given.items()}
            )
    if allocation is not None and weights is not None:
        raise ParameterError("weights", Said("not be given together with an allocation"), dict(allocation))


def allot_strata(
    counts: CategoryCounts,
    column: str,
    size: int,
    allocation: Mapping[str, int] | None = None,
    weights: Mapping[str, Fraction] | None = None,
) -> tuple[Stratum, ...]:
    """Return the parts to draw from: as many as are given, else in proportion to their records and weights."""
    if not column:
        return (Stratum(name="", records=counts.records, sample=size),)
    if column not in counts.names:
        raise ParameterError("column", Said("be one of {choices}", choices=", ".join(counts.names)), column)
    parts = [Stratum(name=name, records=count, sample=0) for name, count in counts.counts[column].items()]
    if allocation is None:
        return allot_sample(parts, size, weights)
    if set(allocation) != set(counts.domain(column)) or sum(allocation.values()) != size:
        raise ParameterError("allocation", Said("give every stratum its part of {size}", size=size), dict(allocation))
    return tuple(Stratum(name=part.name, records=part.records, sample=allocation[part.name]) for part in parts)


def list_parts(mechanism: Mechanism) -> tuple[Stratum, ...]:
    """Return the parts that are drawn from: the strata, or the whole."""
    return mechanism.strata or (Stratum(name="", records=mechanism.records, sample=mechanism.sample),)


def find_parts(data: Dataset, column: str) -> NDArray[np.int32] | None:
    """Return which stratum each record lies in; None where there are none."""
    return data.codes(column) if column else None


def draw_order(
    parts: Sequence[Stratum], keys: Words, words: RecordWords, part_codes: NDArray[np.int32] | None = None
) -> NDArray[np.intp]:
    """Return the rows that are drawn, in a random order, as many from each part as it says.

    One word says whether a record is drawn, another where it then stands: a place tells neither the row nor the part.

    Args:
        parts: how many records each has, and how many are drawn from it.
        keys: of the records.
        words: where the chance comes from.
        part_codes: which part each record lies in; None where there is one only.
    """
    chosen = _choose_rows(part_codes, parts, keys, words)
    return chosen[_sort_words(words.draw("place", keys[chosen]))]


def draw_households(homes: NDArray[np.int64], sample: int, keys: Words, words: RecordWords) -> NDArray[np.intp]:
    """Return the rows of whole households that are drawn, in a random order that tells nothing of who lives together.

    Args:
        homes: the household of each record, from 0.
        sample: how many households are drawn.
        keys: of the records; a household has the least of its members'.
        words: where the chance comes from.
    """
    own = np.full(int(homes.max()) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(own, homes, keys)
    drawn = np.zeros(len(own), dtype=np.bool_)
    drawn[_choose_rows(None, (Stratum(name="", records=len(own), sample=sample),), own, words)] = True
    chosen = np.flatnonzero(drawn[homes])
    return chosen[_sort_words(words.draw("place", keys[chosen]))]


def _count_units(data: Dataset, household: str, homes: NDArray[np.int64] | None) -> CategoryCounts:
    """Return how often each value stands in the file, and how many records, or households, there are."""
    counts = count_categories(data)
    if homes is None:
        return counts
    columns = {name: counts.counts[name] for name in counts.names if name != household}
    return CategoryCounts(records=int(homes.max()) + 1, counts=columns)


def _choose_rows(
    part_codes: NDArray[np.int32] | None, parts: Sequence[Stratum], keys: Words, words: RecordWords
) -> NDArray[np.intp]:
    """Return those with the smallest words of their part."""
    if all(part.sample == part.records for part in parts):
        return np.arange(len(keys), dtype=np.intp)
    word = words.draw("drawn", keys)
    if part_codes is None:
        return np.argpartition(word, parts[0].sample)[: parts[0].sample]
    order = _sort_words(word)
    grouped = order[np.argsort(part_codes[order], kind="stable")]
    starts = np.cumsum([0, *(part.records for part in parts)])
    return np.concatenate([grouped[start : start + part.sample] for start, part in zip(starts, parts, strict=False)])


def _sort_words(word: Words) -> NDArray[np.intp]:
    # Three times as fast as numpy's, and random words hardly tie (two of ten million with chance 3e-6).
    return pl.Series(word).arg_sort().to_numpy().astype(np.intp)


def mark_left_out(records: int, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the marks of the rows that were not drawn."""
    mask = np.ones(records, dtype=np.bool_)
    mask[order] = False
    return mask


def place_drawn_records(
    data: Dataset,
    order: NDArray[np.intp],
    codes: Mapping[str, NDArray[np.int32]],
    domains: Mapping[str, tuple[str, ...]],
) -> MaskedTable:
    """Return the drawn records in their original rows, all else suppressed.

    A column without codes is suppressed throughout.
    """
    absent = mark_left_out(len(data), order)
    offsets = np.concatenate([[0], np.cumsum(~absent)])
    nothing = np.ones(len(data), dtype=np.bool_)
    empty = np.zeros(len(data) + 1, dtype=np.int64)
    columns: dict[str, Cells] = {}
    for column in data.schema.attributes:
        name = column.name
        if name not in codes:
            columns[name] = SetCells(
                offsets=empty, codes=np.zeros(0, dtype=np.int32), suppressed=nothing, domain=data.domain(name)
            )
            continue
        placed = np.empty(len(order), dtype=np.int32)
        placed[offsets[order]] = codes[name]
        columns[name] = SetCells(offsets=offsets, codes=placed, suppressed=absent, domain=domains[name])
    return MaskedTable(schema=data.schema, columns=columns)
