"""Attacks on a release of keyed records: who is found, and whether that is more than is allowed.

Let an adversary look for n people, name c of them and find h (computed exactly over his own draws where the truth is
known, else as he hopes himself). The share that he finds is h / n; of his claims h / c are right. He refutes the
release if the share is above what is allowed, or if the lower end of the exact interval of h / c (h rounded down) is:
whoever names a few people only, but those surely, has found them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from sekisho.attack import Adversary
from sekisho.attack.records.cell_adversary import CellAdversary, NearestCell, Prosecutor, SingleMatch
from sekisho.attack.records.cell_linkage import ANY, FITS
from sekisho.errors import BugError
from sekisho.gate.outcome import Attempt
from sekisho.gate.records.cell_attacks import CellAttack, Scene, link_people, match_people
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed

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
    some: dict[str, Adversary] = {f"prosecutor keys={','.join(keys)}": Prosecutor(keys=keys) for keys in subsets}
    return {
        "prosecutor": Prosecutor(),
        **some,
        "nearest-cell": NearestCell(),
        "partial-knowledge": SingleMatch(),
    }


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
