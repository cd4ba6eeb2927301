"""The whole way of a history: protect it in several ways, publish, attack, judge, measure, and say what may leave.

The adversaries see only what is published and hold the whole original. A release is refused if an attack is effective under the bound
that decides; it goes to review if one is effective under the exact bound only, or if an adversary foretold a chance above 5 % of being
effective; otherwise it may be released. The best candidate is the one with the best verdict, then the best utility.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.explain import Explanation, explain
from sekisho.attack.history.histories import published
from sekisho.attack.history.twins import twins
from sekisho.contest.history.referee import judge, rights
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.gate.fit import fit_method
from sekisho.gate.recipe import Recipe
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.utility import MEASURES
from sekisho.utility.score import Score

EXPLAINED, EXPLAINED_ROWS = 3, 6
DOUBT = 0.05
"""A release that the strongest adversary would refute more often than this is looked at by a person."""


class Verdict(StrEnum):
    """What should happen with a release, best first."""

    RELEASE = "release"
    REVIEW = "review"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """One attack on one release.

    Attributes:
        adversary: his label.
        guess: whom he named.
        hits: how many rightly.
        baseline: the hits that naming people blindly would expect.
        threshold: by bound, the fewest hits that refute the release.
    """

    adversary: str
    guess: Guess
    hits: int
    baseline: float
    threshold: dict[Bound, int]

    @property
    def claimed(self) -> int:
        """How many pseudonyms were named."""
        return len(self.guess)

    @property
    def foretold(self) -> float:
        """The chance of being effective that the adversary foretold; 0 if he foretold none."""
        return float(str(self.guess.detail.get("effective_chance", 0.0)))

    def effective(self, bound: Bound) -> bool:
        """Tell whether the attack refutes the release under a bound."""
        return self.hits >= self.threshold[bound]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """One way to protect, and what came of it.

    Attributes:
        method: its label.
        release: what it made.
        score: its utility.
        trials: the attacks.
        sharing: for each published pseudonym, how many publish the very same rows, itself included.
        explanations: of the strongest attack's surest claims, what gave the customers away.
        right: of each claim of that attack, by pseudonym, whether it is right.
        verdict: whether it may leave.
    """

    method: str
    release: Release
    score: Score
    trials: tuple[Trial, ...]
    sharing: NDArray[np.int64]
    explanations: tuple[Explanation, ...]
    right: Mapping[int, bool]
    verdict: Verdict

    @property
    def foretold(self) -> float:
        """The largest chance of being effective that an adversary foretold."""
        return max((trial.foretold for trial in self.trials), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """All candidates, and the one to choose."""

    original: Dataset
    recipe: Recipe
    seed: Seed
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The candidate with the best verdict, then the best utility."""
        order = list(Verdict)
        return min(self.candidates, key=lambda each: (order.index(each.verdict), each.score.value))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """How far the journey has come, and its outcome so far."""

    done: int
    total: int
    outcome: Outcome


def run(recipe: Recipe, original: Dataset, *, seed: Seed) -> Iterator[Step]:
    """Take every candidate through protection, attacks and judgement; each step holds all candidates finished so far."""
    finished: list[Candidate] = []
    for label, method in recipe.methods.items():
        release = fit_method(method, recipe.rules).apply(original, rng=seed.child(f"protect {label}").rng())
        finished.append(_candidate(label, release, recipe, original, seed.child(label)))
        outcome = Outcome(original=original, recipe=recipe, seed=seed, candidates=tuple(finished))
        yield Step(done=len(finished), total=len(recipe.methods), outcome=outcome)


def _candidate(label: str, release: Release, recipe: Recipe, original: Dataset, seed: Seed) -> Candidate:
    shown = release.table.take(~release.deleted)
    trials = tuple(
        _trial(
            name, adversary.guess(shown, original, rng=seed.child(f"attack {name}").rng()), release, recipe, original
        )
        for name, adversary in recipe.adversaries.items()
    )
    strongest = max(trials, key=lambda trial: trial.hits / trial.threshold[recipe.bound])
    return Candidate(
        method=label,
        release=release,
        score=MEASURES.make(recipe.rules.utility.measure).compare(original, release),
        trials=trials,
        sharing=_sharing(shown, original),
        explanations=explain(strongest.guess, shown, original, claims=_surest(strongest.guess), rows=EXPLAINED_ROWS),
        right=rights(original, release, strongest.guess),
        verdict=_verdict(trials, recipe),
    )


def _trial(name: str, guess: Guess, release: Release, recipe: Recipe, original: Dataset) -> Trial:
    judged = {bound: judge(original, release, guess, recipe.rules, bound) for bound in Bound}
    people = len(original.domain(recipe.rules.holder.name))
    return Trial(
        adversary=name,
        guess=guess,
        hits=judged[Bound.UNION].hits,
        baseline=len(guess) / people,
        threshold={bound: each.threshold for bound, each in judged.items()},
    )


def _surest(guess: Guess) -> list[int]:
    return np.argsort(-guess.chance, kind="stable")[:EXPLAINED].tolist()


def _sharing(shown: MaskedTable, original: Dataset) -> NDArray[np.int64]:
    classes = twins(published(shown, original))
    return np.bincount(classes)[classes] if len(classes) else classes


def _verdict(trials: tuple[Trial, ...], recipe: Recipe) -> Verdict:
    if any(trial.effective(recipe.bound) for trial in trials):
        return Verdict.REFUSE
    doubtful = any(trial.effective(Bound.EXACT) or trial.foretold > DOUBT for trial in trials)
    return Verdict.REVIEW if doubtful else Verdict.RELEASE
