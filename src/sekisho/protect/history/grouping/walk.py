"""From pair costs to good groups: start by length, anneal on the guess, then on the cost in legs, polish alignments."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sekisho.data.work_meter import advance_part, begin_part
from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.pace import UNHURRIED, WHOLE, Effort, Pace, stands_still
from sekisho.protect.history.grouping.program import NEAR, PairCosts, find_best_pairing, find_near
from sekisho.protect.history.grouping.regroup import regroup
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.protect.history.grouping.search import ROUNDS as SEARCHED
from sekisho.protect.history.grouping.search import GroupGuess, Known, Plan, State, anneal, anneal_guess, guess_cost
from sekisho.words import Said

CELLS, WORTH, MOST = 400_000, 2e-3, 20_000_000
"""Pairs with more row pairs than the first, and than this share of the effort, or than the last, keep their bound."""
LOOSE = 1.1
"""By how much a bound, on average, falls short of the cost it bounds."""
SHARE = 0.93
"""The guess against the cost, measured on the contest's round 2.

A little low, which keeps the search away from deleting rows.
"""
FEWER = 8
"""How many exchanges cost as much time as one move of three groups at once."""
HEAT, REACH = (0.08, 0.004), 0.15
HEAT_OF_THREES, REACH_OF_THREES = (0.16, 0.06), 0.03
"""Three groups at once can bear more heat: on the contest's round 2 hardly anything moves below the colder."""
POLISH, BRIEF_POLISH = 8, 2
"""Rounds in which groups are re-aligned in the end; fewer where the search ends early: the first win nearly all."""
LONG = 4_000_000
"""Groups with more row pairs between their shortest and longest member are aligned once: re-aligning takes minutes."""


class Polish:
    """Groups' final alignments, each computed once: a search, its last step and the release ask for the same."""

    def __init__(self, rows: HistoryRows, rounds: int = POLISH) -> None:
        self.rows = rows
        self._rounds = rounds
        self._kept: dict[tuple[int, ...], tuple[float, NDArray[np.int64]]] = {}

    def is_long(self, people: NDArray[np.int64]) -> bool:
        """Say whether a group is too long to be re-aligned."""
        lengths = np.diff(self.rows.starts)[people]
        return int(lengths.min()) * int(lengths.max()) > LONG

    def keep(self, people: NDArray[np.int64], cost: float, aligned: NDArray[np.int64]) -> None:
        """Keep an alignment that was found otherwise, if it is no worse."""
        members = np.argsort(people)
        key = tuple(people[members].tolist())
        if key not in self._kept or cost <= self._kept[key][0]:
            self._kept[key] = (cost, aligned[members])

    def align(self, people: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]]:
        """Return a group's cost and rows after re-alignment until nothing is gained."""
        members = np.sort(people)
        key = tuple(members.tolist())
        if key not in self._kept:
            cost, aligned, _ = align(self.rows, members, 0 if self.is_long(people) else self._rounds)
            self._kept[key] = (cost, aligned)
        cost, aligned = self._kept[key]
        return cost, aligned[np.argsort(np.argsort(people))]


def improve_groups(
    polish: Polish,
    costs: PairCosts,
    *,
    k: int,
    effort: Effort,
    started: list[list[NDArray[np.int64]]],
    rng: np.random.Generator,
) -> Iterator[tuple[list[NDArray[np.int64]], float]]:
    """Give groups of at least k people and what they cost at most, never worse than before.

    The last cost is polished.
    """
    rows = polish.rows
    pace = UNHURRIED.follow_rows(np.diff(rows.starts)) if effort.follows else UNHURRIED
    guess = prepare_guess(rows, costs, k, limit_pairs(effort.work), pace.near)
    state = build_state(guess, started[0] if started else group_by_length(guess.lengths, k))
    if not started:
        anneal_lightly(guess, state, pace.guesses, rng)
    _weigh_state(polish, guess, state)
    best, least = list_groups(state), float(state.cost.sum())
    yield best, least
    for groups, cost in run_legs(rows, guess, state, effort=effort.work, pace=pace, rng=rng):
        best, least = groups, cost
        yield best, least
    yield best, float(sum(polish.align(people)[0] for people in best))


def anneal_lightly(guess: GroupGuess, state: State, guesses: int, rng: np.random.Generator) -> None:
    """Anneal on the guess alone, some moves per person."""
    even = np.full(len(guess.lengths), 1.0).cumsum() / len(guess.lengths)
    plan = Plan(work=0.0, hot=0.5, cold=0.01, reach=0.0, moves=guesses * len(even), chance=even)
    anneal_guess(guess, state, plan, rng)


def run_legs(
    rows: HistoryRows, guess: GroupGuess, state: State, *, effort: float, pace: Pace, rng: np.random.Generator
) -> Iterator[tuple[list[NDArray[np.int64]], float]]:
    """Anneal on the cost, leg by leg, until the pace says that it stands still.

    Give the best groups so far and what they cost.
    """
    best, least = list_groups(state), float(state.cost.sum())
    costs = [least]
    known = Known(
        keys=np.zeros(pace.memory, dtype=np.uint64),
        values=np.zeros(pace.memory),
        words=rng.integers(1, 2**63, len(guess.lengths)).astype(np.uint64),
    )
    weight = np.cumsum(1.0 / np.sqrt(guess.lengths))
    moves = int(pace.moves * max(1.0, effort / WHOLE)) * len(weight)
    plan = Plan(work=effort / pace.legs, hot=0.0, cold=0.0, reach=REACH, moves=moves, chance=weight / weight[-1])
    by_threes = pace.threes if guess.k == 3 and len(state.sizes) > 2 else 0
    begin_part(Said("search for better groups"), pace.legs)
    for leg in range(pace.legs if effort > 0 and len(state.sizes) > 1 else 0):
        if leg < by_threes:
            plan_of_threes = plan._replace(moves=moves // FEWER, reach=REACH_OF_THREES)
            regroup(rows, guess, state, known, _cool(plan_of_threes, HEAT_OF_THREES, leg, by_threes), rng)
        else:
            anneal(rows, guess, state, known, _cool(plan, HEAT, leg, pace.legs), rng)
        if float(state.cost.sum()) < least:
            best, least = list_groups(state), float(state.cost.sum())
        costs.append(least)
        advance_part(1.0)
        yield best, least
        if stands_still(costs, pace.gain):
            return


def _cool(plan: Plan, heat: tuple[float, float], leg: int, legs: int) -> Plan:
    """Return a leg's plan with its share of the way from the hottest to the coldest."""
    hot, cold = (heat[0] * (heat[1] / heat[0]) ** (place / legs) for place in (leg, leg + 1))
    return plan._replace(hot=hot, cold=cold)


def limit_pairs(effort: float) -> float:
    """Return the most row pairs that a pair of people may have whose cost is computed."""
    return min(MOST, max(CELLS, WORTH * effort))


def insert_shortest(rows: HistoryRows, costs: PairCosts) -> list[NDArray[np.int64]]:
    """Return pairs and one three of an odd number of people: the shortest history joins where it costs least."""
    people = len(costs.cost)
    last = int(np.argmin(np.diff(rows.starts)))
    rest = np.delete(np.arange(people), last)
    pairs = rest[find_best_pairing(costs.among(rest)).pairs]
    nearest = np.argsort(costs.cost[last][pairs].sum(axis=1))[:NEAR]
    more = [
        align(rows, np.append(pairs[place], last), SEARCHED)[0] - align(rows, pairs[place], 0)[0] for place in nearest
    ]
    chosen = int(nearest[int(np.argmin(more))])
    return [np.append(pair, last) if place == chosen else pair for place, pair in enumerate(pairs)]


def prepare_guess(rows: HistoryRows, costs: PairCosts, k: int, cells: float, computed: int) -> GroupGuess:
    """Return what the guess needs; of so many nearest of everybody the pair costs are computed.

    Pairs of more row pairs than ``cells`` keep their bounds.
    """
    lengths = np.diff(rows.starts)
    people = len(lengths)
    near = find_near(costs)
    wanted = np.zeros((people, people), dtype=np.bool_)
    wanted[np.arange(people)[:, None], near[:, :computed]] = True
    wanted &= np.outer(lengths, lengths) <= cells
    costs.compute(wanted)
    width = float(len(rows.scaled) + len(rows.codes))
    surplus = width * np.abs(lengths[:, None] - lengths[None, :])
    aligned = (costs.cost - surplus) * np.where(costs.known, 1.0, LOOSE)
    per_row = (aligned / np.minimum(lengths[:, None], lengths[None, :])).astype(np.float32)
    return GroupGuess(lengths=lengths, per_row=per_row, near=near, width=width, k=k, share=SHARE)


def group_by_length(lengths: NDArray[np.int64], k: int) -> list[NDArray[np.int64]]:
    """Return people of similar length together; the shortest, who cost least there, make the one larger group."""
    order = np.argsort(lengths, kind="stable")
    first = k + len(order) % k
    return [order[:first], *(order[place : place + k] for place in range(first, len(order), k))]


def build_state(guess: GroupGuess, groups: list[NDArray[np.int64]]) -> State:
    """Return groups as the search keeps them, with guessed costs."""
    members = np.full((len(groups), 2 * guess.k + max(map(len, groups))), -1, dtype=np.int64)
    sizes = np.array([len(people) for people in groups], dtype=np.int64)
    home = np.empty(len(guess.lengths), dtype=np.int64)
    for place, people in enumerate(groups):
        members[place, : len(people)] = people
        home[people] = place
    cost = np.array([guess_cost(guess, people) for people in groups])
    return State(members=members, sizes=sizes, home=home, cost=cost, guess=cost.copy())


def list_groups(state: State) -> list[NDArray[np.int64]]:
    """Return the groups of a state, copied."""
    return [state.members[place, :size].copy() for place, size in enumerate(state.sizes)]


def _weigh_state(polish: Polish, guess: GroupGuess, state: State) -> None:
    """Replace guessed costs by costs."""
    for place, people in enumerate(list_groups(state)):
        state.guess[place] = guess_cost(guess, people)
        long = polish.is_long(people)
        state.cost[place] = polish.align(people)[0] if long else align(polish.rows, np.sort(people), SEARCHED)[0]
