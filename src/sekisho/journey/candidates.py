"""The whole way of data through the gate: protect in several ways, publish, attack, judge, measure, decide.

One run for all shapes. What differs by shape lives in a stage: how data of the shape are protected and how a release of
them is tried. The adversaries see only what is published. The best candidate is the one with the best verdict, then the
best utility; where all are refused, the least harmful one (:attr:`sekisho.gate.outcome.Outcome.best`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Generic, Protocol, TypeVar

from sekisho.data.shape import Shape
from sekisho.data.work_meter import begin_part
from sekisho.errors import InfeasibleError
from sekisho.gate.outcome import Attempt, Candidate, JourneyStep, Outcome, Protected
from sekisho.journey.workers import Workers
from sekisho.seeds import Seed
from sekisho.words import Said, join_words

C = TypeVar("C", bound=Candidate[Attempt])
K_co = TypeVar("K_co", bound=Candidate[Attempt], covariant=True)
M = TypeVar("M", bound=Protected)
M_co = TypeVar("M_co", bound=Protected, covariant=True)


class Protection(Protocol[M_co]):
    """One way to protect the data of a stage."""

    def __call__(self, seed: Seed, /) -> M_co:
        """Return the release."""
        ...


class JourneyStage(Protocol[M, K_co]):
    """What the journey must know of data of one shape."""

    @property
    def shape(self) -> Shape:
        """What a row is."""
        ...

    @property
    def keeps_attacks(self) -> bool:
        """Whether attacks are worth a process of their own."""
        ...

    def protections(self) -> Mapping[str, Protection[M]]:
        """Return the ways to protect, by label; each names the chance of its method by the method."""
        ...

    def try_release(self, label: str, release: M, *, seed: Seed) -> K_co:
        """Let everyone attack a release; judge and measure it."""
        ...


def run(stage: JourneyStage[M, C], *, seed: Seed, jobs: int = 1) -> Iterator[JourneyStep[C]]:
    """Take every candidate through protection, attacks and judgement.

    Each step holds all candidates finished so far. With several jobs, and where the stage keeps its steps, candidates
    are made in processes of their own once the work turns out to be long enough; what they are worth is computed here.

    Raises:
        InfeasibleError: no way to protect gives anything; where only some do not, the outcome says which and why.
    """
    finished: list[C] = []
    impossible: dict[str, str] = {}
    ways = stage.protections()
    with Workers(stage=stage, seed=seed, jobs=jobs) as workers:
        labels = list(ways)
        for number, label in enumerate(labels):
            rest = labels[number:]
            if workers.pay_off(len(rest)):
                workers.begin(rest)
            begin_part(Said("candidate {label}", label=label))
            workers.wait_for(label)
            start = process_time()
            try:
                release = ways[label](seed)
            except InfeasibleError as error:  # this way gives nothing; the others may
                impossible[label] = str(error)
            else:
                protected = process_time()
                finished.append(stage.try_release(label, release, seed=seed.child(label)))
                workers.note(protecting=protected - start, attacking=process_time() - protected)
            if finished:
                outcome = Outcome(shape=stage.shape, seed=seed, candidates=tuple(finished), impossible=dict(impossible))
                yield JourneyStep(done=number + 1, total=len(ways), outcome=outcome)
    if impossible and not finished:
        raise InfeasibleError(join_words(dict.fromkeys(impossible.values()), "; "))


class Reviewable(Protocol[M, K_co]):
    """A stage whose releases can be looked at without an attack."""

    @property
    def shape(self) -> Shape:
        """What a row is."""
        ...

    def protections(self) -> Mapping[str, Protection[M]]:
        """Return the ways to protect, by label."""
        ...

    def review(self, label: str, release: M, *, seed: Seed) -> K_co:
        """Look at a release, and measure it as far as that is asked for."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing(Generic[M, C]):
    """A stage on which nobody attacks: a release is made, and looked at."""

    stage: Reviewable[M, C]
    seed: Seed

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return self.stage.shape

    @property
    def keeps_attacks(self) -> bool:
        """There are none."""
        return False

    def protections(self) -> Mapping[str, Protection[M]]:
        """Return the ways to protect, by label."""
        return self.stage.protections()

    def try_release(self, label: str, release: M, *, seed: Seed) -> C:
        """Look at a release."""
        del seed  # chance is named by the run's own
        return self.stage.review(label, release, seed=self.seed)


def review_all(stage: Reviewable[M, C], *, seed: Seed) -> Outcome[C]:
    """Return the releases of a stage, looked at and not attacked."""
    *_, last = run(Reviewing(stage=stage, seed=seed), seed=seed)
    return last.outcome


def review_one(stage: Reviewable[M, C], *, seed: Seed) -> C:
    """Return the one release of a stage, looked at and not attacked."""
    return review_all(stage, seed=seed).best
