"""Whoever reads several releases of one population together: rows that are the same person, values that are left.

He knows the keys of the person he looks for at each time, and which releases the person is in (or only that he is in
one of them), and nothing of the others (``one``); or he also knows in which class of each release the person is
(``own``). Each release may be k-anonymous and tell nobody's value, and two of them together tell it.

The counts are those of :mod:`sekisho.safety.records.joint`, which needs neither original nor keys; how people find the
classes that fit them is in :mod:`sekisho.attack.records.class_fit`.

Source: Ganta, Kasiviswanathan, Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

import numpy as np

from sekisho.attack.records.cell_adversary import CellAdversary
from sekisho.attack.records.cell_linkage import FITS
from sekisho.parameters import checked
from sekisho.safety.records.joint.candidates import JointCandidates, JointReleases, Presence
from sekisho.safety.records.joint.chance import LargestChance, find_largest_chance
from sekisho.safety.records.joint.differences import ReleaseDifference
from sekisho.safety.records.joint.known import KnownPeople
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class EarlierReleases(CellAdversary):
    """Reads a release together with earlier ones of the same people, which the gate gives him to read.

    By himself, without earlier releases, he names one of the rows that admit what he knows, as a prosecutor does.

    Example: `sekisho attack composition --original people.csv --published R1.csv R2.csv --keys age,town`

    Source: Ganta, Kasiviswanathan, Smith, KDD 2008.
    """

    reach: ClassVar[float] = FITS

    published: tuple[Path, ...] = field(
        default=(), metadata={"help": "The releases that left before, in the order in which they did."}
    )
    stable: tuple[str, ...] | None = field(
        default=None,
        metadata={"help": "Columns of which a person has one value for ever; all that several releases share if none."},
    )
    present: Presence = field(
        default=Presence.ALL, metadata={"help": "What he knows of being there: all the releases, or some of them."}
    )
    k: int = field(default=0, metadata={"help": "The candidates wanted for everybody; as guaranteed if 0."})


class KnownKeys(StrEnum):
    """Of whom an adversary knows the keys."""

    ONE = "one"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Composition:
    """What several releases tell together of people.

    Attributes:
        joint: what is possible for each person.
        own: the same for one who also knows the person's classes; None where these are not known.
        people: of whom he knows the keys.
        presence: what he knows of being there.
        unsettled: people of whom it is not settled what is possible, which counts as unsafe.
        chance: the largest chances; None where the overlap is not said, or no chance can be computed.
        k: the rows wanted for everybody; 0 if none are.
        sensitive: the column whose values are counted; empty if none is.
        assumed: whether the stable columns were not named and all that several releases share link.
        differences: what the rows tell that two releases do not share; by their numbers, as in 1-2, or beside one
            release by the name of the earlier file.
    """

    joint: JointCandidates
    own: JointCandidates | None
    people: KnownKeys = KnownKeys.ONE
    presence: Presence = Presence.ALL
    unsettled: int = 0
    chance: LargestChance | None = None
    k: int = 0
    sensitive: str = ""
    assumed: bool = False
    differences: Mapping[str, ReleaseDifference] = field(default_factory=dict[str, ReleaseDifference])

    @property
    def safe_alone(self) -> bool:
        """Whether each release by itself keeps k and tells nobody's value."""
        there = self.joint.rows_alone > 0
        return not bool((there & (self.joint.rows_alone < self.k)).any() or (self.joint.values_alone == 1).any())

    @property
    def safe_together(self) -> bool:
        """Whether the releases together keep k, tell nobody's value that none tells by itself, and may be compared."""
        return self.joint_candidates_suffice and all(one.is_safe for one in self.differences.values())

    @property
    def pins_people(self) -> bool:
        """Whether somebody has few fitting rows among those that two releases do not share."""
        return any(difference.pins_people for difference in self.differences.values())

    @property
    def joint_candidates_suffice(self) -> bool:
        """Whether linked rows keep k, and tell nobody's value that none of the releases tells by itself."""
        small = self.joint.explained & (self.joint.least < self.k)
        return not bool(small.any() or self.joint.disclosed_anew.any() or self.unsettled)

    @property
    def unexplained(self) -> int:
        """People without a candidate: a stable column changed, or a cell does not admit the truth."""
        return int((~self.joint.explained & (self.joint.rows >= 0).any(axis=1)).sum())

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        own = None if self.own is None else summarise(self.own)
        chance = None if self.chance is None else self.chance.to_dict()
        return {
            **summarise(self.joint),
            "releases": list_releases(self.joint),
            "linked_by": list(self.joint.linked_by),
            "people": len(self.joint.pairs),
            "own": own,
            "chance": chance,
            "unsettled": self.unsettled,
            "disclosed_anew": int(self.joint.disclosed_anew.sum()),
            "unexplained": self.unexplained,
            "differences": {name: difference.to_dict() for name, difference in self.differences.items()},
            "against": {"method": "rule", "people": self.people.value, "present": self.presence.value},
        }

    def tell(self) -> list[Said]:
        """Return what was found, in words."""
        figures = summarise(self.joint)
        lines = [
            Said(
                "{people:,} people in {releases} releases: least candidates {least}, {alone:,} people alone",
                people=len(self.joint.pairs),
                releases=self.joint.rows.shape[1],
                least=_write_figure(figures["least_candidates"]),
                alone=figures["alone"],
            )
        ]
        if self.sensitive:
            lines.append(
                Said(
                    "one value of {column} left for {disclosed:,} people, of whom no release by itself tells {anew:,}",
                    column=self.sensitive,
                    disclosed=figures["disclosed"],
                    anew=int(self.joint.disclosed_anew.sum()),
                )
            )
        lines += [_tell_release(place, each) for place, each in enumerate(list_releases(self.joint), start=1)]
        lines.append(self._tell_links())
        lines += self._tell_differences()
        if self.unsettled:
            lines.append(Said("of {people:,} people it is not settled what is possible: unsafe", people=self.unsettled))
        if self.chance is not None and self.chance.row is not None and self.chance.overlap is None:
            lines.append(Said("the largest chance of a row is {chance:.4g}", chance=self.chance.row))
        elif self.chance is not None and self.chance.row is not None:
            lines.append(
                Said(
                    "if {overlap:,} people are in both, the largest chance of a row is {chance:.4g}",
                    overlap=self.chance.overlap,
                    chance=self.chance.row,
                )
            )
        if self.unexplained:
            lines.append(
                Said(
                    "{people:,} people have no candidate: a stable column changed, or a cell does not admit the truth; "
                    "then candidates are no guarantee",
                    people=self.unexplained,
                )
            )
        if not self.safe_together:
            lines.append(Said("safe alone, unsafe together") if self.safe_alone else Said("unsafe together"))
        return lines

    def _tell_differences(self) -> Iterator[Said]:
        """Give what the rows tell that two releases do not share."""
        for pair, difference in self.differences.items():
            first, second = (Said("release {number}", number=number) for number in pair.split("-"))
            unsafe, pinned = difference.tell_unsafe(first, second), difference.tell_pinned(first, second)
            if unsafe is not None:
                yield unsafe
            elif pinned is not None:
                yield pinned

    def _tell_links(self) -> Said:
        names = ", ".join(self.joint.linked_by)
        if not names:
            return Said("nothing stable is in several releases: they tell no more together than each alone")
        if self.assumed:
            return Said("linked by all columns that several releases share, taken as stable: {names}", names=names)
        return Said("linked by {names}", names=names)


def _tell_release(number: int, figures: Mapping[str, object]) -> Said:
    return Said(
        "release {number}: least candidates {least_alone} alone, {least_joint} together; values known of "
        "{disclosed_alone} people alone, of {disclosed_joint} together",
        number=number,
        least_alone=_write_figure(figures["least_alone"]),
        least_joint=_write_figure(figures["least_joint"]),
        disclosed_alone=figures["disclosed_alone"],
        disclosed_joint=figures["disclosed_joint"],
    )


def _write_figure(figure: object) -> object:
    return "-" if figure is None else figure


def summarise(candidates: JointCandidates) -> dict[str, object]:
    """Return the least candidates, who is alone and whose value is known; None and 0 where nobody has a candidate."""
    least = candidates.least[candidates.explained]
    return {
        "least_candidates": int(least.min()) if len(least) else None,
        "alone": int((least == 1).sum()),
        "disclosed": int((candidates.disclosed & candidates.explained).sum()),
    }


def list_releases(candidates: JointCandidates) -> list[dict[str, object]]:
    """Return of each release what it tells alone, and its least rows jointly."""
    listed: list[dict[str, object]] = []
    for place in range(candidates.rows.shape[1]):
        alone, joint = candidates.rows_alone[:, place], candidates.rows[candidates.explained, place]
        listed.append(
            {
                "least_alone": int(alone[alone > 0].min()) if (alone > 0).any() else None,
                "disclosed_alone": int((candidates.values_alone[:, place] == 1).sum()),
                "least_joint": int(joint[joint > 0].min()) if (joint > 0).any() else None,
                "disclosed_joint": int((candidates.values[:, place] == 1).sum()),
            }
        )
    return listed


def attack_composition(
    question: JointReleases,
    people: KnownPeople,
    *,
    own: KnownPeople | None = None,
    presence: Presence = Presence.ALL,
    overlap: int | None = None,
    k: int = 0,
    assumed: bool = False,
    differences: Mapping[str, ReleaseDifference] | None = None,
) -> Composition:
    """Return what releases tell together.

    Args:
        question: the releases, what is stable and what is sensitive.
        people: the classes that fit them by what is known.
        own: the classes that they truly are in; not asked for where everybody fits one class of each release.
        presence: what is known of being there.
        overlap: how many people are taken to be in both of two releases; then chances are computed.
        k: the rows wanted for everybody.
        assumed: whether the stable columns were not named.
        differences: what the rows that two releases do not share tell, by their names.

    Raises:
        ParameterError: so many people cannot be in both.
    """
    one = question.count(people, presence=presence)
    single = all(int(np.diff(fit.first).max(initial=0)) <= 1 for fit in people.fits)
    known = people if single and own is None else own
    return Composition(
        joint=one,
        own=one if known is people else None if known is None else question.count(known, presence=presence),
        presence=presence,
        chance=None if overlap is None else find_largest_chance(question, people, overlap),
        k=k,
        sensitive=question.sensitive,
        assumed=assumed,
        differences={} if differences is None else differences,
    )
