"""What kind of release a history was made into, as table 5 of the PWS Cup 2018 report sorts the contest's thirteen.

A pseudonym is unique if one who holds the whole original can tell whose it is: one customer is left whose rows explain
the published ones, after dropping those who are needed elsewhere. A customer is raw if all his rows are published as
they were. Pseudonyms that publish the same rows are a class. In this order:

- at least so many unique pseudonyms (100 in the report): too many unique customers;
- everybody in a class of k or more, k at least 2: k-anonymous;
- a unique customers raw, all others in classes of k or more: a raw, the rest k-anonymous;
- nobody raw and unique, classes of one, yet everybody hides among k candidates or more: based on k-anonymity;
- anything else: none of these.

Source: PWS Cup 2018 report, 5.1 and table 5. The report does not say how it told the kinds apart; "based on" is our
reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.assignment import find_consistent_pairs, spread_classes
from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.arrays import find_owners
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.words import Said

MANY = 100
"""From how many unique customers on a release has too many, in the report."""


class KindOfRelease(StrEnum):
    """The kinds of table 5, and what is none of them."""

    TOO_MANY_UNIQUE = "too-many-unique"
    RAW_AND_ANONYMOUS = "raw-and-anonymous"
    ANONYMOUS = "anonymous"
    BASED_ON_ANONYMOUS = "based-on-anonymous"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseKind:
    """What kind of release it is, and what it was told by.

    Attributes:
        kind: of table 5.
        k: of the kind: the least class of those who are not left raw, or the fewest candidates; 1 where it has none.
        people: how many pseudonyms are published.
        raw: how many customers are published as they were.
        unique: how many pseudonyms can be told for sure.
        raw_unique: how many are both.
        classes: by size, how many classes there are.
    """

    kind: KindOfRelease
    k: int
    people: int
    raw: int
    unique: int
    raw_unique: int
    classes: Mapping[int, int]

    @property
    def name(self) -> Title:
        """What the report calls the kind."""
        match self.kind:
            case KindOfRelease.TOO_MANY_UNIQUE:
                return Title(en="too many unique customers", ja="一意顧客過多")
            case KindOfRelease.RAW_AND_ANONYMOUS:
                return Title(
                    en=f"{self.raw_unique} raw + {self.k}-anonymous", ja=f"{self.raw_unique}人無加工+{self.k}-匿名化"
                )
            case KindOfRelease.ANONYMOUS:
                return Title(en=f"{self.k}-anonymous", ja=f"{self.k}-匿名化")
            case KindOfRelease.BASED_ON_ANONYMOUS:
                return Title(en=f"based on {self.k}-anonymity", ja=f"{self.k}-匿名化に基づいた加工")
            case KindOfRelease.OTHER:
                return Title(en="none of the report's kinds", ja="いずれにも該当しない加工")

    def as_dict(self) -> dict[str, object]:
        """Return the kind as plain data for JSON."""
        return {
            "kind": str(self.kind),
            "name": self.name.en,
            "name_ja": self.name.ja,
            "k": self.k,
            "people": self.people,
            "raw": self.raw,
            "unique": self.unique,
            "raw_unique": self.raw_unique,
            "classes": {str(size): count for size, count in self.classes.items()},
        }


@checked_call
def classify_release(original: Dataset, release: Release, *, many: int = MANY) -> ReleaseKind:
    """Return what kind of release it is.

    Args:
        original: what it was made from.
        release: of it.
        many: from how many unique customers on there are too many.
    """
    if many < 1:
        raise ParameterError("many", Said("be at least 1"), many)
    published = sort_published(release.table, original, deleted=release.deleted)
    candidates = find_candidates(published, sort_known(original))
    sizes = candidates.sizes()
    left, _ = find_consistent_pairs(spread_classes(candidates))
    counts = np.diff(left.indptr).astype(np.int64)
    unique, raw = counts == 1, _find_raw(original, release, published.pseudonyms)
    bare = unique & raw
    own_class = sizes[candidates.twin]
    kind, k = _choose(own_class, counts, unique, bare, many)
    return ReleaseKind(
        kind=kind,
        k=k,
        people=len(counts),
        raw=int(raw.sum()),
        unique=int(unique.sum()),
        raw_unique=int(bare.sum()),
        classes=dict(sorted(Counter(sizes.tolist()).items())),
    )


def _choose(
    own_class: NDArray[np.int64],
    counts: NDArray[np.int64],
    unique: NDArray[np.bool_],
    bare: NDArray[np.bool_],
    many: int,
) -> tuple[KindOfRelease, int]:
    if unique.sum() >= many:
        return KindOfRelease.TOO_MANY_UNIQUE, 1
    least = int(own_class[~bare].min(initial=np.iinfo(np.int64).max)) if (~bare).any() else 1
    if least >= 2:
        return (KindOfRelease.RAW_AND_ANONYMOUS if bare.any() else KindOfRelease.ANONYMOUS), least
    fewest = int(counts.min()) if len(counts) else 1
    if fewest >= 2:
        return KindOfRelease.BASED_ON_ANONYMOUS, fewest
    return KindOfRelease.OTHER, 1


def _find_raw(original: Dataset, release: Release, pseudonyms: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return of each pseudonym whether all rows of its customer are published as they were."""
    owner, names = find_owners(original)
    changed = release.deleted.copy()
    for cells in release.table.columns.values():
        changed |= ~cells.is_exact()
    touched = np.bincount(owner[changed], minlength=len(names)) > 0
    whose = np.zeros(len(pseudonyms), dtype=np.int64)
    table = release.table.pseudonym
    if table is not None:
        kept = np.flatnonzero(~release.deleted)
        place = np.searchsorted(pseudonyms, table[kept])
        whose[place] = owner[kept]
    return ~touched[whose]


def count_kinds(kinds: Mapping[str, str], survivors: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return table 5: of each kind how many releases there are and how many of them survive, in the order given.

    Args:
        kinds: by team the name of its release's kind.
        survivors: the teams whose releases survive.
    """
    counts = Counter(kinds.values())
    alive = Counter(kinds[team] for team in survivors if team in kinds)
    return [(name, count, alive[name]) for name, count in counts.items()]
