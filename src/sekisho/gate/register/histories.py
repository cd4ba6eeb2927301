"""Histories beside their register: months under pseudonyms that stay are read together, months drawn anew apart.

Where pseudonyms stay, a customer's candidates are the pseudonyms that fit him in every month, and being there is a key
(:mod:`sekisho.attack.history.composition`). Of an earlier month the register has, beside each customer's digest, the
pseudonyms that fitted him then: neither his rows nor his name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sekisho.attack.history.composition import HistoryComposition, HistoryMonth, compose_months, fit_month
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.data.frame.release import Release
from sekisho.data.history.arrays import find_owners
from sekisho.errors import ParameterError
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Attempt, Candidate
from sekisho.gate.output_files import OutputFiles
from sekisho.gate.recipes.register import Pseudonyms, RegisterRules
from sekisho.gate.register.book import Register, pack_people
from sekisho.gate.register.entries import Binding, RegisterEntry, ReleasedColumns, Together
from sekisho.gate.register.key import RegisterKey
from sekisho.gate.register.likeness import (
    SpelledPeople,
    list_alike_populations,
    list_other_populations,
    list_unknown_people,
    pack_digests,
)
from sekisho.gate.register.session import JointStanding, list_population
from sekisho.words import Said

AGAINST = "rule, one"
LEAST = 2
"""Nobody may stand alone."""
UNLINKED = Said("nobody links pseudonyms of two releases by what is known of customers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierMonth:
    """A release that has left.

    Attributes:
        entry: what the register says of it.
        digests: of its customers.
        person: of each pair that fits, the place of the customer.
        pseudonym: of each such pair, the pseudonym.
    """

    entry: RegisterEntry
    digests: tuple[bytes, ...]
    person: NDArray[np.int64]
    pseudonym: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class RegisteredHistory:
    """A history, and what left of the same customers before.

    Attributes:
        stage: the history of this month.
        digests: by customer, as the original writes him.
        earlier: the months that are under the same pseudonyms; none where these are drawn anew.
        apart: the months of the same customers that nothing links to this one, for pseudonyms are drawn anew.
        alike: what looks like customers who left before though nothing matches.
    """

    stage: HistoryStage
    digests: Mapping[str, bytes]
    earlier: tuple[EarlierMonth, ...]
    apart: tuple[int, ...] = ()
    alike: tuple[Said, ...] = ()

    @classmethod
    def open(cls, stage: HistoryStage, register: Register, key: RegisterKey, rules: RegisterRules) -> Self:
        """Return the history of a stage beside a register.

        Raises:
            InputError: who was in an earlier month cannot be read.
        """
        names = sort_known(stage.original).customers
        customers = SpelledPeople.of(key, register, names, fold=rules.fold_case)
        entries = list_population(register, rules, stage.shape)
        stay = rules.pseudonyms is Pseudonyms.STAY
        earlier = tuple(_read_month(register, entry) for entry in entries) if stay else ()
        alike = [*list_alike_populations(register, rules, stage.shape)]
        if rules.fold_case:
            earlier = tuple(replace(month, digests=customers.rename_customers(month.digests)) for month in earlier)
        for month in earlier:
            digests = pack_digests(month.digests)
            alike += list_unknown_people(digests, month.entry.number, customers, alike=None, fold=rules.fold_case)
        alike += list_other_populations(register, rules, stage.shape, customers)
        return cls(
            stage=stage,
            digests=dict(zip(names, key.digest(register.head.number, names, fold=rules.fold_case), strict=True)),
            earlier=earlier,
            apart=() if stay else tuple(entry.number for entry in entries),
            alike=tuple(alike),
        )

    @property
    def binding(self) -> Binding:
        """By digests: a history says whose each row is."""
        return Binding.KEYED

    @property
    def columns(self) -> ReleasedColumns:
        """What the columns are: all of them may be known."""
        return ReleasedColumns(keys=tuple(column.name for column in self.stage.original.schema.attributes))

    def list_trees(self, label: str) -> dict[str, bytes]:
        """Return nothing: histories are written in ranges and sets."""
        del label
        return {}

    def stand(self, release: Release) -> JointStanding:
        """Return how a candidate stands together with the months before it."""
        if bool(release.deleted.all()):
            return JointStanding(figures=Together(against=AGAINST))
        composed = self._compose(release)
        counts, here = composed.candidates, composed.alone[-1] > 0
        alone = np.min(
            [np.where(month > 0, month, np.iinfo(np.int64).max) for month in composed.alone], axis=0
        )  # whoever is no longer there is asked about as well
        figures = Together(
            least_alone=int(composed.alone[-1][here].min(initial=len(here))),
            least_joint=int(counts[counts > 0].min(initial=len(counts))),
            against=AGAINST,
            linked=tuple(month.entry.number for month in self.earlier),
        )
        if self.apart:
            apart = ", ".join(map(str, self.apart))
            doubt = Said(
                "release {releases} is not considered: pseudonyms are drawn anew, so nothing links its customers to "
                "those of this release",
                releases=apart,
            )
            return JointStanding(figures=figures, doubts=(doubt,), told=doubt, assumes=UNLINKED)
        if not self.earlier:
            return JointStanding(figures=figures)
        fresh = int(((counts > 0) & (counts < LEAST) & (alone >= LEAST)).sum())
        lost = int((here & (counts == 0)).sum())
        months = ", ".join(map(str, figures.linked))
        return JointStanding(
            figures=figures,
            unsafe=_tell_unsafe(fresh, months) if fresh else "",
            doubts=(_tell_lost(lost),) if lost else (),
            told=Said(
                "with release {releases}, whose pseudonyms stay, a customer of any of them has at least {joint} "
                "{joint:candidate|candidates}, {alone} alone",
                releases=months,
                joint=figures.least_joint,
                alone=figures.least_alone,
            ),
        )

    def list_people(self, best: Candidate[Attempt], files: OutputFiles) -> tuple[bytes, int]:
        """Return who is in the release: beside each digest the pseudonyms that fit, his own marked."""
        del files
        release = best.release
        if not isinstance(release, Release):
            raise ParameterError("release", Said("be of a history"), type(release).__name__)
        month = self._show(release)
        names = sort_known(self.stage.original).customers
        pseudonyms = sort_published(month.release, month.knowledge).pseudonyms
        people, columns = csr_array(fit_month(month, names, pseudonyms)).nonzero()
        own = self._find_own(release)
        listed = [names[at] for at in people.tolist()]
        codes = pseudonyms[columns]
        frame = pl.DataFrame(
            {
                "person": pl.Series([self.digests[name] for name in listed], dtype=pl.Binary),
                "class": codes,
                "own": [own.get(name) == code for name, code in zip(listed, codes.tolist(), strict=True)],
            }
        )
        return pack_people(frame), len(own)

    def list_known(self, content: bytes, name: str) -> tuple[bytes, int]:
        """Refuse: of a history made elsewhere it is not known whose which pseudonym is.

        Raises:
            ParameterError: always.
        """
        del content
        raise ParameterError("--published", Said("be of records: a history is entered by the gate"), name)

    def _show(self, release: Release) -> HistoryMonth:
        return HistoryMonth(release=release.table.take(~release.deleted), knowledge=self.stage.original)

    def _find_own(self, release: Release) -> dict[str, int]:
        """Return by customer his own pseudonym."""
        owner, names = find_owners(self.stage.original)
        kept = ~release.deleted
        codes = np.asarray(release.table.pseudonym)[kept].tolist()
        return {names[at]: int(code) for at, code in zip(owner[kept].tolist(), codes, strict=True)}

    def _compose(self, release: Release) -> HistoryComposition:
        month = self._show(release)
        names = sort_known(self.stage.original).customers
        everybody = list(dict.fromkeys([*(self.digests[name] for name in names), *self._list_others()]))
        shown = sort_published(month.release, month.knowledge).pseudonyms
        pseudonyms = np.unique(np.concatenate([shown, *(each.pseudonym for each in self.earlier)]))
        now = fit_month(month, names, shown)
        place = {digest: at for at, digest in enumerate(everybody)}
        mine = np.array([place[self.digests[name]] for name in names], dtype=np.int64)
        people, columns = csr_array(now).nonzero()
        fits = [
            _spread(
                np.array([place[digest] for digest in each.digests], dtype=np.int64)[each.person],
                np.searchsorted(pseudonyms, each.pseudonym),
                (len(everybody), len(pseudonyms)),
            )
            for each in self.earlier
        ]
        fits.append(
            _spread(mine[people], np.searchsorted(pseudonyms, shown[columns]), (len(everybody), len(pseudonyms)))
        )
        there = [np.isin(np.arange(len(everybody)), [place[one] for one in each.digests]) for each in self.earlier]
        there.append(np.arange(len(everybody)) < len(names))
        return compose_months(fits, [list(range(len(fits)))], there=there)

    def _list_others(self) -> Sequence[bytes]:
        return [digest for each in self.earlier for digest in each.digests]


def _spread(line: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """Return who fits whom in a month; whoever is not there fits every pseudonym that is not."""
    absent = np.setdiff1d(np.arange(shape[0]), line)
    unused = np.setdiff1d(np.arange(shape[1]), column)
    lines = np.concatenate([line, np.repeat(absent, len(unused))])
    columns = np.concatenate([column, np.tile(unused, len(absent))])
    return csr_array(coo_array((np.ones(len(lines), dtype=np.bool_), (lines, columns)), shape=shape))


def _read_month(register: Register, entry: RegisterEntry) -> EarlierMonth:
    frame = register.read_people(entry).sort("person", "class")
    digests = frame["person"].unique(maintain_order=True)
    places = pl.DataFrame({"person": digests, "place": np.arange(len(digests))})
    joined = frame.join(places, on="person", how="left", maintain_order="left")
    return EarlierMonth(
        entry=entry,
        digests=tuple(digests.to_list()),
        person=joined["place"].to_numpy().astype(np.int64),
        pseudonym=joined["class"].to_numpy().astype(np.int64),
    )


def _tell_unsafe(fresh: int, months: str) -> Said:
    return Said(
        "safe alone, unsafe together: {people:,} {people:customer stands|customers stand} alone once "
        "release {releases} is read beside it, for their pseudonyms stay",
        people=fresh,
        releases=months,
    )


def _tell_lost(lost: int) -> Said:
    return Said(
        "{people:,} customers have no candidate: rows were deleted or changed, or pseudonyms do not stay", people=lost
    )
