"""Three groups of three split anew, compiled: of all 280 ways for nine people the most promising is tried.

Exchanges of two people run dry: where the guess has put everybody at ease, hardly an exchange is worth aligning. Three
neighbouring groups at once have many ways to be better. Each of their 84 possible threes is taken at its cost where it
was ever aligned, else at its guess, put to the scale of the three groups' costs. A way that looks better than the bar
is aligned; what its threes cost is known from then on, so a guess that was too low misleads only once.

Source: Kirkpatrick, Gelatt, Vecchi 1983 (the bar); Ahuja, Ergun, Orlin, Punnen, "A survey of very large-scale
neighborhood search techniques", Discrete Applied Mathematics 123 (2002).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.protect.history.grouping.search import (
    DEAR,
    ROUNDS,
    GroupGuess,
    Known,
    Plan,
    State,
    estimate_work,
    find_cost,
    find_known,
    guess_cost,
)

TRIPLES = np.array(list(combinations(range(9), 3)), dtype=np.int64)
"""The threes among nine, one line each."""


def _list_splits() -> NDArray[np.int64]:
    place = {tuple(line): number for number, line in enumerate(TRIPLES.tolist())}
    splits: list[tuple[int, int, int]] = []
    for one in combinations(range(9), 3):
        rest = [person for person in range(9) if person not in one]
        for two in combinations(rest, 3):
            three = tuple(person for person in rest if person not in two)
            if one < two < three:
                splits.append((place[one], place[two], place[three]))
    return np.array(splits, dtype=np.int64)


SPLITS = _list_splits()
"""The 280 ways to split nine into threes, as numbers of threes."""


@njit(cache=True, nogil=True)
def regroup(
    rows: HistoryRows, guess: GroupGuess, state: State, known: Known, plan: Plan, rng: np.random.Generator
) -> tuple[float, int]:
    """Split three groups of three anew for some work or moves, whichever ends first; return work and splits made."""
    work, made = 0.0, 0
    cost, sure = np.empty(len(TRIPLES)), np.empty(len(TRIPLES), dtype=np.bool_)
    for _ in range(plan.moves):
        if work >= plan.work:
            break
        homes = _draw_homes(guess, state, plan.chance, rng)
        if homes[0] < 0:
            continue
        nine = state.members[homes, :3].copy().ravel()
        size = guess.lengths[nine].min()
        now, before = state.cost[homes].sum(), state.guess[homes].sum()
        heat = plan.hot * (plan.cold / plan.hot) ** (work / plan.work) * size
        bar = now - heat * np.log(1.0 - rng.random())
        _estimate(guess, known, nine, now / before if before > 0 else 1.0, plan.reach, DEAR * plan.work, cost, sure)
        split = _choose(cost, heat, rng)
        if split < 0 or cost[SPLITS[split]].sum() >= bar:
            continue
        work += _align_unsure(rows, known, nine, SPLITS[split], cost, sure, bar)
        if cost[SPLITS[split]].sum() < bar and sure[SPLITS[split]].all():
            _settle_split(guess, state, homes, nine, SPLITS[split], cost)
            made += 1
    return work, made


@njit(cache=True, nogil=True)
def _draw_homes(
    guess: GroupGuess, state: State, chance: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return three different groups of three near each other; -1 first if the draw is void."""
    homes = np.full(3, -1, dtype=np.int64)
    one = min(np.searchsorted(chance, rng.random()), len(chance) - 1)
    found = state.home[one]
    for place in range(3):
        if state.sizes[found] != 3 or (homes[:place] == found).any():
            homes[0] = -1
            return homes
        homes[place] = found
        group = homes[rng.integers(0, place + 1)]
        someone = state.members[group, rng.integers(0, 3)]
        found = state.home[guess.near[someone, rng.integers(0, guess.near.shape[1])]]
    return homes


@njit(cache=True, nogil=True)
def _estimate(
    guess: GroupGuess,
    known: Known,
    nine: NDArray[np.int64],
    scale: float,
    reach: float,
    dear: float,
    cost: NDArray[np.float64],
    sure: NDArray[np.bool_],
) -> None:
    """Write what each three among nine costs, where known, or is guessed to cost; infinity if too dear to align."""
    for place in range(len(TRIPLES)):
        people = nine[TRIPLES[place]]
        found = find_known(known, people, np.int64(ROUNDS))
        sure[place] = found >= 0
        if found >= 0:
            cost[place] = known.values[found]
        elif estimate_work(guess, people) > dear:
            cost[place] = np.inf
        else:
            cost[place] = scale * guess_cost(guess, people) - reach * guess.lengths[people].min()


@njit(cache=True, nogil=True)
def _choose(cost: NDArray[np.float64], heat: float, rng: np.random.Generator) -> int:
    """Return the split that costs least, each with a random surcharge of the heat; -1 for the present one."""
    best, least = -1, np.inf
    for split in range(len(SPLITS)):
        total = cost[SPLITS[split, 0]] + cost[SPLITS[split, 1]] + cost[SPLITS[split, 2]]
        if total < least:
            total -= heat * np.log(1.0 - rng.random())
            if total < least:
                best, least = split, total
    return -1 if best == 0 else best


@njit(cache=True, nogil=True)
def _align_unsure(
    rows: HistoryRows,
    known: Known,
    nine: NDArray[np.int64],
    split: NDArray[np.int64],
    cost: NDArray[np.float64],
    sure: NDArray[np.bool_],
    bar: float,
) -> float:
    """Align the threes of a split that were only guessed, until it is no longer promising; return the work."""
    work = 0.0
    for place in split:
        if sure[place] or cost[split].sum() >= bar:
            continue
        people = nine[TRIPLES[place]]
        cost[place], done = find_cost(rows, known, people, np.int64(ROUNDS))
        sure[place] = True
        work += done
    return work


@njit(cache=True, nogil=True)
def _settle_split(
    guess: GroupGuess,
    state: State,
    homes: NDArray[np.int64],
    nine: NDArray[np.int64],
    split: NDArray[np.int64],
    cost: NDArray[np.float64],
) -> None:
    for place in range(3):
        people = nine[TRIPLES[split[place]]]
        state.members[homes[place], :3] = people
        state.home[people] = homes[place]
        state.cost[homes[place]] = cost[split[place]]
        state.guess[homes[place]] = guess_cost(guess, people)
