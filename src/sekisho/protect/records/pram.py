"""Change values by chance, draw some records, shuffle: PRAM and sampling with a promise.

Against whom: anybody, even one who knows the whole original table and the matrices. No released record is tied to a
person with a chance above 1/k (Pk-anonymity, :mod:`sekisho.safety.pram`). The release carries its promise.

Source: Kikuchi, "How much can the sampling reduce the identification risk?", section 5; PRAM: Kooiman, Willenborg,
Gouweleeuw, CBS 1997; invariant PRAM: Gouweleeuw, Kooiman, Willenborg, de Wolf, Journal of Official Statistics 14
(1998).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.microdata import CategoryCounts, compute_record_keys, count_categories, read_microdata
from sekisho.data.shape import Abilities, Place, Reads, Shape
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.draw import ColumnWords, draw_codes, prepare_draw
from sekisho.protect.records.drawn_release import DrawnRelease
from sekisho.protect.records.recoding.household_classes import number_households
from sekisho.protect.records.sample import (
    WEIGHTS,
    Drawn,
    allot_strata,
    check_strata,
    draw_order,
    find_parts,
    list_parts,
    mark_left_out,
    place_drawn_records,
    require_categories,
)
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.household_pram import HouseholdUnits
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.planner import Attribute, PramPlanner
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import Size, Stratum, count_sample, read_share
from sekisho.safety.transition import Matrix, Transition
from sekisho.safety.usefulness import judge_mechanism
from sekisho.seeds import Words, choose_words, describe_randomness
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledMatrix:
    """A matrix and the values that its rows and columns stand for."""

    values: tuple[str, ...]
    matrix: Matrix

    def __post_init__(self) -> None:
        if len(set(self.values)) < len(self.values):
            raise ParameterError(Said("labels of a matrix"), Said("be distinct"), self.values)


@runtime_checkable
class ChangedByChance(Drawn, Protocol):
    """Records that are changed by chance, wherever they are."""

    @property
    def guarantee(self) -> PkFinding:
        """What is promised of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PramRelease(DrawnRelease):
    """A release and what it promises."""

    guarantee: PkFinding


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Pram:
    """Change every attribute by chance, then draw records, then shuffle; the release carries its k.

    Either the k to keep is given, and as much is retained as that allows; or the retention; or matrices. What is
    released is changed: only the column of the strata stays as it is, or is left out.

    Example: `sekisho protect pram adult.csv --columns sex,race --k 5 --sample 10000 --out R.csv --report R.html`

    Source: Kikuchi, "How much can the sampling reduce the identification risk?", theorem 5.1.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads=Reads.TEXTS, runs_on=frozenset({Place.MEMORY, Place.ENGINE}))

    k: Fraction | None = field(default=None, metadata={"help": "The k to keep; the retention follows from it."})
    retention: Fraction | None = field(default=None, metadata={"help": "Chance that a value is kept."})
    sample: Size | None = field(
        default=None, metadata={"help": "How many records are drawn, or which share of them, such as 1%; else all."}
    )
    invariant: bool = field(
        default=False, metadata={"help": "Draw new values with the data's own shares, which then stay in expectation."}
    )
    matrices: Mapping[str, Path | LabelledMatrix] | None = field(
        default=None,
        metadata={"help": "Attributes with a matrix of their own: name=FILE.csv, labelled rows and columns."},
    )
    strata: str = field(default="", metadata={"help": "Draw from each value of this column; it is not changed."})
    allocation: Mapping[str, int] | None = field(
        default=None, metadata={"help": "How many from each stratum, a=10,b=20; else in proportion."}
    )
    weights: Mapping[str, Fraction] | None = field(default=None, metadata={"help": WEIGHTS})
    hide_strata: bool = field(default=False, metadata={"help": "Leave the column of the strata out of the release."})
    household: str = field(
        default="",
        metadata={
            "help": "The column that says who lives together: what all members share is changed once a household, and "
            "k and epsilon are of households. As the schema says if not given."
        },
    )

    def __post_init__(self) -> None:
        if self.sample is not None and not isinstance(self.sample, int):
            read_share(self.sample)
        if self.k is not None and (self.retention is not None or self.matrices):
            raise ParameterError("k", Said("be given without retention and matrices, or not at all"), str(self.k))
        if self.k is None and self.retention is None and not self.matrices:
            raise ParameterError("k", Said("be given, or a retention, or matrices"), None)
        if self.k is not None and self.k <= 1:
            raise ParameterError("k", Said("be above 1"), str(self.k))
        if self.retention is not None and not 0 <= self.retention <= 1:
            raise ParameterError("retention", Said("lie between 0 and 1"), str(self.retention))
        check_strata(self.strata, self.allocation, self.weights)
        if self.household:
            self._refuse_drawing(self.household)

    def _refuse_drawing(self, household: str) -> None:
        if self.sample is not None or self.strata:
            rule = Said("be given without a sample and without strata: k is then of households")
            raise ParameterError("household", rule, household)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> PramRelease:
        """Return the release with its promise.

        Raises:
            InfeasibleError: no retention keeps the wanted k.
        """
        require_categories(data)
        homes = SharedColumns.find(data, self.household or data.schema.household)
        if homes.units is not None:
            self._refuse_drawing(homes.household)
        mechanism = self.settle(homes.count_others(data), homes.units)
        keys, words = compute_record_keys(data), choose_words(rng)
        order = draw_order(list_parts(mechanism), keys, words, find_parts(data, self.strata))
        own = {name: homes.share_keys(keys)[order] for name in (() if homes.units is None else homes.units.shared)}
        drawn_keys = keys[order]
        codes = {
            name: draw_codes(
                _place_codes(data, name, mechanism, order),
                own.get(name, drawn_keys),
                prepare_draw(transition),
                words=ColumnWords(words=words, place=place),
            )
            for place, (name, transition) in enumerate(mechanism.transitions.items())
        }
        shown = {} if not self.strata or self.hide_strata else {self.strata: data.codes(self.strata)[order]}
        domains = {**mechanism.domains, **{name: data.domain(name) for name in shown}}
        return PramRelease(
            table=place_drawn_records(data, order, codes | shown, domains),
            deleted=mark_left_out(len(data), order),
            provenance=Provenance(name="pram", parameters=list_parameters(self)),
            detail=self.describe(mechanism, describe_randomness(rng)),
            order=order,
            mechanism=mechanism,
            guarantee=mechanism.finding(),
        )

    def describe(self, mechanism: Mechanism, randomness: str) -> dict[str, object]:
        """Return what is told of the release, as plain data."""
        kept = {name: getattr(each, "retention", None) for name, each in mechanism.transitions.items()}
        only = set(kept.values())
        single = only.pop() if len(only) == 1 else None
        review = judge_mechanism(mechanism.records, mechanism.transitions)
        return {
            **mechanism.finding().as_dict(),
            "wanted_k": None if self.k is None else float(self.k),
            "retention": None if single is None else float(single),
            "records": mechanism.records,
            "sample": mechanism.sample,
            "randomness": randomness,
            "useful": not review.noisy,
            "noisy": list(review.noisy),
            "identifying": list(review.names),
            **mechanism.measure_epsilon().to_dict(),
        }

    def settle(self, counts: CategoryCounts, units: HouseholdUnits | None = None) -> Mechanism:
        """Return what is done to records of which so many bear each value, and who may live together.

        Raises:
            InfeasibleError: no retention keeps the wanted k.
        """
        names = [name for name in counts.names if name != self.strata]
        if not names:
            raise ParameterError("columns", Said("hold an attribute beside the strata"), counts.names)
        size = counts.records if self.sample is None else count_sample(self.sample, counts.records)
        parts = allot_strata(counts, self.strata, size, self.allocation, self.weights)
        own = {name: _load_matrix(name, source) for name, source in (self.matrices or {}).items()}
        strangers = [name for name in own if name not in names]
        if strangers:
            raise ParameterError("matrices", Said("be of {solvers}", solvers=", ".join(names)), strangers)
        attributes = {name: self._describe_attribute(counts, name) for name in names if name not in own}
        retention = self._settle_retention(attributes, parts, units)
        transitions: dict[str, Transition] = {
            name: self._settle_matrix(counts, name, own[name]) if name in own else attributes[name].at(retention)
            for name in names
        }
        return Mechanism(
            records=counts.records,
            sample=size,
            domains={name: own[name].values if name in own else counts.domain(name) for name in names},
            transitions=transitions,
            stratum=self.strata,
            strata=parts if self.strata else (),
            visible=not self.hide_strata,
            from_data=tuple(names) if self.invariant else (),
            units=units,
        )

    def _settle_retention(
        self, attributes: Mapping[str, Attribute], parts: Sequence[Stratum], units: HouseholdUnits | None
    ) -> Fraction:
        if self.k is None:
            if attributes and self.retention is None:
                raise ParameterError(
                    "retention",
                    Said("be given for {attributes}, which have no matrix", attributes=", ".join(attributes)),
                    None,
                )
            return self.retention or Fraction(0)
        sizes = [(part.records, part.sample) for part in parts if part.sample]
        planner = PramPlanner(attributes=attributes)
        wanted = self.k
        retention = planner.largest_retention(wanted, sizes) if units is None else units.find_retention(planner, wanted)
        if retention == 0:
            raise InfeasibleError(Said("only pure noise (retention 0) keeps k at {k:g}", k=float(self.k)))
        return retention

    def _describe_attribute(self, counts: CategoryCounts, name: str) -> Attribute:
        shares = tuple(counts.shares(name).values()) if self.invariant else None
        return Attribute(values=len(counts.domain(name)), shares=shares)

    def _settle_matrix(self, counts: CategoryCounts, name: str, own: LabelledMatrix) -> Matrix:
        unknown = [value for value in counts.domain(name) if value not in own.values]
        if unknown:
            raise ParameterError(Said("matrix of {name}", name=name), Said("have a row for every value"), unknown)
        if not self.invariant:
            return own.matrix
        shares = counts.shares(name)
        return own.matrix.make_invariant([shares.get(value, Fraction(0)) for value in own.values])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedColumns:
    """Who lives together, and what all members of every household share.

    Attributes:
        household: the column that says it; empty if there is none.
        homes: the household of each record, from 0.
        units: households as units of chance; None where they share no column, so that records are units.
    """

    household: str
    homes: NDArray[np.int64]
    units: HouseholdUnits | None

    @classmethod
    def find(cls, data: Dataset, household: str) -> SharedColumns:
        """Find the columns of which everybody has what his household has."""
        if not household:
            return cls(household="", homes=np.arange(len(data)), units=None)
        homes = number_households(data, household)
        first = np.unique(homes, return_index=True)[1]
        shared = tuple(
            each.name
            for each in data.schema.attributes
            if each.name != household
            and len(data.domain(each.name)) > 1
            and np.array_equal(data.codes(each.name), data.codes(each.name)[first][homes])
        )
        members, households = np.unique(np.bincount(homes), return_counts=True)
        sizes = dict(zip(members.tolist(), households.tolist(), strict=True))
        units = HouseholdUnits(shared=shared, sizes=sizes) if shared and len(first) < len(data) else None
        return cls(household=household, homes=homes, units=units)

    def count_others(self, data: Dataset) -> CategoryCounts:
        """Return how often each value stands in the file; the column that says who lives together never leaves."""
        counts = count_categories(data)
        columns = {name: counts.counts[name] for name in counts.names if name != self.household}
        return CategoryCounts(records=counts.records, counts=columns)

    def share_keys(self, keys: Words) -> Words:
        """Return for each record the key of its household, the least of its members'."""
        own = np.full(int(self.homes.max(initial=0)) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
        np.minimum.at(own, self.homes, keys)
        return own[self.homes]


def _place_codes(data: Dataset, name: str, mechanism: Mechanism, order: NDArray[np.intp]) -> NDArray[np.int32]:
    codes, values = data.codes(name)[order], mechanism.domains[name]
    if values == data.domain(name):
        return codes
    places = {value: place for place, value in enumerate(values)}
    return np.array([places[value] for value in data.domain(name)], dtype=np.int32)[codes]


def _load_matrix(name: str, source: Path | LabelledMatrix | str) -> LabelledMatrix:
    return source if isinstance(source, LabelledMatrix) else read_matrix(Path(source), name)


def read_matrix(path: Path, name: str) -> LabelledMatrix:
    """Read a matrix: a header of values, then a line per value, its name first, then its chances (0.25 or 1/4)."""
    frame = read_microdata(path, form=CsvForm(header=True)).data.frame
    if frame.width < 2:
        raise InputError(
            path, Said("is no square matrix of {name}: it has {width} columns", name=name, width=frame.width)
        )
    rows, columns = tuple(frame.to_series(0).to_list()), tuple(frame.columns[1:])
    if set(rows) != set(columns) or len(rows) != len(columns):
        raise InputError(
            path,
            Said(
                "is no square matrix of {name}: rows {rows}; columns {columns}",
                name=name,
                rows=", ".join(rows),
                columns=", ".join(columns),
            ),
        )
    entries = frame[list(rows)].rows()  # by exact names: a value may be called *
    exact = any("/" in cell for row in entries for cell in row)
    return LabelledMatrix(
        values=rows, matrix=Matrix(rows=[[cell if exact else _decimal(cell, path) for cell in row] for row in entries])
    )


def _decimal(cell: str, path: Path) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise InputError(path, Said("holds {text!r}, which is no number", text=cell)) from error
