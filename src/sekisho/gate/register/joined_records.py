"""Releases of records attacked together with those that left before, as the register knows them.

Counted is what is still possible for one who knows the keys of the person he looks for and which releases the person is
in (``one``), and for one who knows the classes as well (``own``); the smaller of the two counts
(:mod:`sekisho.safety.records.joint`). People are known again by their digests. Where they cannot be, everybody counts
as being in every earlier release of the population whose cells admit his keys of today.

On request those whose candidates would fall below k are left out, and again those who fall because of that, until
nobody does or more are left out than the holder allows; who lives together is left out together, and so are classes of
fewer than k that this leaves. Whoever is left out is not in the release, and keeps the candidates that he had; whoever
is in it keeps k, which the gate counts again. The promise is against one who knows who is in which release (``rule``,
``one``). Against one who knows in addition that somebody was there and was left out for this reason (``least``) nothing
is promised: that he was few among the earlier candidates is what it tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.files.layout import HasLayout
from sekisho.data.frame.dataset import Dataset, encode_texts
from sekisho.data.frame.release import Release
from sekisho.data.trees.tree_files import read_tree
from sekisho.gate.records.together.earlier_releases import assume_presence, read_earlier_release
from sekisho.gate.register.book import Register
from sekisho.gate.register.entries import Binding, RegisterEntry
from sekisho.gate.register.key import DIGEST_BYTES
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import SampleRelease
from sekisho.safety.records.joint.candidates import JointCandidates, JointReleases
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses, KnownPeople, bind_people

MOST_ROUNDS = 20
"""So often those whose candidates fall are left out; each time everybody is counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedPeople:
    """Who is in a release, and where.

    Attributes:
        digests: of the people, each once; None where they are not bound.
        fits: the classes whose cells admit the keys of each.
        own: the class in which each truly is; None where nobody says it.
        origin: of each the record of the original; empty of a release that left before.
    """

    digests: NDArray[np.bytes_] | None
    fits: FittingClasses
    own: FittingClasses | None
    origin: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def as_frame(self) -> pl.DataFrame:
        """Return it as a register keeps it: a line for each person and class that fits, or that is his own."""
        owner = np.repeat(np.arange(len(self.fits)), np.diff(self.fits.first))
        true = np.full(len(self.fits), -1, dtype=np.int64)
        if self.own is not None:
            true[self.own.present] = self.own.classes
        mine = true[owner] == self.fits.classes
        strange = true >= 0  # a cell of his own row does not admit his value
        strange[owner[mine]] = False
        listed = np.concatenate([owner, np.flatnonzero(strange)])
        raw = b"" if self.digests is None else self.digests.tobytes()
        persons = pl.Series([raw[at : at + DIGEST_BYTES] for at in range(0, len(raw), DIGEST_BYTES)], dtype=pl.Binary)
        return pl.DataFrame(
            {
                "person": persons.gather(listed),
                "class": np.concatenate([self.fits.classes, true[strange]]),
                "own": np.concatenate([mine, np.ones(int(strange.sum()), dtype=np.bool_)]),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierRecords:
    """A release that has left.

    Attributes:
        entry: what the register says of it.
        rows: what everybody sees.
        texts: the same as the file writes it.
        people: who was in it; None where nobody is bound.
        notices: what had to be assumed of its cells.
    """

    entry: RegisterEntry
    rows: ClassedRows
    texts: pl.DataFrame
    people: PlacedPeople | None
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointFigures:
    """What a release gives away together with those that left before.

    Attributes:
        least_alone: the least number of its rows that can be a person's.
        least_joint: the same, of any of the releases, once they are linked.
        below: how many people have fewer joint candidates than are wanted.
        disclosed_alone: how many people's sensitive value one of the releases settles alone.
        disclosed_anew: how many people's only all together do.
        disclosed_joint: how many people's one of them or all together do.
        linked_by: the columns that link, beside the keys.
        changed: columns that were not named and changed for somebody, so that they link nothing.
        people: how many are in this release and in an earlier one.
        broken: how many have no candidate: their cells do not admit what is taken as known, so nothing is promised.
    """

    least_alone: int
    least_joint: int
    below: int
    disclosed_alone: int
    disclosed_anew: int
    disclosed_joint: int
    linked_by: tuple[str, ...]
    changed: tuple[str, ...]
    people: int
    broken: int


@dataclass(frozen=True, kw_only=True, eq=False)
class JoinedRecords:
    """What left before, ready to be counted together with a candidate.

    Attributes:
        original: the records of today.
        digests: of each record the person; None where nobody is bound.
        keys: what others may know.
        sensitive: the columns that must stay hidden.
        stable: the columns named as lasting; every other one is tried if there are none.
        earlier: the releases of the same population.
    """

    original: Dataset
    digests: NDArray[np.bytes_] | None
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    stable: tuple[str, ...]
    earlier: tuple[EarlierRecords, ...]

    def place(self, release: Release) -> tuple[ClassedRows, PlacedPeople]:
        """Return a candidate as everybody would see it, and who is where in it; classes stand in the file's order."""
        kept = np.flatnonzero(~release.deleted)
        rows = ClassedRows.of(release.table.take(kept), self.keys)
        return rows, self.find_people(rows, kept)

    def find_people(self, rows: ClassedRows, origin: NDArray[np.intp]) -> PlacedPeople:
        """Return who is where in a release.

        Args:
            rows: of the release.
            origin: of each of its rows the record of the original.
        """
        known = Dataset(self.original.frame[origin], self.original.schema)
        fits = find_fitting_classes(rows, known, self.keys)
        own = FittingClasses.of_one(rows.classes)
        digests = None if self.digests is None else self.digests[origin]
        return PlacedPeople(digests=digests, fits=fits, own=own, origin=origin)

    def count(self, release: Release, *, wanted: int) -> JointFigures:
        """Return what a candidate gives away together with all that left before."""
        counted, changed = self._count_people(release)
        return _sum_up(counted, wanted=wanted, linked_by=counted[0].linked_by, changed=changed)

    def leave_out_endangered(self, release: Release, *, k: int, most: int) -> Release:
        """Return a release without those whom it endangers together with what left before.

        As it was if more than so many would go. Releases that chance made stay as they are: what was drawn must not be
        chosen from afterwards; so do those that promise something of all classes at once (matches, t). What the
        method itself promises of classes, their size or more than that, is kept: then whole classes go.

        Args:
            release: a candidate.
            k: the candidates that everybody in it must keep, and the least size of its classes.
            most: how many records may be left out.
        """
        drawn = isinstance(release, PramRelease | SampleRelease)
        close = _list_promise(_list_promise(release.detail, "alike"), "sensitive").get("t") is not None
        if not self.earlier or drawn or close or "matched" in release.detail or bool(release.deleted.all()):
            return release
        fewer = release
        for _ in range(MOST_ROUNDS):
            endangered = self.find_endangered(fewer, wanted=k)
            if not endangered.any():
                return fewer
            gone = self._close(fewer.deleted | endangered, release, k)
            left_out = int((gone & ~release.deleted).sum())
            if left_out > most or bool(gone.all()):
                break
            fewer = replace(release, deleted=gone, detail={**release.detail, "left_out": left_out})
        return release

    def _close(self, gone: NDArray[np.bool_], release: Release, k: int) -> NDArray[np.bool_]:
        """Return who is left out with some: those who live with them, and classes of fewer than k that are left."""
        home = self.original.schema.household
        homes = encode_texts(self.original.text(home))[0] if home else np.arange(len(gone))
        classes = ClassedRows.of(release.table, self.keys).classes
        promise = _list_promise(release.detail, "alike")
        least = max(k, int(str(promise.get("least", 0))))
        while True:
            away = np.isin(homes, np.unique(homes[gone & ~release.deleted])) & ~release.deleted
            small = np.bincount(classes[~(gone | away)], minlength=int(classes.max()) + 1)[classes] < least
            if promise.keys() - {"keys", "least"}:
                small |= np.isin(classes, classes[(gone | away) & ~release.deleted])
            wider = gone | away | small
            if np.array_equal(wider, gone):
                return gone
            gone = wider

    def find_endangered(self, release: Release, *, wanted: int) -> NDArray[np.bool_]:
        """Tell which records of a candidate are of people whom it endangers only together with what left before.

        They have fewer candidates than wanted, or a value that the releases settle all together. Whoever has no
        candidate at all contradicts what is taken as known; that is another matter, and is not told here.
        """
        counted, _ = self._count_people(release)
        kept = np.flatnonzero(~release.deleted)
        people = kept if self.digests is None else kept[np.argsort(self.digests[kept])]  # as bind_people has them
        endangered = np.zeros(len(release.deleted), dtype=np.bool_)
        endangered[people] = np.logical_or.reduce(
            [each.explained & ((each.least < wanted) | each.disclosed_anew) for each in counted]
        )
        return endangered

    def _count_people(self, release: Release) -> tuple[list[JointCandidates], tuple[str, ...]]:
        """Return what is possible by each adversary and sensitive column, and the columns that link nothing."""
        rows, people = self.place(release)
        stable, changed = self._choose_stable(rows, people)
        releases = (*(each.rows for each in self.earlier), rows)
        asked = [JointReleases(releases=releases, stable=stable, sensitive=name) for name in self.sensitive or ("",)]
        return [joint.count(known) for known in self._bind(people) for joint in asked], changed

    def _bind(self, people: PlacedPeople) -> list[KnownPeople]:
        """Return the people of a candidate in all releases: by the classes that fit, and by their own where known."""
        if people.digests is None:  # nobody is known again, and whoever was left out is not looked for
            assumed = [self._assume(each).take(people.origin) for each in self.earlier]
            return [KnownPeople(fits=(*assumed, people.fits))]
        fits = [self._assume(each) if each.people is None else each.people.fits for each in self.earlier]
        placed = (*(each.people for each in self.earlier), people)
        own = [None if each is None else each.own for each in placed]
        known = [fit if one is None else one for fit, one in zip((*fits, people.fits), own, strict=True)]
        return [self._bind_one(people.digests, each) for each in ([*fits, people.fits], known)]

    def _bind_one(self, people: NDArray[np.bytes_], fits: list[FittingClasses]) -> KnownPeople:
        placed = [each.people for each in self.earlier]
        digests = [self.digests if each is None or each.digests is None else each.digests for each in placed]
        known = [each for each in digests if each is not None]
        bound = bind_people([*known, people], fits)
        here = np.flatnonzero(bound.present[:, -1])
        return KnownPeople(fits=tuple(each.take(here) for each in bound.fits))

    def _assume(self, earlier: EarlierRecords) -> FittingClasses:
        keys = tuple(name for name in earlier.entry.columns.keys if name in self.original.schema.names)
        return assume_presence(earlier.rows, self.original, keys)

    def _choose_stable(self, rows: ClassedRows, people: PlacedPeople) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the columns that link, and those that changed for somebody."""
        if self.stable:
            return self.stable, ()
        named = [name for name in self.original.schema.names if name in rows.table.columns and name not in self.keys]
        known = self._bind(people)[-1]
        lasting, changed = list[str](), list[str]()
        releases = (*(each.rows for each in self.earlier), rows)
        for name in named:
            counted = JointReleases(releases=releases, stable=(name,)).count(known)
            (lasting if bool(counted.explained.all()) else changed).append(name)
        return tuple(lasting), tuple(changed)


def _list_promise(told: Mapping[str, object], name: str) -> Mapping[str, object]:
    return cast("Mapping[str, object]", told.get(name) or {})


def _sum_up(
    counted: Sequence[JointCandidates], *, wanted: int, linked_by: tuple[str, ...], changed: tuple[str, ...]
) -> JointFigures:
    """Return the figures of the worst of several adversaries and sensitive columns."""
    first = counted[0]
    several = (first.rows >= 0).sum(axis=1) > 1
    least = np.minimum.reduce([each.least for each in counted])
    explained = np.logical_and.reduce([each.explained for each in counted])
    anew = np.logical_or.reduce([each.disclosed_anew for each in counted])
    alone = np.logical_or.reduce([(each.values_alone == 1).any(axis=1) for each in counted])
    return JointFigures(
        least_alone=int(min(each.rows_alone[:, -1].min() for each in counted)),
        least_joint=int(least[explained].min(initial=np.iinfo(np.int64).max)),
        below=int((least[explained] < wanted).sum()),
        disclosed_alone=int(alone.sum()),
        disclosed_anew=int(anew.sum()),
        disclosed_joint=int(np.logical_or(alone, anew).sum()),
        linked_by=linked_by,
        changed=changed,
        people=int(several.sum()),
        broken=int((~explained).sum()),
    )


def read_earlier_records(
    register: Register, rules: HasLayout, original: Dataset, entries: Sequence[RegisterEntry]
) -> tuple[EarlierRecords, ...]:
    """Return releases of records that left before, read as somebody reads them who knows the people of today.

    Raises:
        SekishoError: a file is missing, or not what was entered.
    """
    return tuple(_read_one(register, rules, original, entry) for entry in entries)


def _read_one(register: Register, rules: HasLayout, original: Dataset, entry: RegisterEntry) -> EarlierRecords:
    named = register.find_trees(entry)
    trees = {name: read_tree(path) for name, path in named.items() if name in original.schema.names}
    path = register.find_published(entry) / next(iter(entry.files))
    file = read_earlier_release(path, rules, original, trees, entry.columns.keys)
    people = None if entry.people.binding is Binding.ASSUMED else _read_people(register, entry)
    return EarlierRecords(entry=entry, rows=file.rows, texts=file.texts, people=people, notices=file.notices)


def _read_people(register: Register, entry: RegisterEntry) -> PlacedPeople:
    frame = register.read_people(entry).sort("person", "class")
    counted = frame.group_by("person", maintain_order=True).agg(pl.len().alias("fits"), pl.col("own").sum())
    digests = np.array(counted["person"].to_list(), dtype="S16")
    first = np.concatenate([[0], np.cumsum(counted["fits"].to_numpy())]).astype(np.int64)
    fits = FittingClasses(
        first=first,
        classes=frame["class"].to_numpy().astype(np.int64),
        present=np.ones(len(digests), dtype=np.bool_),
    )
    true = frame.filter("own")
    if not true.height:
        return PlacedPeople(digests=digests, fits=fits, own=None)
    own_first = np.concatenate([[0], np.cumsum(counted["own"].to_numpy())]).astype(np.int64)
    own = FittingClasses(
        first=own_first,
        classes=true["class"].to_numpy().astype(np.int64),
        present=np.ones(len(digests), dtype=np.bool_),
    )
    return PlacedPeople(digests=digests, fits=fits, own=own)
