"""The whole way of data through the gate: protect in several ways, publish, attack, judge, measure, decide.

One run for all shapes. What differs by shape lives in a stage: how data of the shape are protected and how a release of
them is tried. The adversaries see only what is published. The best candidate is the one with the best verdict, then the
best utility; where all are refused, the least harmful one (:attr:`sekisho.gate.outcome.Outcome.best`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from time import monotonic, process_time
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


def run(
    stage: JourneyStage[M, C], *, seed: Seed, jobs: int = 1, further: Callable[[C], C] | None = None
) -> Iterator[JourneyStep[C]]:
    """Take every candidate through protection, attacks and judgement.

    Each step holds all candidates finished so far. With several jobs, and where the stage keeps its steps, candidates
    are made in processes of their own once the work turns out to be long enough; what they are worth is computed here.

    Args:
        stage: the data of their shape, and what is done with them.
        seed: of all chance.
        jobs: in how many processes candidates are made.
        further: judges each candidate further, such as together with what left before.

    Raises:
        InfeasibleError: no way to protect gives anything; where only some do not, the outcome says which and why.
    """
    finished: list[C] = []
    impossible: dict[str, str] = {}
    spent: dict[str, float] = {}
    ways = stage.protections()
    with Workers(stage=stage, seed=seed, jobs=jobs) as workers:
        labels = list(ways)
        for number, label in enumerate(labels):
            rest, began = labels[number:], monotonic()
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
                candidate = stage.try_release(label, release, seed=seed.child(label))
                finished.append(candidate if further is None else further(candidate))
                workers.note(protecting=protected - start, attacking=process_time() - protected)
            spent[label] = monotonic() - began
            if finished:
                outcome = Outcome(shape=stage.shape, seed=seed, candidates=tuple(finished), impossible=dict(impossible))
                yield JourneyStep(labels=tuple(labels), spent=dict(spent), outcome=outcome)
    if impossible and not finished:
        raise InfeasibleError(join_words(dict.fromkeys(impossible.values()), "; "))


def estimate_left(spent: Mapping[str, float], rest: Sequence[str], *, since: float = 0.0) -> float | None:
    """Return about how many seconds are left, each candidate taking the mean of the finished ones of its method.

    Where none of a method is finished, it takes the mean of all. None before the first is finished.

    Args:
        spent: by label how many seconds a finished candidate took.
        rest: the labels of the others, the one that is being made first.
        since: for how long that one is being made; one that takes longer than the finished ones leaves the others.
    """
    if not spent:
        return None
    by_method: dict[str, list[float]] = {}
    for label, seconds in spent.items():
        by_method.setdefault(find_method(label), []).append(seconds)
    means, whole = {method: fmean(seconds) for method, seconds in by_method.items()}, fmean(spent.values())
    present, *others = [means.get(find_method(label), whole) for label in rest] or [0.0]
    return max(0.0, present - since) + sum(others)


def find_method(label: str) -> str:
    """Return the method of a candidate's label: its first word."""
    return label.partition(" ")[0]


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
