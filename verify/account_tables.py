"""Green answers on small tables, against brute force that shares nothing with the house.

Tables of two or three dimensions with two or three codes each, one in four with a small tree; counts and sums, brought
as cells (with margins or without, with contributors or marks or without) and as records (whose rows a column says, or
not); rules, methods, insiders and doors by chance. Whenever the answer is green, what would leave is read as texts. A
reader knows the shown cells and the sums; which whole tables fit is found by trying numbers, of sums between which
values a cell lies by linear programs of scipy. Refuted is a green answer if

- a cell is shown that its rule, or the file, calls unsafe, or one of one or two contributors;
- a reader, or a single contributor who knows their own part, finds an unsafe cell closer than was asked for;
- the codes of a dimension name contributors, a column that looks like a mark was passed over, or a base is below 3.

``python verify/account_tables.py --tables 1000 --seed 1`` prints what came, and ends with status 1 if brute force
refutes a green answer; ``verify/account.py`` asks of records and of tables.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

from scipy.optimize import linprog

from sekisho.seeds import Seed
from table_trials import LOOKALIKES, Key, TableTrial, ask_table, draw_table

HIDDEN = "x"
SLACK = 1e-6
MOST_STEPS = 20_000
"""After so many numbers tried, a search for whole tables gives up, and nothing is said of the cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """How far from the truth a reader must stay: below and above, and how wide their interval must be."""

    below: float = 0.0
    above: float = 0.0
    width: float = 0.0

    def is_met(self, truth: float, least: float, greatest: float) -> bool:
        """Tell whether an interval is wide enough."""
        slack = SLACK * max(1.0, abs(truth), self.below, self.above, self.width)
        far = (truth - least, greatest - truth, greatest - least)
        return all(room >= asked - slack for room, asked in zip(far, (self.below, self.above, self.width), strict=True))


def read_shown(trial: TableTrial, path: Path) -> dict[Key, tuple[float, float]]:
    """Return between which values a reader of a public file sees each cell; hidden ones lie anywhere above 0."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    width = len(trial.dims)
    assert tuple(head[:width]) == trial.dims
    shown: dict[Key, tuple[float, float]] = {}
    for row in rows:
        cell, said = tuple(row[:width]), row[width:]
        if said[0] == HIDDEN:
            shown[cell] = (0.0, inf)
        elif len(said) == 2:
            shown[cell] = (float(said[0] or 0), float(said[1] or inf))
        else:
            reach = trial.demand.base - 1 if trial.demand.method == "round" else 0
            shown[cell] = (max(0.0, float(said[0]) - reach), float(said[0]) + reach)
    # of a cell without a row nobody is there
    return {cell: shown.get(cell, (0.0, 0.0)) for cell in trial.list_cells()}


def find_needs(trial: TableTrial) -> dict[Key, Need]:
    """Return of each unsafe cell how far a reader must stay from it, by its rules and the marks of its file."""
    values = {cell: _find_value(trial, cell) for cell in trial.list_cells()}
    smallest = min((value for value in values.values() if value > 0), default=1.0)
    whole = all(value == round(value) for value in values.values())
    needs: dict[Key, Need] = {}
    for cell, value in values.items():
        asked = list(_list_needs(trial, cell, value, margin=max(0.2 * (value or smallest), 1.0 if whole else 0.0)))
        if asked:
            width = trial.demand.width or 0.0
            if trial.mark == "sliding_level":
                width = max(width, float(trial.marked.get(cell, "0")))
            needs[cell] = Need(
                below=min(value, max(need.below for need in asked)),
                above=max(need.above for need in asked),
                width=max(width, *(need.width for need in asked)),
            )
    return needs


def _find_value(trial: TableTrial, cell: Key) -> float:
    return float(sum(trial.list_gifts(cell).values()))


def _list_needs(trial: TableTrial, cell: Key, value: float, *, margin: float) -> Iterator[Need]:
    """Give what each rule that calls a cell unsafe asks for."""
    demand, gifts = trial.demand, sorted(trial.list_gifts(cell).values(), reverse=True)
    usual = Need(width=demand.width or 10.0) if trial.counts else Need(below=margin, above=margin)
    fewest = (5 if trial.counts else 0) if demand.min_count is None else demand.min_count
    for word in (*demand.rules, f"min:{fewest}"):
        name, _, numbers = word.partition(":")
        parts = [float(part) for part in numbers.split(",") if part]
        first, second = ([*gifts, 0.0, 0.0])[:2]
        if name == "min" and 0 < len(gifts) < parts[0]:
            yield usual if trial.counts or demand.width is None else Need(width=demand.width)
        if name == "zeros" and value == 0 and (gifts or trial.counts):
            yield Need(above=demand.width or 10.0) if trial.counts else Need(above=1.0)
        level = 0.0
        if name == "nk":
            level = 100 / parts[1] * sum(gifts[: int(parts[0])]) - value
        if name in {"p%", "pq"}:
            level = (parts[0] / (parts[1] if name == "pq" else 100)) * first - (value - first - second)
        if level > SLACK * max(1.0, value):
            yield Need(below=level, above=level)
    if trial.mark == "status" and trial.marked.get(cell) == "primary":
        yield Need(width=demand.width or (1.0 if trial.counts else 0.01))


class WholeTables:
    """All whole tables whose cells lie where they are seen, found by trying numbers."""

    def __init__(self, sums: Sequence[tuple[Sequence[int], float, float]], count: int, most: int) -> None:
        self._sums, self._count, self._most = sums, count, most
        self._steps = 0

    def find_interval(self, target: Sequence[int], need: Need, truth: float) -> tuple[float, float] | None:
        """Return between which values a cell lies, looked for as far as is asked; None if it takes too long."""
        self._steps = 0
        far = max(need.below, need.above, need.width)
        most = float(self._most * len(target))
        try:
            ends = self._look(target, truth, max(0.0, truth - far), truth + far)
            # whole tables may leave out the next number and have the one after it
            return ends if need.is_met(truth, *ends) else self._look(target, truth, 0.0, min(most, 3 * truth + 99))
        except TimeoutError:
            return None

    def _look(self, target: Sequence[int], truth: float, bottom: float, top: float) -> tuple[float, float]:
        least = next(value for value in range(round(bottom), round(truth) + 1) if self._fits(target, value))
        greatest = next(value for value in range(round(top), round(truth) - 1, -1) if self._fits(target, value))
        return float(least), float(greatest)

    def _fits(self, target: Sequence[int], value: int) -> bool:
        """Tell whether some table has this value in the cell."""
        return self._search([0] * self._count, [self._most] * self._count, [*self._sums, (target, value, value)])

    def _search(self, low: list[int], high: list[int], sums: Sequence[tuple[Sequence[int], float, float]]) -> bool:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TimeoutError
        if not _narrow(low, high, sums):
            return False
        free = [index for index in range(self._count) if low[index] < high[index]]
        if not free:
            return True
        index = min(free, key=lambda index: high[index] - low[index])
        middle = (low[index] + high[index]) // 2
        below, above = high.copy(), low.copy()
        below[index], above[index] = middle, middle + 1
        return self._search(low.copy(), below, sums) or self._search(above, high.copy(), sums)


def _narrow(low: list[int], high: list[int], sums: Sequence[tuple[Sequence[int], float, float]]) -> bool:
    """Narrow the ends of numbers by what their sums can be; tell whether anything is left."""
    moved = True
    while moved:
        moved = False
        for members, least, greatest in sums:
            floor, ceiling = sum(low[index] for index in members), sum(high[index] for index in members)
            if floor > greatest or ceiling < least:
                return False
            for index in members:
                if isfinite(greatest) and high[index] > greatest - floor + low[index]:
                    ceiling -= high[index]
                    high[index] = int(greatest - floor + low[index])
                    ceiling += high[index]
                    moved = True
                if low[index] < least - ceiling + high[index]:
                    floor -= low[index]
                    low[index] = int(least - ceiling + high[index])
                    floor += low[index]
                    moved = True
                if low[index] > high[index]:
                    return False
    return True


def find_real_interval(
    sums: Sequence[tuple[Sequence[int], float, float]], count: int, target: Sequence[int]
) -> tuple[float, float]:
    """Return between which values a cell lies over all tables of real numbers, none below 0."""
    rows, ends = list[list[float]](), list[float]()
    for members, least, greatest in sums:
        row = [float(index in set(members)) for index in range(count)]
        if isfinite(greatest):
            rows, ends = [*rows, row], [*ends, greatest]
        if least > 0:
            rows, ends = [*rows, [-part for part in row]], [*ends, -least]
    found: list[float] = []
    for way in (1.0, -1.0):
        cost = [way * float(index in set(target)) for index in range(count)]
        answer = linprog(cost, A_ub=rows or None, b_ub=ends or None, bounds=(0, None), method="highs")
        if answer.status not in {0, 3}:
            raise AssertionError(answer.message)
        found.append(way * float(answer.fun or 0.0) if answer.status == 0 else -way * inf)
    return found[0], found[1]


def list_table_refutations(trial: TableTrial, shown: Mapping[Key, tuple[float, float]]) -> Iterator[str]:
    """Give what brute force finds in a table that may leave."""
    demand = trial.demand
    if trial.owner and trial.owner in trial.dims:
        yield f"the codes of {trial.owner} name contributors"
    if trial.mark in LOOKALIKES:
        yield f"{trial.mark} was passed over"
    if demand.method == "round" and demand.base < 3:
        yield "a base of 2"
    if demand.insiders == 0 and trial.known:
        yield "single contributors were not considered"
    needs = find_needs(trial)
    silent = not demand.rules and (demand.min_count or 0) < 2 and not (trial.counts and demand.min_count is None)
    rated = trial.mark == "status" and silent  # the holder's own word says which cells are unsafe
    exact = {cell for cell, (least, greatest) in shown.items() if least == greatest}
    for cell in sorted(exact):
        gifts, (value, _) = trial.list_gifts(cell), shown[cell]
        if demand.method in {"suppress", "intervals"} and abs(value - sum(gifts.values())) > SLACK * max(1.0, value):
            yield f"{cell} is shown as {value}"
        if cell in needs:
            yield f"{cell} is unsafe and shown"
        if 0 < len(gifts) < 3 and not rated:
            yield f"{cell} of {len(gifts)} contributors is shown"
        if not trial.counts and gifts and not value and "zeros" not in demand.rules:
            yield f"{cell} is 0, which tells what each gave, and no rule looked at it"
    yield from _list_known_cells(trial, shown, needs)


def _list_known_cells(
    trial: TableTrial, shown: Mapping[Key, tuple[float, float]], needs: Mapping[Key, Need]
) -> Iterator[str]:
    """Give unsafe cells that a reader, or a single contributor, finds closer than is asked for."""
    unsafe = {cell: need for cell, need in needs.items() if shown[cell][0] < shown[cell][1]}
    if trial.demand.method == "round" and trial.demand.width is None:  # so much a base leaves, which the answer tells
        most = trial.demand.base - 1
        unsafe = {cell: Need(width=min(need.width, most)) for cell, need in unsafe.items() if not need.above}
    readers: list[tuple[str, Mapping[Key, float]]] = [("a reader", {})]
    if trial.known and trial.demand.insiders != 0:
        whose = sorted({name for gifts in trial.gave.values() for name in gifts})
        parts = {name: {leaf: gifts[name] for leaf, gifts in trial.gave.items() if name in gifts} for name in whose}
        readers += list(parts.items())
    seen = set[tuple[tuple[Key, float, bool], ...]]()
    for who, part in readers:
        gifts = {leaf: trial.gave[leaf] for leaf in part}
        state = tuple(sorted((leaf, gift, len(gifts[leaf]) == 1) for leaf, gift in part.items()))
        others = {cell: need for cell, need in unsafe.items() if not set(trial.list_leaves(cell)) & set(part)}
        if state not in seen and others:
            seen.add(state)
            yield from (f"{who} finds {told}" for told in _list_narrow(trial, shown, others, part))


def _list_narrow(
    trial: TableTrial,
    shown: Mapping[Key, tuple[float, float]],
    unsafe: Mapping[Key, Need],
    part: Mapping[Key, float],
) -> Iterator[str]:
    """Give the unsafe cells that are narrower than asked for whoever gave this part of the leaves."""
    place = {leaf: index for index, leaf in enumerate(trial.leaves)}
    sums = [([place[leaf] for leaf in trial.list_leaves(cell)], *ends) for cell, ends in shown.items()]
    for cell in trial.list_cells():
        own = sum(gift for leaf, gift in part.items() if leaf in trial.list_leaves(cell))
        gifts = trial.list_gifts(cell)
        if own:
            value, is_alone = sum(gifts.values()), len(gifts) == 1
            members = [place[leaf] for leaf in trial.list_leaves(cell)]
            sums.append((members, value if is_alone else own, value if is_alone else inf))
    most = 40 + round(2 * sum(sum(gifts.values()) for gifts in trial.gave.values()))
    tables = WholeTables(sums, len(place), most)
    for cell, need in unsafe.items():
        truth, target = _find_value(trial, cell), [place[leaf] for leaf in trial.list_leaves(cell)]
        if trial.counts:
            ends = tables.find_interval(target, need, truth)
        else:
            ends = find_real_interval(sums, len(place), target)
        if ends is not None and not need.is_met(truth, *ends):
            yield f"{cell} = {truth:g} in [{ends[0]:g}, {ends[1]:g}] where {need} is asked for"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFigures:
    """What came of the trials."""

    statuses: Counter[int] = field(default_factory=Counter[int])
    green: Counter[str] = field(default_factory=Counter[str])
    refuted: list[str] = field(default_factory=list[str])


def run_tables(count: int, seed: int) -> TableFigures:
    """Ask of so many tables, and count what came."""
    figures, rng = TableFigures(), Seed(seed).rng()
    for number in range(count):
        trial = draw_table(rng)
        with TemporaryDirectory() as name, chdir(name):
            status, public = ask_table(trial, Path(name))
            figures.statuses[status] += 1
            if status == 0:
                origin = "records" if trial.records else "cells"
                figures.green[f"{trial.demand.method}, {'counts' if trial.counts else 'sums'} from {origin}"] += 1
                refuted = list_table_refutations(trial, read_shown(trial, public))
                figures.refuted.extend(f"table {number}: {reason}: {trial}" for reason in refuted)
    return figures


def print_figures(figures: TableFigures, *, count: int) -> None:
    """Print what came of the trials."""
    names = {0: "may leave", 1: "refused", 2: "no answer", 3: "a person must decide"}
    came = ", ".join(f"{many:,} {names.get(status, status)}" for status, many in figures.statuses.most_common())
    print(f"{count:,} tables: {came}")
    for kind, many in figures.green.most_common():
        print(f"  green, {kind}: {many:,}")
    print(f"green answers that brute force refutes: {len(figures.refuted)}")
    for reason in figures.refuted[:10]:
        print(f"  {reason}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what came of the trials; return 1 if a green answer is refuted."""
    parser = argparse.ArgumentParser(description="Green answers on small tables, against brute force.")
    parser.add_argument("--tables", type=int, default=1000, help="how many tables")
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    asked = parser.parse_args(arguments)
    figures = run_tables(asked.tables, asked.seed)
    print_figures(figures, count=asked.tables)
    return 1 if figures.refuted else 0


if __name__ == "__main__":
    sys.exit(main())
