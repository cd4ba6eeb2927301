"""What looks like people who left before though nothing matches: a person decides whether they are the same.

Names of populations, and identifiers, are compared as they are written, so that nobody is taken for somebody else. Who
writes ``Pop`` for ``pop``, or ``p0001`` for ``P0001``, would have a release judged as if nothing had left before. Three
signs are looked for: a name that differs by case, width or blanks only; identifiers that are known in another spelling;
and a release of which nobody is known again although its classes admit the keys of today's people. People who are known
again in a release of another population are told as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.shape import Shape
from sekisho.gate.recipes.register import RegisterRules
from sekisho.gate.records.together.earlier_releases import assume_presence
from sekisho.gate.register.book import Register
from sekisho.gate.register.entries import RegisterEntry
from sekisho.gate.register.joined_records import EarlierRecords
from sekisho.gate.register.key import DIGEST_BYTES, RegisterKey, normalise_identifier
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpelledPeople:
    """The people of today by their identifiers.

    Attributes:
        key: under which they are digested.
        register: the number of the register.
        identifiers: of the people, each once.
        digests: of the same, as this run knows them.
    """

    key: RegisterKey
    register: str
    identifiers: tuple[str, ...]
    digests: NDArray[np.bytes_]

    @classmethod
    def of(cls, key: RegisterKey, register: Register, identifiers: Sequence[str], *, fold: bool) -> SpelledPeople:
        """Return people under the key of a register.

        Args:
            key: of the register.
            register: the same.
            identifiers: of the people.
            fold: whether large and small letters are the same.
        """
        number = register.head.number
        digests = pack_digests(key.digest(number, identifiers, fold=fold))
        return cls(key=key, register=number, identifiers=tuple(identifiers), digests=digests)

    def rename(self, digests: NDArray[np.bytes_]) -> NDArray[np.bytes_]:
        """Return earlier people under the digests of today, however they were spelled; as they are where two were."""
        known = {digest: self.digests[place] for digest, place in self._find_spelled(digests).items()}
        if not known:
            return digests
        named = np.array([known.get(digest, digest) for digest in digests.tolist()], dtype=digests.dtype)
        return named if len(np.unique(named)) == len(named) else digests

    def rename_customers(self, digests: Sequence[bytes]) -> tuple[bytes, ...]:
        """Return the same of whole digests, as a history has them."""
        return tuple(digest.ljust(DIGEST_BYTES, b"\0") for digest in self.rename(pack_digests(digests)).tolist())

    def count_known(self, digests: NDArray[np.bytes_]) -> int:
        """Return how many are known again as they are spelled."""
        return len(np.intersect1d(self.digests, digests))

    def count_spelled(self, digests: NDArray[np.bytes_]) -> int:
        """Return how many are known in another spelling only."""
        return len(set(self._find_spelled(digests).values()))

    def _find_spelled(self, digests: NDArray[np.bytes_]) -> dict[bytes, int]:
        """Return by the digest of an earlier person the place of today's who is spelled otherwise and not known."""
        strange = set(np.setdiff1d(digests, self.digests).tolist())
        unknown = np.flatnonzero(~np.isin(self.digests, digests)).tolist() if strange else []
        spelled = self.key.digest_spellings(self.register, [self.identifiers[place] for place in unknown])
        packed = zip(pack_digests(list(spelled)).tolist(), spelled.values(), strict=True)
        return {digest: unknown[place] for digest, place in packed if digest in strange}


def pack_digests(digests: Sequence[bytes]) -> NDArray[np.bytes_]:
    """Return digests as an array; bytes of nought behind do not count there."""
    return np.array(digests, dtype=f"S{DIGEST_BYTES}")


def join_spellings(earlier: Iterable[EarlierRecords], people: SpelledPeople) -> tuple[EarlierRecords, ...]:
    """Return earlier releases with their people under the digests of today, however they were spelled then."""
    return tuple(
        release
        if release.people is None or release.people.digests is None
        else replace(release, people=replace(release.people, digests=people.rename(release.people.digests)))
        for release in earlier
    )


def list_alike_populations(register: Register, rules: RegisterRules, shape: Shape) -> Iterator[Said]:
    """Give the earlier populations whose names differ by case, width or blanks only."""
    names = {
        entry.population
        for entry in _list_others(register, rules, shape)
        if _fold_name(entry.population) == _fold_name(rules.population)
    }
    for name in sorted(names):
        yield Said(
            "a release of the population {earlier!r} left before, which differs from {population!r} by case, width or "
            "blanks only: its people are not considered",
            earlier=name,
            population=rules.population,
        )


def list_other_populations(
    register: Register, rules: RegisterRules, shape: Shape, people: SpelledPeople
) -> Iterator[Said]:
    """Give the releases of other populations in which people of today are."""
    for entry in _list_others(register, rules, shape):
        if entry.people.file is None or _fold_name(entry.population) == _fold_name(rules.population):
            continue
        digests = pack_digests(register.read_people(entry)["person"].unique().to_list())
        if known := people.count_known(digests) + people.count_spelled(digests):
            yield Said(
                "{people:,} {people:person of it is|people of it are} in release {number} too, of the population "
                "{population!r}: the two are not considered together",
                people=known,
                number=entry.number,
                population=entry.population,
            )


def list_unknown_people(
    digests: NDArray[np.bytes_], number: int, people: SpelledPeople, *, alike: int | None, fold: bool
) -> Iterator[Said]:
    """Give why people of an earlier release may be those of today though nothing says so.

    Args:
        digests: of its people.
        number: of the release.
        people: of today.
        alike: how many of today's records its classes admit; None where nobody says so.
        fold: whether large and small letters are the same already.
    """
    spelled = 0 if fold else people.count_spelled(digests)
    if spelled:
        yield Said(
            "{people:,} of {all:,} identifiers are in release {number} in another case: say fold_case = true in "
            "[register], or these are not considered as the same people",
            people=spelled,
            all=len(people.digests),
            number=number,
        )
    elif not len(digests) or people.count_known(digests):
        return
    elif alike is None:
        yield Said(
            "nobody of release {number} is known again: if they are the same people their identifiers are written in "
            "another way, and they are not considered",
            number=number,
        )
    elif alike:
        yield Said(
            "nobody of release {number} is known again, though its classes admit the keys of {alike:,} of {all:,} "
            "{all:person|people}: if they are the same people their identifiers are written in another way, and they "
            "are not considered",
            number=number,
            alike=alike,
            all=len(people.digests),
        )


def list_unknown_records(
    earlier: Iterable[EarlierRecords], original: Dataset, people: SpelledPeople, *, fold: bool
) -> Iterator[Said]:
    """Give why the people of earlier releases of records may be those of today though nothing says so."""
    for release in earlier:
        if release.people is None or release.people.digests is None:
            continue
        alike = 0
        if not people.count_known(release.people.digests):
            keys = tuple(name for name in release.entry.columns.keys if name in original.schema.names)
            alike = int(assume_presence(release.rows, original, keys).present.sum())
        yield from list_unknown_people(release.people.digests, release.entry.number, people, alike=alike, fold=fold)


def _list_others(register: Register, rules: RegisterRules, shape: Shape) -> Iterator[RegisterEntry]:
    for entry in register.entries:
        if entry.erased is None and entry.shape is shape and entry.population != rules.population:
            yield entry


def _fold_name(name: str) -> str:
    return "".join(normalise_identifier(name, fold=True).split())
