"""The maximum-knowledge adversary: he holds the whole original and uses everything in the release.

1. Candidates: every customer whose rows explain a pseudonym's rows, each published row by a row of its own
   (:mod:`candidates`).
2. Everybody has one pseudonym: pairs that no one-to-one explanation contains fall away; the likeliest explanation is
   kept, with how sure each part of it is (:mod:`likelihood`, :mod:`assignment`).
3. Twins, pseudonyms that publish the same rows, cannot be told apart: their customers are dealt out among them at
   random.
4. Claims: those that make the attack most likely effective under the rejection rule (:mod:`planner`), with that chance
   said beforehand.

Against a k-anonymous history (twins in groups of at least k) no adversary does better than 1/k per claim, and neither
does he.

Source: PWS Cup 2018, details of the safety evaluation, 2.1 to 2.4 (maximum knowledge, partial attacks); report, section
5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.assignment import NOBODY, Assignment, assign
from sekisho.attack.history.candidates import Candidates, candidates
from sekisho.attack.history.claim_planner import Claim, Plan, best_plan, plan_of
from sekisho.attack.history.histories import Known, Published, known, published
from sekisho.attack.history.hit_law import Block
from sekisho.attack.history.likelihood import log_likelihoods
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape
from sekisho.safety.rejection import Bound, RejectionRule

STEPS = 1000
"""How sure a block is, is rounded down to one part in so many, so that the chances stay small fractions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Insight:
    """What the adversary found out before he claims anything.

    Attributes:
        facts: the original, by customer.
        rows: the release, by pseudonym.
        found: the candidates.
        assigned: the likeliest explanation.
        blocks: the classes of twins that have customers assigned.
        members: for each block its pseudonyms, as positions.
    """

    facts: Known
    rows: Published
    found: Candidates
    assigned: Assignment
    blocks: tuple[Block, ...]
    members: tuple[NDArray[np.int64], ...]


def insight(release: MaskedTable, knowledge: Dataset) -> Insight:
    """Return what a release and the original together tell."""
    facts, rows = known(knowledge), published(release, knowledge)
    found = candidates(rows, facts)
    assigned = assign(found, log_likelihoods(found, rows, facts))
    order = np.argsort(found.twin, kind="stable")
    order = order[assigned.customer[order] != NOBODY]
    members = np.split(order, np.flatnonzero(np.diff(found.twin[order])) + 1) if len(order) else []
    blocks = tuple(Block(size=len(block), sure=_sure(assigned.share[block])) for block in members)
    return Insight(facts=facts, rows=rows, found=found, assigned=assigned, blocks=blocks, members=tuple(members))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximumKnowledge:
    """An adversary who holds the whole original, uses every cell, and claims what serves his case best."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

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

    def __post_init__(self) -> None:
        self._rule()

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return the planned claims, and the chance that they are effective."""
        rule, seen = self._rule(), insight(release, knowledge)
        plan = self.plan(seen.blocks)
        guess = dealt(seen, plan.claims, rng=rng)
        said = {
            "bound": str(rule.bound),
            "threshold": plan.threshold,
            "baseline_hits": plan.claimed / max(1, len(seen.facts.customers)),
        }
        return replace(guess, predicted=float(plan.chance), detail=said)

    def plan(self, blocks: Sequence[Block]) -> Plan:
        """Return what to claim of some blocks."""
        if self.everyone:
            claims = [Claim(block=block, claimed=each.size) for block, each in enumerate(blocks)]
            return plan_of(claims, blocks, self._rule())
        return best_plan(blocks, self._rule())

    def _rule(self) -> RejectionRule:
        asked = {"p": self.p, "alpha": self.alpha, "bound": self.bound}
        return replace(RejectionRule(), **{name: value for name, value in asked.items() if value is not None})


def dealt(seen: Insight, claims: Sequence[Claim], *, rng: np.random.Generator) -> Guess:
    """Return a guess on some blocks, the customers of each dealt out among its twins at random."""
    customer = np.full(len(seen.rows.pseudonyms), NOBODY)
    chance = np.zeros(len(customer))
    for claim in claims:
        block = seen.members[claim.block]
        named, source = rng.permutation(block)[: claim.claimed], rng.permutation(block)[: claim.claimed]
        source = np.repeat(source[:1], claim.claimed) if claim.steady else source
        customer[named] = seen.assigned.customer[source]
        chance[named] = seen.assigned.share[source] / len(block)
    claimed = np.flatnonzero(customer != NOBODY)
    return Guess(
        published=seen.rows.pseudonyms[claimed],
        person=tuple(seen.facts.customers[who] for who in customer[claimed]),
        chance=chance[claimed],
    )


def _sure(share: NDArray[np.float64]) -> Fraction:
    return Fraction(min(STEPS, int(np.floor(share.mean() * STEPS + 1e-6))), STEPS)
