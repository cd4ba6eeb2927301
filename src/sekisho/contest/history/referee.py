"""The referee: the only one who looks at the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekisho.attack.guess import Guess
from sekisho.contest.history.files import read_release
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.history.truth import Truth
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.safety.rejection import Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What an attack on a history came to.

    Attributes:
        claimed: how many pseudonyms it named.
        hits: how many rightly.
        threshold: the fewest hits that would have been effective; ``claimed + 1`` if none.
    """

    claimed: int
    hits: int
    threshold: int

    @property
    def effective(self) -> bool:
        """Tell whether the attack refutes the release's claim to be safe."""
        return self.hits >= self.threshold


def judge(original: Dataset, release: Release, guess: Guess, rules: HistoryRules, bound: Bound) -> Judgement:
    """Count an attack's hits and compare them with the threshold."""
    hits = sum(rights(original, release, guess).values())
    return Judgement(claimed=len(guess), hits=hits, threshold=rules.threshold(len(guess), bound))


def rights(original: Dataset, release: Release, guess: Guess) -> dict[int, bool]:
    """Tell of each claimed pseudonym whether the claim is right."""
    owner = Truth.of(original, release).owner
    pairs = zip(guess.pseudonym.tolist(), guess.customer, strict=True)
    return {name: owner.get(name) == customer for name, customer in pairs}


def truth_file(original: Dataset, released: Path, rules: HistoryRules) -> bytes:
    """Return who is who in a release file, as lines ``pseudonym,customer`` in the pseudonyms' order."""
    owner = Truth.of(original, read_release(released, rules, original)).owner
    return "".join(f"{name},{customer}\n" for name, customer in owner.items()).encode()
