"""How often those who read cells are right about a release, counted on the holder's own file.

Who attacks: the prosecutor with all keys, the prosecutor with some of them, the one who takes the nearest row, and the
one who knows half of the people looked for. Of each it is counted how many he names and what blind guessing would hit.
Where the truth is known (the rows stand in the original's order) it is also counted how many he names rightly, with the
interval of Clopper and Pearson, and the number of hits to expect is computed exactly: a person whose own row is among
the c rows that are as near counts 1/c. Where it is not, ``hoped`` is what he expects himself, the sum of 1/c: no more
than that can be right on average where every cell admits the truth.

Attacks on a release of keyed records: who is found, and whether that is more than is allowed.

Let an adversary look for n people, name c of them and find h (computed exactly over his own draws where the truth is
known, else as he hopes himself). The share that he finds is h / n; of his claims h / c are right. He refutes the
release if the share is above what is allowed, or if the lower end of the exact interval of h / c (h rounded down) is:
whoever names a few people only, but those surely, has found them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.attack.records.cell_adversary import CellAdversary, SingleMatch
from sekisho.attack.records.cell_linkage import ANY, FITS, CellLinkage
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.records.space import hide_identifier
from sekisho.errors import BugError
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Attempt, Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.records.recipe import PEOPLE, describe_usual_adversaries
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAttack:
    """What an attack came to.

    Attributes:
        adversary: by his name.
        keys: the columns that he knows.
        people: how many he looked for.
        claimed: how many he named.
        hoped: how many hits he expects himself; None where he does not say.
        by_chance: how many of so many claims are right blindly.
        rate: how many were right; None where nobody knows the truth.
        expected: how many are right on average over his own draws, exactly; None where that is not known.
    """

    adversary: str
    keys: tuple[str, ...]
    people: int
    claimed: int
    hoped: float | None
    by_chance: float
    rate: HitRate | None
    expected: float | None = None

    @property
    def share(self) -> float | None:
        """The share of the people that he finds: as computed exactly, else as counted, else as hoped."""
        counted = None if self.rate is None else float(self.rate.hits)
        best = next((one for one in (self.expected, counted, self.hoped) if one is not None), None)
        return None if best is None or not self.people else best / self.people

    def find_rate(self) -> HitRate | None:
        """Return how many of the people looked for were found, with its interval; None where nobody knows."""
        return None if self.rate is None else HitRate(hits=self.rate.hits, trials=self.people)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data; ``right`` and its interval are None where nobody knows the truth."""
        rate = self.rate
        return {
            "adversary": self.adversary,
            "keys": list(self.keys),
            "people": self.people,
            "claimed": self.claimed,
            "right": None if rate is None else rate.hits,
            "low": None if rate is None else rate.low,
            "high": None if rate is None else rate.high,
            "expected": self.expected,
            "hoped": self.hoped,
            "by_chance": self.by_chance,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A release, the people looked for, and where the truth is known, each one's row (-1 if deleted)."""

    published: MaskedTable
    people: Dataset
    own: NDArray[np.int64] | None

    @classmethod
    def draw(cls, original: Dataset, release: Release, *, ordered: bool, seed: Seed, most: int = PEOPLE) -> Scene:
        """Return the scene of a release: at most so many people of the original, drawn by chance.

        Args:
            original: what it was made from.
            release: beside the original.
            ordered: whether row i of it is what became of row i of the original.
            seed: of who is looked for.
            most: how many people are looked for at most.
        """
        nobody = hide_identifier(original)
        rows = _draw_rows(len(nobody), most, seed.child("people"))
        own = np.where(release.deleted, -1, np.cumsum(~release.deleted) - 1)
        return cls(
            published=release.table.take(~release.deleted),
            people=Dataset(nobody.frame[rows], nobody.schema),
            own=own[rows].astype(np.int64) if ordered else None,
        )

    def know_fewer(self, known: int, seed: Seed) -> Scene:
        """Return the same scene for one who knows so many of the people only, drawn by chance."""
        rows = _draw_rows(len(self.people), known, seed.child("known"))
        people = Dataset(self.people.frame[rows], self.people.schema)
        return Scene(published=self.published, people=people, own=None if self.own is None else self.own[rows])


def _draw_rows(rows: int, most: int, seed: Seed) -> NDArray[np.intp]:
    if rows <= most:
        return np.arange(rows, dtype=np.intp)
    return np.sort(seed.rng().choice(rows, most, replace=False)).astype(np.intp)


def attack_cells(
    original: Dataset,
    release: Release,
    *,
    ordered: bool,
    keys: tuple[str, ...],
    subsets: Sequence[tuple[str, ...]],
    seed: Seed,
    most: int = PEOPLE,
) -> tuple[CellAttack, ...]:
    """Let everybody who reads cells attack a release.

    Args:
        original: what it was made from.
        release: beside the original.
        ordered: whether row i of it is what became of row i of the original.
        keys: what the strongest know.
        subsets: what weaker prosecutors know.
        seed: of everybody's chance.
        most: how many people are looked for at most.
    """
    scene = Scene.draw(original, release, ordered=ordered, seed=seed, most=most)
    half = max(1, len(scene.people) // 2)
    return (
        link_people("prosecutor", scene, keys, FITS, seed.child("prosecutor")),
        *(link_people("prosecutor", scene, some, FITS, seed.child(f"prosecutor {some}")) for some in subsets),
        link_people("nearest-cell", scene, keys, ANY, seed.child("nearest-cell")),
        match_people("partial-knowledge", scene, keys, half, seed.child("partial-knowledge")),
    )


def link_people(name: str, scene: Scene, keys: tuple[str, ...], reach: float, seed: Seed) -> CellAttack:
    """Return what one came to who names for each person one of the nearest rows within his reach."""
    linkage = CellLinkage.of(scene.published, scene.people, keys)
    nearest = linkage.find_nearest(rng=seed.rng(), reach=reach)
    named = nearest.count > 0
    claimed = int(named.sum())
    rate, expected = None, None
    if scene.own is not None:
        rate = HitRate(hits=int((named & (nearest.row == scene.own)).sum()), trials=claimed)
        there = np.flatnonzero(named & (scene.own >= 0))
        among = linkage.measure(there, scene.own[there]) == nearest.distance[there]
        expected = float((among / nearest.count[there]).sum())
    return CellAttack(
        adversary=name,
        keys=keys,
        people=len(scene.people),
        claimed=claimed,
        hoped=float((1.0 / nearest.count[named]).sum()),
        by_chance=claimed / max(1, len(scene.published)),
        rate=rate,
        expected=expected,
    )


def match_people(name: str, scene: Scene, keys: tuple[str, ...], known: int, seed: Seed) -> CellAttack:
    """Return what one came to who knows so many of the people and names those that are single on both sides."""
    guess = SingleMatch(known=known, keys=keys).guess(scene.published, scene.people, rng=seed.rng())
    rate = None
    if scene.own is not None:
        person = np.array([int(row) for row in guess.person], dtype=np.int64)
        rate = HitRate(hits=int((scene.own[person] == guess.published).sum()), trials=len(guess))
    return CellAttack(
        adversary=name,
        keys=keys,
        people=known,
        claimed=len(guess),
        hoped=None,
        by_chance=len(guess) / max(1, len(scene.published)),
        rate=rate,
    )


SLACK = 1e-9
"""A share that exceeds what is allowed by less is not above it: a class of five gives 1/5 exactly."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellAttempt(Attempt):
    """One adversary's attack on a release of keyed records.

    Attributes:
        attack: what he knew, and what it came to.
        allowed: the largest share of people that he may find.
    """

    attack: CellAttack
    allowed: float

    @property
    def truth_known(self) -> bool:
        """Whether it is counted how many were right; else only what he hopes for is known."""
        return self.attack.rate is not None

    @property
    def refutes(self) -> bool:
        """Tell whether he finds more than is allowed."""
        return self.strength > 1 + SLACK


def reads_keys(adversary: Adversary) -> bool:
    """Tell whether an adversary looks for people by keys, whatever the cells."""
    return isinstance(adversary, CellAdversary | SingleMatch)


def list_usual_adversaries(subsets: tuple[tuple[str, ...], ...]) -> dict[str, Adversary]:
    """Return those who attack where nobody is named: with all keys, with some, the nearest row, half of the people."""
    described = describe_usual_adversaries(subsets)
    return {label: ADVERSARIES.make(name, **parameters) for label, (name, parameters) in described.items()}


def attack_scene(
    scene: Scene, adversaries: Mapping[str, Adversary], *, keys: tuple[str, ...], allowed: float, seed: Seed
) -> tuple[CellAttempt, ...]:
    """Let everybody attack a release.

    Args:
        scene: the release and the people looked for.
        adversaries: by label; who names no keys knows all of them.
        keys: these.
        allowed: the largest share of people that one may find.
        seed: of everybody's chance.
    """
    return tuple(
        _make_attempt(_attack(label, adversary, scene, keys, seed.child(label)), allowed)
        for label, adversary in adversaries.items()
    )


def _attack(label: str, adversary: Adversary, scene: Scene, keys: tuple[str, ...], seed: Seed) -> CellAttack:
    if isinstance(adversary, SingleMatch):
        known = max(1, len(scene.people) // 2) if adversary.known is None else min(adversary.known, len(scene.people))
        return match_people(label, scene, adversary.keys or keys, known, seed)
    if not isinstance(adversary, CellAdversary):
        raise BugError(f"{label} does not read cells")
    seen = scene if adversary.known is None else scene.know_fewer(adversary.known, seed)
    reach = ANY if adversary.reach > FITS else FITS
    return link_people(label, seen, adversary.keys or keys, reach, seed)


def _make_attempt(attack: CellAttack, allowed: float) -> CellAttempt:
    right = 0 if attack.rate is None else attack.rate.hits
    return CellAttempt(
        adversary=attack.adversary,
        claimed=attack.claimed,
        hits=right,
        baseline=attack.by_chance,
        strength=measure_share(attack) / allowed,
        attack=attack,
        allowed=allowed,
    )


def measure_share(attack: CellAttack) -> float:
    """Return what is held against what is allowed: the share of people found, or what of the claims is surely right."""
    counted = None if attack.rate is None else float(attack.rate.hits)
    best = next((one for one in (attack.expected, counted, attack.hoped) if one is not None), 0.0)
    surely = (
        HitRate(hits=min(floor(best + SLACK), attack.claimed), trials=attack.claimed).low if attack.claimed else 0.0
    )
    return max(best / max(1, attack.people), surely)


def list_attack_reasons(attempts: tuple[CellAttempt, ...]) -> Iterator[Reason]:
    """Give what attacks have against a release."""
    if not attempts:
        yield make_reason("no attack", Said("nobody has tried to find people in it"))
    for each in attempts:
        if not each.refutes:
            continue
        who, attack = name_label(each.adversary), each.attack
        if not each.truth_known:
            hoped = 0.0 if attack.hoped is None else attack.hoped
            yield make_reason(
                "possible risk",
                Said(
                    "{adversary} hopes for {hoped:.1f} hits among {people} {people:person|people}; at "
                    "most {allowed:.1%} of the people may be found",
                    adversary=who,
                    hoped=hoped,
                    people=attack.people,
                    allowed=each.allowed,
                ),
            )
            continue
        exact: str = (
            "" if attack.expected is None else Said(" ({expected:.1f} to be expected)", expected=attack.expected)
        )
        yield make_reason(
            "effective attack",
            Said(
                "{adversary}: {hits} of {claimed} named rightly{exact}, {people} looked for; at most {allowed:.1%} of "
                "the people may be found",
                adversary=who,
                hits=each.hits,
                claimed=each.claimed,
                exact=exact,
                people=attack.people,
                allowed=each.allowed,
            ),
        )
