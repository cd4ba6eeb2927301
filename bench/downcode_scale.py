"""What a release gives away by the method that made it, as the people grow: ``downcode`` beside the definition.

``python bench/downcode_scale.py [--people 2000,30000,300000]`` makes people of eight keys (the sizes of adult's, rare
values rare), hides cells until everybody has k = 5 matches, or five written alike, and puts them into classes of ten
whose ranges are tight; then it reads off what hidden cells cannot hold, and who alone holds an end of a range (one who
knows all others). Of the smallest size the same is counted in plain Python by the definition, cell by cell and value by
value, and must be equal. CPU seconds are of the attack alone, compiled before. Written to
``bench/downcode_scale.json``.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, Roster
from sekisho.attack.records.downcode.spanned import SpannedCells, SpannedKey, SpannedKind, downcode_spanned
from sekisho.attack.records.downcode.suppressed import HIDDEN, HiddenCells, downcode_suppressed
from sekisho.protect.records.suppress import hide_until_alike, hide_until_matched
from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
DOMAINS = (2, 73, 5, 7, 16, 41, 7, 14)
K, CLASS = 5, 10
MOST_PLAIN, MOST_MATCHED = 5_000, 50_000


def make_people(people: int) -> NDArray[np.int32]:
    """Return the codes of so many people, a column a key."""
    rng = Seed(1).rng()
    columns = [rng.choice(size, people, p=(shares := 1 / np.arange(1, size + 1)) / shares.sum()) for size in DOMAINS]
    return np.stack(columns, axis=1).astype(np.int32)


def hide_cells(codes: NDArray[np.int32], *, alike: bool) -> HiddenCells:
    """Return the people with cells hidden by the program."""
    marks = (hide_until_alike if alike else hide_until_matched)(codes, [1.0] * len(DOMAINS), K)
    hidden = np.where(marks, HIDDEN, codes).astype(np.int32)
    return HiddenCells(names=tuple(map(str, DOMAINS)), codes=hidden, domains=DOMAINS, k=K, alike=alike, truth=codes)


def span_classes(codes: NDArray[np.int32]) -> tuple[SpannedCells, NDArray[np.int64]]:
    """Return the people in classes of ten, neighbours in the order of their keys, and their true codes."""
    sorted_codes = codes[np.lexsort(codes.T[::-1])].astype(np.int64)
    classes = np.minimum(np.arange(len(codes)) // CLASS, len(codes) // CLASS - 1)
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    keys: list[SpannedKey] = []
    for place, size in enumerate(DOMAINS):
        values = sorted_codes[:, place]
        low, high = (end.reduceat(values, starts)[classes] for end in (np.minimum, np.maximum))
        part = np.where(values == low, 0, np.where(values == high, 1, -1))
        wide, width = high > low, high - low + 1
        keys.append(SpannedKey(name=f"{place} of {size}", kind=SpannedKind.RANGE, wide=wide, values=width, part=part))
    return SpannedCells(keys=tuple(keys), classes=classes.astype(np.int64)), sorted_codes


def read_matched_plainly(cells: HiddenCells) -> tuple[int, int]:
    """Return how many hidden cells are narrowed and known where a hidden cell matches everything."""
    rows = [tuple(row) for row in cells.codes.tolist()]

    def match(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return all(first == second or HIDDEN in (first, second) for first, second in zip(one, other, strict=True))

    matches = [sum(match(row, other) for other in rows) for row in rows]
    narrowed = known = 0
    for row in rows:
        near = [(other, count) for other, count in zip(rows, matches, strict=True) if match(row, other)]
        for key in (key for key, code in enumerate(row) if code == HIDDEN):
            left = 0
            for value in range(cells.domains[key]):
                losers = [count for other, count in near if other[key] not in (HIDDEN, value)]
                left += not (len(near) - len(losers) >= cells.k and all(count > cells.k for count in losers))
            narrowed, known = narrowed + (left < cells.domains[key]), known + (left == 1)
    return narrowed, known


def read_alike_plainly(cells: HiddenCells) -> tuple[int, int]:
    """Return the same where a hidden cell is like a hidden cell only."""
    rows = [tuple(row) for row in cells.codes.tolist()]
    sizes = Counter(rows)
    narrowed = known = 0
    for row in rows:
        for key in (key for key, code in enumerate(row) if code == HIDDEN):
            shown = ((*row[:key], value, *row[key + 1 :]) for value in range(cells.domains[key]))
            left = sum(not (sizes[row] > cells.k and sizes[other] > 0) for other in shown)
            narrowed, known = narrowed + (left < cells.domains[key]), known + (left == 1)
    return narrowed, known


def read_spanned_plainly(cells: SpannedCells, codes: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many cells of ranges are settled for one who knows all others: their ends must be somebody's."""
    members: dict[int, list[list[int]]] = {}
    for number, row in zip(cells.classes.tolist(), codes.tolist(), strict=True):
        members.setdefault(number, []).append(row)
    settled = 0
    for rows in members.values():
        for key in range(len(DOMAINS)):
            values = [row[key] for row in rows]
            low, high = min(values), max(values)
            for place in range(len(values)):
                others = values[:place] + values[place + 1 :]
                settled += low < high and not (low in others and high in others)
    return settled, settled


def measure(
    work: str, people: int, ours: Callable[[], Downcoded], plain: Callable[[], tuple[int, int]]
) -> dict[str, Any]:
    """Run the attack, and by the definition where that ends."""
    ours()
    start = process_time()
    answer = ours()
    line: dict[str, Any] = {"work": work, "people": people, "cpu_seconds": process_time() - start}
    line |= {"cells": answer.cells, "narrowed": answer.narrowed, "known": answer.known}
    if people <= MOST_PLAIN:
        start = process_time()
        counted = plain()
        line["plain_seconds"] = process_time() - start
        assert counted == (answer.narrowed, answer.known), (work, counted, answer.narrowed, answer.known)
    return line


def measure_all(people: int) -> list[dict[str, Any]]:
    """Measure the works of one size; hiding until matched is left out where the method itself takes too long."""
    codes = make_people(people)
    spanned, true = span_classes(codes)
    lines: list[dict[str, Any]] = []
    if people <= MOST_MATCHED:
        matched = hide_cells(codes, alike=False)
        work = "suppress, a hidden cell matches everything"
        lines.append(measure(work, people, lambda: downcode_suppressed(matched), lambda: read_matched_plainly(matched)))
    alike = hide_cells(codes, alike=True)
    work = "suppress, written alike"
    lines.append(measure(work, people, lambda: downcode_suppressed(alike), lambda: read_alike_plainly(alike)))
    work = "partition, one who knows all others"
    beside = partial(downcode_spanned, spanned, roster=Roster.OTHERS)
    return [*lines, measure(work, people, beside, lambda: read_spanned_plainly(spanned, true))]


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", default="2000,30000,300000")
    lines: list[dict[str, Any]] = []
    for people in parser.parse_args().people.split(","):
        lines += measure_all(int(people))
        print("\n".join(map(json.dumps, lines[-3:])), flush=True)
    RESULTS.write_text(json.dumps(lines, indent=1) + "\n")


if __name__ == "__main__":
    main()
