"""The referee: the only one who looks at the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sekisho.attack.guess import Guess, Judgement
from sekisho.attack.history.truth import Truth
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import write_claims
from sekisho.errors import ParameterError
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryJudgement(Judgement):
    """What an attack on a history came to.

    Attributes:
        threshold: the fewest hits that would have been effective; ``claimed + 1`` if none.
    """

    threshold: int

    @property
    def effective(self) -> bool:
        """Tell whether the attack refutes the release's claim to be safe."""
        return self.hits >= self.threshold


def judge(original: Dataset, release: Release, guess: Guess, rules: HistoryTerms, bound: Bound) -> HistoryJudgement:
    """Count an attack's hits and compare them with the threshold.

    Raises:
        ParameterError: a pseudonym is named twice; the test allows one claim for each.
    """
    hits = sum(check_claims(original, release, guess).values())
    return HistoryJudgement(
        claimed=len(guess),
        hits=hits,
        baseline=len(guess) / len(original.domain(rules.layout.holder.name)),
        threshold=rules.threshold(len(guess), bound),
    )


def check_claims(original: Dataset, release: Release, guess: Guess) -> dict[int, bool]:
    """Tell of each claimed pseudonym whether the claim is right."""
    if len(np.unique(guess.published)) < len(guess):
        raise ParameterError("guess", Said("name each pseudonym at most once"), "a pseudonym named twice")
    owner = Truth.of(original, release).owner
    pairs = zip(guess.published.tolist(), guess.person, strict=True)
    return {name: owner.get(name) == customer for name, customer in pairs}


def write_release_truth(original: Dataset, release: Release, rules: HistoryTerms) -> bytes:
    """Return who is who in a release, as lines ``pseudonym,customer`` in the pseudonyms' order."""
    owner = Truth.of(original, release).owner
    return write_claims(owner, owner.values(), rules)
