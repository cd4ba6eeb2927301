"""Search for good groups of k or more, compiled: simulated annealing, on a guess of the cost, then on the cost itself.

The guess: surplus rows exactly, and for the aligned rows a share of the sum of the pairs' costs, cut to the shortest
member's length. It takes nanoseconds and agrees closely with the aligned cost, so it does the rough work alone and
later decides which exchanges are worth aligning. The cost: :func:`~sekisho.protect.history.grouping.align.align`, a
function of the group alone, kept in a table once computed.

Moves: a person joins the group of one of his nearest, in exchange for one of its members, or without exchange where his
own group has more than k; or the two groups are merged and split anew, dealt at random and then put in order by the
guess. The temperature is per row, so that long and short histories cool alike. Time is counted in work, not in seconds:
the same seed takes the same way on every machine.

Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220 (1983); Christen, Fox, "Markov
chain Monte Carlo using an approximation", J. Comp. Graph. Stat. 14 (2005) (the cheap guess decides what is evaluated in
full).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.history.grouping.align import EPSILON, align
from sekisho.protect.history.grouping.rows import HistoryRows

ROUNDS = 1
GAIN = 0.985
"""One round of re-alignment rarely takes a group below this share of its first alignment.

A looser first cost is not refined.
"""

DEAR = 0.5
"""An exchange whose alignments would eat more than this share of a leg's work is left as the guess has it."""


REMIX = 0.1
"""How often two groups are merged and split anew instead of exchanging one person."""


class GroupGuess(NamedTuple):
    """What the guess needs.

    People's lengths, the pairs' aligned costs per row of the shorter, attributes, near people, the share.
    """

    lengths: NDArray[np.int64]
    per_row: NDArray[np.float32]
    near: NDArray[np.int64]
    width: float
    k: int
    share: float


class State(NamedTuple):
    """A partition: members (one line per group), sizes, each person's group, the groups' costs and guessed costs."""

    members: NDArray[np.int64]
    sizes: NDArray[np.int64]
    home: NDArray[np.int64]
    cost: NDArray[np.float64]
    guess: NDArray[np.float64]


class Known(NamedTuple):
    """A table of costs by group: keys (0 is empty), values, and a random word a person (their XOR is the key)."""

    keys: NDArray[np.uint64]
    values: NDArray[np.float64]
    words: NDArray[np.uint64]


class Plan(NamedTuple):
    """One leg of the search: work, temperatures, how far above the bar a guess may be, moves, how often whom."""

    work: float
    hot: float
    cold: float
    reach: float
    moves: int
    chance: NDArray[np.float64]


@njit(cache=True, nogil=True)
def guess_cost(guess: GroupGuess, people: NDArray[np.int64]) -> float:
    """Return the guess of a group's cost."""
    rows, least = 0, int(guess.lengths[people[0]])
    for one in people:
        rows += int(guess.lengths[one])
        least = min(least, int(guess.lengths[one]))
    pairs = 0.0
    for one in range(len(people)):
        for two in range(one):
            pairs += float(guess.per_row[people[one], people[two]])
    # g distinct values cost g - 1, their g (g - 1) / 2 pairs one each: hence 2 / g. Numbers behave nearly so.
    return guess.width * (rows - len(people) * least) + guess.share * least * pairs * 2.0 / len(people)


@njit(cache=True, nogil=True)
def _key(known: Known, people: NDArray[np.int64], rounds: int | np.int64) -> np.uint64:
    key = np.uint64(rounds + 1) * np.uint64(0x9E3779B97F4A7C15)
    for one in people:
        key = np.uint64(key ^ known.words[one])
    return key


@njit(cache=True, nogil=True)
def find_known(known: Known, people: NDArray[np.int64], rounds: int | np.int64) -> np.int64:
    """Return where a group's cost after some rounds stands, or -1 - the place where it belongs."""
    key = _key(known, people, rounds)
    mask = np.uint64(len(known.keys) - 1)
    place = key & mask
    for _ in range(64):
        if known.keys[place] == key:
            return np.int64(place)
        if known.keys[place] == 0:
            return -1 - np.int64(place)
        place = (place + np.uint64(1)) & mask
    return -1 - np.int64(place)  # a crowded table forgets


@njit(cache=True, nogil=True)
def find_cost(
    rows: HistoryRows, known: Known, people: NDArray[np.int64], rounds: int | np.int64
) -> tuple[float, float]:
    """Return a group's cost after some rounds of re-alignment, and the work it took; members count as a set."""
    place = find_known(known, people, rounds)
    if place >= 0:
        return known.values[place], 1.0
    cost, _, work = align(rows, np.sort(people), rounds)
    known.keys[-1 - place], known.values[-1 - place] = _key(known, people, rounds), cost
    return cost, work


@njit(cache=True, nogil=True)
def split_anew(
    guess: GroupGuess, pool: NDArray[np.int64], room: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split people anew into two groups of at least k and at most ``room``.

    No exchange of two then lowers the guess.
    """
    size = int(rng.integers(max(guess.k, len(pool) - room), min(room, len(pool) - guess.k) + 1))
    dealt = pool[rng.permutation(len(pool))]
    here, there = dealt[:size], dealt[size:]
    least = guess_cost(guess, here) + guess_cost(guess, there)
    calm = 0
    while calm < len(here) * len(there):
        for turn in range(len(here) * len(there)):
            one, two = turn // len(there), turn % len(there)
            here[one], there[two] = there[two], here[one]
            found = guess_cost(guess, here) + guess_cost(guess, there)
            if found < least - EPSILON:
                least, calm = found, 0
                continue
            here[one], there[two] = there[two], here[one]
            calm += 1
    return here, there


@njit(cache=True, nogil=True)
def _propose_move(
    guess: GroupGuess, state: State, chance: NDArray[np.float64], rng: np.random.Generator
) -> tuple[int, int, NDArray[np.int64], NDArray[np.int64]]:
    """Return two groups and what would become of them; the groups are the same if the proposal is void."""
    one = min(np.searchsorted(chance, rng.random()), len(chance) - 1)
    friend = guess.near[one, rng.integers(0, guess.near.shape[1])]
    left, right = int(state.home[one]), int(state.home[friend])
    here, there = state.members[left, : state.sizes[left]], state.members[right, : state.sizes[right]]
    if left == right:
        return left, left, here, there
    if rng.random() < REMIX:
        first, second = split_anew(guess, np.append(here, there), state.members.shape[1], rng)
        return left, right, first, second
    if len(here) > guess.k and len(there) < state.members.shape[1] and rng.random() < 0.3:
        return left, right, here[here != one], np.append(there, one)
    other = there[rng.integers(0, len(there))]
    if other == friend and len(there) > 1:
        return left, left, here, there
    return left, right, np.where(here == one, other, here), np.where(there == other, one, there)


@njit(cache=True, nogil=True)
def _settle(
    state: State, left: int, right: int, here: NDArray[np.int64], there: NDArray[np.int64], costs: tuple[float, float]
) -> None:
    for group, people in ((left, here), (right, there)):
        state.sizes[group] = len(people)
        state.members[group, : len(people)] = people
        for one in people:
            state.home[one] = group
    state.cost[left], state.cost[right] = costs


@njit(cache=True, nogil=True)
def anneal_guess(guess: GroupGuess, state: State, plan: Plan, rng: np.random.Generator) -> None:
    """Anneal on the guess alone; costs in the state are guesses."""
    for move in range(plan.moves):
        left, right, here, there = _propose_move(guess, state, plan.chance, rng)
        if left == right:
            continue
        heat = plan.hot * (plan.cold / plan.hot) ** (move / plan.moves)
        heat *= min(guess.lengths[here].min(), guess.lengths[there].min())
        bar = state.cost[left] + state.cost[right] - heat * np.log(1.0 - rng.random())
        costs = (guess_cost(guess, here), guess_cost(guess, there))
        if costs[0] + costs[1] < bar:
            _settle(state, left, right, here, there, costs)


@njit(cache=True, nogil=True)
def estimate_work(guess: GroupGuess, people: NDArray[np.int64]) -> float:
    """Return about how much work one alignment of a group is."""
    lengths = guess.lengths[people]
    return float(lengths.min() * lengths.sum()) * (1.0 + lengths.min() / 50.0)


@njit(cache=True, nogil=True)
def anneal(
    rows: HistoryRows, guess: GroupGuess, state: State, known: Known, plan: Plan, rng: np.random.Generator
) -> tuple[float, int]:
    """Anneal on the cost for some work or moves, whichever ends first; return the work done and the exchanges made."""
    work, made = 0.0, 0
    for _ in range(plan.moves):
        if work >= plan.work:
            break
        left, right, here, there = _propose_move(guess, state, plan.chance, rng)
        if left == right:
            continue
        size = min(guess.lengths[here].min(), guess.lengths[there].min())
        now = state.cost[left] + state.cost[right]
        heat = plan.hot * (plan.cold / plan.hot) ** (work / plan.work)
        bar = now - heat * size * np.log(1.0 - rng.random())
        first, second = guess_cost(guess, here), guess_cost(guess, there)
        before = state.guess[left] + state.guess[right]
        likely = (first + second) * now / before if before > 0 else first + second  # equal histories are guessed at 0
        if (
            likely > bar + plan.reach * size
            or estimate_work(guess, here) + estimate_work(guess, there) > DEAR * plan.work
        ):
            continue
        costs, done = _weigh_move(rows, known, here, there, bar)
        work += done
        if costs[0] + costs[1] < bar:
            _settle(state, left, right, here, there, costs)
            state.guess[left], state.guess[right] = first, second
            made += 1
    return work, made


@njit(cache=True, nogil=True)
def _weigh_move(
    rows: HistoryRows, known: Known, here: NDArray[np.int64], there: NDArray[np.int64], bar: float
) -> tuple[tuple[float, float], float]:
    """Return what two groups cost, refined only where the first alignment is near the bar, and the work."""
    none, some = np.int64(0), np.int64(ROUNDS)  # a bare number would be compiled into a function of its own
    first, done = find_cost(rows, known, here, none)
    second, more = find_cost(rows, known, there, none)
    done += more
    if GAIN * (first + second) < bar:
        first, more = find_cost(rows, known, here, some)
        second, most = find_cost(rows, known, there, some)
        done += more + most
    return (first, second), done
