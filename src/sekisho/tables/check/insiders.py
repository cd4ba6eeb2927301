"""The checker's look at insiders: contributors of one cell, so many together, who know what they gave.

What they know is worked out anew, cell by cell, from the number of contributors and what the largest of them gave,
which the certificate tells as it tells the values: all of a cell that has no other contributors, else that it is no
less than what they gave, unless others may have given less than nothing. A certificate that leaves one such coalition
out, or shows it tables that it can exclude, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from sekisho.tables.check.claims import Claims, Number
from sekisho.words import Said

Ends = tuple[Number | None, Number | None]
MOVED = Callable[[int, int], Fraction]
"""By how much a point, by its number, moves a cell."""


def known_ends(claimed: Claims) -> dict[int, Ends]:
    """Return between what the contributors of each cell know it to lie, where they know more than outsiders."""
    cells, size, out = claimed.cells, claimed.insiders, dict[int, Ends]()
    if size <= 0:
        return out
    for i, word in enumerate(cells.status):
        value, many, gave, low = cells.value[i], cells.frequency[i], cells.gave[i], cells.lower[i]
        if word == "unpublished":
            continue
        if (many <= size and (many or value)) or (_counts(low, many) and 0 < gave >= value):
            out[i] = value, value
        elif _counts(low, many) and gave > (0 if low is None else low):
            out[i] = gave, cells.upper[i]
    return out


def _counts(low: Number | None, many: Number) -> bool:
    """Tell whether what some gave to a cell cannot be taken away by others."""
    return low is not None and low >= 0 and many > 0


def insider_errors(claimed: Claims, moved: MOVED, tolerance: Callable[[Number], Number]) -> Iterator[str]:
    """Tell what is wrong with what a certificate says of insiders, and shows them."""
    yield from _input_errors(claimed)
    cells, known, shown = claimed.cells, known_ends(claimed), dict(claimed.inside)
    hidden = {i for i, word in enumerate(cells.status) if word in {"primary", "secondary"}}
    primary = {i for i, word in enumerate(cells.status) if word == "primary"}
    if len(shown) != len(claimed.inside) or not shown.keys() <= known.keys() & hidden:
        yield Said("points are told for insiders who are none, or twice for the same")
    for cell in sorted(known.keys() & hidden):
        if not primary - {cell}:
            continue
        name = Said("contributors of {keys}", keys=", ".join(cells.keys[cell]))
        if cell not in shown:
            yield Said(
                "{name} are {insiders} or fewer insiders, and no table is shown that they cannot exclude",
                name=name,
                insiders=claimed.insiders,
            )
            continue
        low, high = known[cell]
        slack = tolerance(abs(cells.value[cell]))
        for number in shown[cell]:
            there = cells.value[cell] + moved(number, cell)
            if (low is not None and there < low - slack) or (high is not None and there > high + slack):
                yield Said("{name} can exclude point {number}", name=name, number=number)
        yield from _level_errors(claimed, sorted(primary - {cell}), shown[cell], moved, name)


def _level_errors(claimed: Claims, asked: list[int], points: list[int], moved: MOVED, name: str) -> Iterator[str]:
    cells = claimed.cells
    for i in asked:
        moves = [moved(number, i) for number in points]
        down, up = -min(moves, default=Fraction(0)), max(moves, default=Fraction(0))
        down, up = max(down, Fraction(0)), max(up, Fraction(0))
        levels = (cells.lower_level[i], cells.upper_level[i], cells.sliding_level[i])
        if any(lacks(far, level) for far, level in zip((down, up, down + up), levels, strict=True)):
            cell = ", ".join(cells.keys[i])
            yield Said(
                "to {name} cell {cell} moves {down:g} down and {up:g} up: less than its levels ask",
                name=name,
                cell=cell,
                down=float(down),
                up=float(up),
            )


def lacks(far: Fraction, level: Number) -> bool:
    """Tell whether a move misses a level; one that is no whole number comes from a percentage in binary fractions."""
    return far < level - (0 if level == int(level) else Fraction(1, 10**9) * max(1, level))


def _input_errors(claimed: Claims) -> Iterator[str]:
    cells, size = claimed.cells, claimed.insiders
    if size < 0:
        yield Said("{size} insiders are none", size=size)
    if size <= 0 and claimed.inside:
        yield Said("points are told for insiders, of whom none are said to be considered")
    own = [i for i, word in enumerate(cells.status) if word != "unpublished"]
    counts = all(cells.value[i] == cells.frequency[i] for i in own)
    for i in own if size > 0 else ():
        name, value, gave = ", ".join(cells.keys[i]), cells.value[i], cells.gave[i]
        if cells.frequency[i] < 0 or cells.frequency[i] != int(cells.frequency[i]):
            yield Said("cell {name} has {frequency:g} contributors", name=name, frequency=float(cells.frequency[i]))
        if counts and gave < min(value, size):
            yield Said(
                "cell {name} counts its contributors, and yet {size} of them are said to give less than 1 each",
                name=name,
                size=size,
            )
