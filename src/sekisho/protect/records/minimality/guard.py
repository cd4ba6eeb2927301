"""Guards against one who reasons back from how a release was chosen (minimality).

Each has a proof that every original that the rule leaves stays possible, and is offered nowhere else
(docs/proofs/downcoding.md):

- *drawn levels*: the vector L is drawn with a chance proportional to exp(-epsilon u(L) / (2 (1 + c) k)), u(L) the loss
  in records plus c times the records left out beyond the limit. Originals that differ in one record give a release with
  chances within e^epsilon of each other. The draw is secret; c = 10 and epsilon are fixed before the file is seen.
- *public levels or boxes*: they do not depend on the records, so nothing is learnt from them.
- *coins*: each cell is first withheld by a coin of its own; that the coins fell on just the hidden cells of a release
  is possible under every original of the rule. Certainty goes, expectation hardly.

Source: McSherry, Talwar, "Mechanism design via differential privacy", FOCS 2007 (the draw); the guards are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records.lattice_search import BestVector, LatticeProblem, find_best_vector, survey_vector
from sekisho.protect.records.minimality.lattice_margin import list_bounds
from sekisho.seeds import secret_rng
from sekisho.words import Said

PENALTY = 10
"""What a record left out beyond the limit costs, in records; fixed before any file is seen."""
MOST_DRAWN = 200_000
"""Among so many vectors of levels one is drawn at most: each is looked at."""


GUARD_HELP = "Against one who reasons back from how it was chosen, where that is proven: minimality."
TOLD_AGAINST = {"knows": "tie", "people": "others"}
"""Against whom a guarded release is promised: one who knows the program, and every record but one."""


class Guard(StrEnum):
    """Against what a release is guarded."""

    MINIMALITY = "minimality"


def check_guard(guard: Guard | None, options: Mapping[str, object]) -> None:
    """Refuse what is said of a guard where none is asked for.

    Raises:
        ParameterError: an option is given without it.
    """
    for name, value in options.items():
        if value and guard is None:
            raise ParameterError(name, Said("be given with --guard minimality"), value)


def refuse_told_values(*, asked: bool) -> None:
    """Refuse a guard whose choice of classes hangs on sensitive values.

    Raises:
        ParameterError: it does.
    """
    if asked:
        rule = Said("be asked of public levels that leave nobody out: else who is left out tells sensitive values")
        raise ParameterError("guard", rule, Guard.MINIMALITY.value)


def refuse_spans(names: Sequence[str]) -> None:
    """Refuse keys whose levels come from the file.

    Raises:
        ParameterError: there are such.
    """
    if names:
        rule = Said("be asked of numbers with a tree: the levels of one without come from the file's span")
        raise ParameterError("guard", rule, ", ".join(names))


def choose_guarded(
    problem: LatticeProblem, names: Sequence[str], *, k: int, levels: Mapping[str, int], epsilon: float | None
) -> tuple[BestVector, dict[str, object]]:
    """Return a vector that tells nothing of single records, and what that costs.

    Args:
        problem: the vectors.
        names: of the keys.
        k: the least class.
        levels: public ones by key; none: one is drawn.
        epsilon: how far one record may move the odds; 1 if None.
    """
    told: dict[str, object] = {"kind": Guard.MINIMALITY.value, "epsilon": None, "public": None}
    best = find_best_vector(problem)
    if levels:
        public = find_public_vector(problem, names, levels)
        return public, {**told, "public": "levels", "cost": {"loss": public.loss, "best_loss": best.loss}}
    settled = 1.0 if epsilon is None else epsilon
    chances = weigh_vectors(problem, k=k, epsilon=settled)
    return chances.draw(rng=secret_rng()), {**told, "epsilon": settled, "cost": chances.tell_cost(best.loss)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorChances:
    """All vectors of levels, what each comes to, and the chance of each.

    Attributes:
        shape: how many levels each key has.
        loss: of each vector, of at most 1, records left out included.
        left_out: how many records each leaves out.
        chance: of each.
        limit: how many may be left out.
    """

    shape: tuple[int, ...]
    loss: NDArray[np.float64]
    left_out: NDArray[np.int64]
    chance: NDArray[np.float64]
    limit: int

    def draw(self, *, rng: np.random.Generator) -> BestVector:
        """Return a vector, drawn."""
        ends = np.cumsum(self.chance)
        place = min(int(np.searchsorted(ends, rng.random() * ends[-1], side="right")), len(ends) - 1)
        vector = tuple(int(level) for level in np.unravel_index(place, self.shape))
        return BestVector(vector=vector, loss=float(self.loss[place]), vectors=len(ends), looked_at=len(ends))

    def tell_cost(self, best: float) -> dict[str, float]:
        """Return what the draw costs on average beside the best vector."""
        mean = float(self.chance @ self.loss)
        return {
            "expected_loss": mean,
            "best_loss": best,
            "share": mean / best - 1 if best > 0 else 0.0,
            "expected_left_out": float(self.chance @ self.left_out),
            "limit": self.limit,
            "chance_above_limit": float(self.chance[self.left_out > self.limit].sum()),
        }


def weigh_vectors(problem: LatticeProblem, *, k: int, epsilon: float, penalty: int = PENALTY) -> VectorChances:
    """Return the chance of every vector of levels under the exponential mechanism.

    Raises:
        ParameterError: there are too many vectors.
    """
    shape = tuple(len(costs) for costs in problem.costs)
    bound = list_bounds(problem)
    if len(bound) > MOST_DRAWN:
        rule = Said("have at most {most:,} vectors of levels to draw one", most=MOST_DRAWN)
        raise ParameterError("keys", rule, f"{len(bound):,}")
    records = int(problem.rungs.copies.sum())
    loss, left_out = np.empty(len(bound)), np.empty(len(bound), dtype=np.int64)
    for place in range(len(bound)):
        vector = np.array(np.unravel_index(place, shape), dtype=np.int64)
        gone, _, added = survey_vector(problem.rungs, problem.rule, vector)
        loss[place], left_out[place] = bound[place] + added / problem.scale, gone
    dread = loss * records + penalty * np.maximum(0, left_out - problem.room)
    chance = np.exp(-epsilon * (dread - dread.min()) / (2 * (1 + penalty) * k))
    return VectorChances(shape=shape, loss=loss, left_out=left_out, chance=chance / chance.sum(), limit=problem.room)


def find_public_vector(problem: LatticeProblem, names: Sequence[str], levels: Mapping[str, int]) -> BestVector:
    """Return the vector of public levels.

    Raises:
        ParameterError: a key has no such level, or none is said for it.
        InfeasibleError: it leaves out more records than may be.
    """
    shape = tuple(len(costs) for costs in problem.costs)
    if set(levels) != set(names):
        raise ParameterError("levels", Said("name every key ({keys})", keys=", ".join(names)), dict(levels))
    for name, most in zip(names, shape, strict=True):
        if not 0 <= levels[name] < most:
            rule = Said("lie between 0 and {highest}", highest=most - 1)
            raise ParameterError(Said("level of {name}", name=name), rule, levels[name])
    vector = tuple(levels[name] for name in names)
    left_out, _, added = survey_vector(problem.rungs, problem.rule, np.array(vector, dtype=np.int64))
    if left_out > problem.room:
        raise InfeasibleError(
            Said(
                "the public levels leave out {left_out:,} records, {room:,} may be left out",
                left_out=left_out,
                room=problem.room,
            )
        )
    bound = sum(float(costs[level]) for costs, level in zip(problem.costs, vector, strict=True))
    return BestVector(vector=vector, loss=bound + added / problem.scale, vectors=int(np.prod(shape)), looked_at=1)
