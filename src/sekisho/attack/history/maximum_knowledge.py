"""The maximum-knowledge adversary: he holds the whole original and uses everything in the release.

1. Candidates: every customer whose rows explain a pseudonym's rows, each published row by a row of its own
   (:mod:`candidates`).
2. Everybody has one pseudonym: pairs that no one-to-one explanation contains fall away; the likeliest explanation is
   kept, with how sure each part of it is (:mod:`likelihood`, :mod:`assignment`).
3. Twins, pseudonyms that publish the same rows, cannot be distinguished: their customers are dealt out among them at
   random.
4. Claims: those that make the attack most likely effective under the rejection rule (:mod:`claim_planner`), with that
   chance predicted.

Against a k-anonymous history (twins in groups of at least k) no adversary does better than 1/k per claim, and neither
does he.

Source: PWS Cup 2018, details of the safety evaluation, 2.1 to 2.4 (maximum knowledge, partial attacks); report, section
5.

How well a candidate explains a pseudonym, from how tight the published cells lie around his values.

The adversary does not know the method. He takes each published row y to be a blurred copy of one of the candidate's m
rows, each as likely, and each range [a; b] of w = b - a + 1 values to be either laid around the true value at random
or, as most methods do, just wide enough for several people's values, so that the true one is often an end:

    l(y | x) = product over the ranges wider than one value of  (1 - e)/w + e ([x = a] + [x = b])/2
    log L(candidate) = sum over y of log( sum over his rows x that y fits of l(y | x) / m )

What depends on y alone (a set's size, a suppressed cell) is the same for all candidates and left out. Rows count as
independent, which overrates long histories; ``e`` = 1/2. Source: our own; the likelihood of a record given its widened
cells is that of Heitjan and Rubin, "Ignorability and coarse data", Annals of Statistics 19 (1991), for coarsening that
depends on the value only through the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.assignment import NOBODY, Assignment, assign_customers
from sekisho.attack.history.candidate_search import CandidatePairs, find_candidates, list_pairs
from sekisho.attack.history.claim_planner import Claim, ClaimPlan, TwinBlock, evaluate_claims, find_best_plan
from sekisho.attack.history.histories import MOST, KnownRows, PseudonymRows, sort_known, sort_published
from sekisho.attack.history.row_fit import ROWS, ChunkRun, ChunkTask, Sides, cut_pairs, list_fitting_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Abilities, Place, Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.words import Said

END_SHARE = 0.5


def compute_log_likelihoods(
    candidates: CandidatePairs, rows: PseudonymRows, facts: KnownRows, *, jobs: int | None = None, chunk: int = ROWS
) -> NDArray[np.float64]:
    """Return log L of each entry of ``candidates.possible``, line by line.

    Args:
        candidates: who each pseudonym could be.
        rows: what was published.
        facts: what is known.
        jobs: in how many threads chunks of pairs are weighed; as many as cores if not said.
        chunk: about how many rows of either side a chunk has.
    """
    pairs = list_pairs(candidates.possible)
    chunks = cut_pairs(pairs, rows.lengths()[candidates.example], facts.lengths(), chunk)
    run = ChunkRun(rows=rows, facts=facts, example=candidates.example, jobs=jobs)
    logs = np.zeros(len(pairs[0]))
    for (places, _), answer in zip(chunks, run.ask(weigh_pairs, [part for _, part in chunks]), strict=True):
        logs[places] = answer
    return logs


def weigh_pairs(task: ChunkTask) -> NDArray[np.float64]:
    """Return log L of the pairs of a chunk."""
    return _sum_log_likelihoods(task.both, task.classes, task.customers)


@njit(cache=True, nogil=True)
def _sum_log_likelihoods(both: Sides, people: NDArray[np.int64], customers: NDArray[np.int64]) -> NDArray[np.float64]:
    result = np.zeros(len(people))
    into = np.empty(np.diff(both.bounds).max() if len(both.bounds) > 1 else 0, np.int32)
    for pair in range(len(people)):
        first, last = both.bounds[customers[pair]], both.bounds[customers[pair] + 1]
        for row in range(both.offsets[people[pair]], both.offsets[people[pair] + 1]):
            total = 0.0
            for place in range(list_fitting_rows(both, row, customers[pair], into)):
                total += _compute_row_likelihood(both, row, first + into[place])
            result[pair] += np.log(total / (last - first))
    return result


@njit(cache=True, nogil=True)
def _compute_row_likelihood(both: Sides, row: int, fact: int) -> float:
    result = 1.0
    for column in range(both.lower.shape[1]):
        low, high, value = both.lower[row, column], both.upper[row, column], both.numbers[fact, column]
        if high in (low, MOST):
            continue
        inside = (1 - END_SHARE) / (high - low + 1.0)
        result *= inside + END_SHARE / 2 * ((value == low) + (value == high))
    return result


STEPS = 1000
"""How sure a block is, is rounded down to one part in so many, so that the chances stay small fractions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Insight:
    """What the adversary found out before he claims anything.

    Attributes:
        facts: the original, by customer.
        rows: the release, by pseudonym.
        candidates: who each pseudonym could be.
        assignment: the likeliest explanation.
        blocks: the classes of twins that have customers assigned.
        members: for each block its pseudonyms, as positions.
    """

    facts: KnownRows
    rows: PseudonymRows
    candidates: CandidatePairs
    assignment: Assignment
    blocks: tuple[TwinBlock, ...]
    members: tuple[NDArray[np.int64], ...]


def gain_insight(release: MaskedTable, knowledge: Dataset, *, jobs: int | None = None) -> Insight:
    """Return what can be learned from a release and the original together, in so many threads."""
    facts, rows = sort_known(knowledge), sort_published(release, knowledge)
    candidates = find_candidates(rows, facts, jobs=jobs)
    assignment = assign_customers(candidates, compute_log_likelihoods(candidates, rows, facts, jobs=jobs))
    order = np.argsort(candidates.twin, kind="stable")
    order = order[assignment.customer[order] != NOBODY]
    members = np.split(order, np.flatnonzero(np.diff(candidates.twin[order])) + 1) if len(order) else []
    blocks = tuple(TwinBlock(size=len(block), sure=_round_certainty(assignment.share[block])) for block in members)
    return Insight(
        facts=facts, rows=rows, candidates=candidates, assignment=assignment, blocks=blocks, members=tuple(members)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MaximumKnowledge:
    """An adversary who holds the whole original, uses every cell, and claims what serves his case best."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})
    abilities: ClassVar[Abilities] = Abilities(runs_on=frozenset({Place.MEMORY, Place.CLUSTER}))

    bound: Bound | None = field(
        default=None,
        metadata={
            "help": "The bound the attack will be judged by, for which the claims are planned; union if not said."
        },
    )
    p: Fraction | None = field(
        default=None, metadata={"help": "The chance per person that the release claims to keep; as the rules say."}
    )
    alpha: Fraction | None = field(
        default=None, metadata={"help": "The level at which the claim is rejected; as the rules say."}
    )
    everyone: bool = field(default=False, metadata={"help": "Name every pseudonym instead of planning the claims."})
    jobs: int | None = field(
        default=None, metadata={"help": "In how many threads candidates are looked for; as many as cores if not said."}
    )

    def __post_init__(self) -> None:
        self._build_rule()
        if self.jobs is not None and self.jobs < 1:
            raise ParameterError("jobs", Said("be 1 or more"), self.jobs)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the planned claims, and the chance that they are effective."""
        rule, insight = self._build_rule(), gain_insight(release, knowledge, jobs=self.jobs)
        plan = self.plan_claims(insight.blocks)
        guess = deal_claims(insight, plan.claims, rng=rng)
        detail = {
            "bound": str(rule.bound),
            "threshold": plan.threshold,
            "baseline_hits": plan.claimed / max(1, len(insight.facts.customers)),
        }
        return replace(guess, predicted=float(plan.chance), detail=detail)

    def plan_claims(self, blocks: Sequence[TwinBlock]) -> ClaimPlan:
        """Return what to claim of some blocks."""
        if self.everyone:
            claims = [Claim(block=block, claimed=each.size) for block, each in enumerate(blocks)]
            return evaluate_claims(claims, blocks, self._build_rule())
        return find_best_plan(blocks, self._build_rule())

    def _build_rule(self) -> RejectionRule:
        settings = {"p": self.p, "alpha": self.alpha, "bound": self.bound}
        return replace(RejectionRule(), **{name: value for name, value in settings.items() if value is not None})


def deal_claims(insight: Insight, claims: Sequence[Claim], *, rng: np.random.Generator) -> Guess:
    """Return a guess on some blocks, the customers of each dealt out among its twins at random."""
    customer = np.full(len(insight.rows.pseudonyms), NOBODY)
    chance = np.zeros(len(customer))
    for claim in claims:
        block = insight.members[claim.block]
        named, source = rng.permutation(block)[: claim.claimed], rng.permutation(block)[: claim.claimed]
        source = np.repeat(source[:1], claim.claimed) if claim.steady else source
        customer[named] = insight.assignment.customer[source]
        chance[named] = insight.assignment.share[source] / len(block)
    claimed = np.flatnonzero(customer != NOBODY)
    return Guess(
        published=insight.rows.pseudonyms[claimed],
        person=tuple(insight.facts.customers[who] for who in customer[claimed]),
        chance=chance[claimed],
    )


def _round_certainty(share: NDArray[np.float64]) -> Fraction:
    return Fraction(min(STEPS, int(np.floor(share.mean() * STEPS + 1e-6))), STEPS)
