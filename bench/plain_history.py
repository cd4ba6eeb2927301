"""The 2018 rules row by row in plain Python: the oracle of the tests and the reference of the benchmarks.

Written from the rules alone, slow and obvious; it shares no code with the package.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from statistics import fmean, pstdev

COLUMNS = ("customer", "date", "item", "price", "quantity")
PSEUDONYM = re.compile(r"[1-9][0-9]{0,8}")
Span = tuple[int, int]


def day_number(text: str) -> int | None:
    """Return the day number of a date of 2010 or 2011, None for anything else."""
    match = re.fullmatch(r"(2010|2011)/([0-9]{1,2})/([0-9]{1,2})", text)
    try:
        return date(*map(int, match.groups())).toordinal() if match else None
    except ValueError:
        return None


def pence(text: str) -> int | None:
    """Return a price in pence."""
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]{1,2}))?", text)
    if not match:
        return None
    value = int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))
    return value if 1 <= value <= 9999999 else None


def pieces(text: str) -> int | None:
    """Return a quantity."""
    return int(text) if re.fullmatch(r"[0-9]+", text) and 1 <= int(text) <= 999999 else None


NUMBERS = {"date": day_number, "price": pence, "quantity": pieces}


def span(text: str, column: str) -> Span | None:
    """Return the ends of a numeric cell, None where it cannot be read."""
    read = NUMBERS[column]
    match = re.fullmatch(r"\[([^;]*);([^;]*)\]", text)
    low, high = (read(match[1]), read(match[2])) if match else (read(text), read(text))
    return (low, high) if low is not None and high is not None and low <= high else None


def items(text: str, domain: frozenset[str]) -> frozenset[str] | None:
    """Return the items of a cell, None where it cannot be read."""
    names = text[1:-1].split(";") if text.startswith("{") and text.endswith("}") else [text]
    single = not text.startswith("{")
    fits = len(set(names)) == len(names) <= 100 and set(names) <= domain and (not single or ";" not in text)
    return frozenset(names) if fits else None


def truthful(cell: str, true: str, column: str, domain: frozenset[str]) -> bool:
    """Tell whether an undeleted row's cell is written rightly and holds the truth."""
    if cell == "*":
        return True
    if column == "item":
        held = items(cell, domain)
        return held is not None and true in held
    ends, value = span(cell, column), NUMBERS[column](true)
    return ends is not None and value is not None and ends[0] <= value <= ends[1]


def wrong_cells(original: Sequence[str], released: Sequence[str]) -> set[tuple[int, str]]:
    """Return row and column of every cell that breaks the rules, rows from 1.

    Lines of the wrong shape have column ''.
    """
    rows = [line.split(",") for line in original]
    domain = frozenset(row[2] for row in rows)
    wrong: set[tuple[int, str]] = set()
    owner: dict[str, str] = {}
    alias: dict[str, str] = {}
    for number, (true, line) in enumerate(zip(rows, released, strict=True), 1):
        cells = line.split(",")
        if len(line) > 8000 or len(cells) != 5 or re.search(r"[^\x21-\x7e]", line):
            wrong.add((number, ""))
        elif line != "*,*,*,*,*":
            fits = PSEUDONYM.fullmatch(cells[0]) is not None
            paired = fits and owner.setdefault(cells[0], true[0]) == true[0]
            if not paired or alias.setdefault(true[0], cells[0]) != cells[0]:
                wrong.add((number, "customer"))
            for place in range(1, 5):
                if not truthful(cells[place], true[place], COLUMNS[place], domain):
                    wrong.add((number, COLUMNS[place]))
    return wrong


def error(cell: str, true: str, column: str, deviation: float) -> float:
    """Return Err of one cell."""
    if cell == "*":
        return 1.0
    if column == "item":
        return 1.0 - 1.0 / (cell.count(";") + 1)
    ends, x = span(cell, column), NUMBERS[column](true)
    assert ends is not None
    assert x is not None
    low, high = ends
    moved = (low - x) ** 2 + (high - x) ** 2 + (high - low)
    if not deviation:
        return float(moved > 0)
    return moved / (2 * (high - low + 1) * deviation)


def utility(original: Sequence[str], released: Sequence[str]) -> dict[str, float]:
    """Return the mean error of each column of a valid release."""
    rows = [line.split(",") for line in original]
    cells = [line.split(",") for line in released]
    means: dict[str, float] = {}
    for place, column in list(enumerate(COLUMNS))[1:]:
        read = NUMBERS.get(column)
        deviation = pstdev([read(row[place]) or 0 for row in rows]) if read else 0.0
        means[column] = fmean(
            error(cell[place], row[place], column, deviation) for row, cell in zip(rows, cells, strict=True)
        )
    return means
