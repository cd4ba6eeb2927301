"""What a certificate claims, read strictly: numbers are numbers, places exist, columns are of one length.

Nothing is guessed.

The reader is the checker's (:mod:`sekisho.tables.check.checker`) and shares nothing with the optimiser. A hostile text
costs it little: it is of limited length, numbers are short (those of points less so, which may be corners of large
systems), and nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekisho.tables.check.strict_json import (
    Number,
    Ratio,
    digest_text,
    read_dict,
    read_list,
    read_long,
    read_number,
    read_or_none,
    read_place,
    read_ratio,
    read_text,
    read_whole,
    read_word,
    shorten,
)

FORMAT = "sekisho cell suppression 6"
EARLIER = ("sekisho cell suppression 5",)
"""Formats that are still read: 5 does not tell which tables a system was joined of."""
REAL, WHOLE = "real", "whole"
"""Attackers: who computes with real numbers, and who knows that cells are whole."""
STATUSES = ("safe", "primary", "secondary", "publish", "unpublished")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedCells:
    """The table's cells, column by column; None stands for no bound."""

    keys: list[tuple[str, ...]]
    status: list[str]
    value: list[Number]
    weight: list[Number]
    lower: list[Number | None]
    upper: list[Number | None]
    lower_level: list[Number]
    upper_level: list[Number]
    sliding_level: list[Number]
    frequency: list[Number]
    gave: list[Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaks:
    """The points that speak for a primary, by number; None for no move."""

    cell: int
    down: int | None
    up: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedCut:
    """Multipliers that make a cut for a primary, and whether its cells are counted instead of weighed.

    ``insider`` is the cell whose contributors it speaks of; None for outsiders.
    """

    primary: int
    up: Ratio | None
    down: Ratio | None
    counted: bool
    insider: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A leaf: parts of cuts, each a whole number over the scale."""

    scale: int
    parts: list[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """A branch: a cell published, and suppressed."""

    cell: int
    zero: Sum | Cases
    one: Sum | Cases


@dataclass(frozen=True, slots=True, kw_only=True)
class FileClaim:
    """A file that was written of the pattern: its role (``pattern`` or ``public``), name, digest and rows' cells."""

    role: str
    name: str
    digest: str
    cells: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTable:
    """One of the linked tables: name, dimensions, its codes of the margins, and the system's cell of each of its own.

    A dimension of the system that it lacks counts as its margin; but where tables tell different things, ``measure`` is
    the code of all its cells in the first dimension.
    """

    name: str
    dims: list[str]
    margins: list[str]
    measure: str
    cells: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedSystem:
    """What every certificate of a table claims; ``sealed`` tells whether the digest is that of the text.

    The table with its true values, the equations, the tables that it was joined of, the tables that an attacker cannot
    exclude (points) with those that speak for each unsafe cell, the files written of it, and what was done at what
    cost, which none is below by its bound.
    """

    sealed: bool
    format: str
    status: str
    cost: Number
    bound: Number
    solver_bound: Number | None
    dims: list[str]
    margins: list[str]
    joint: str
    limit: str
    cells: ClaimedCells
    tables: list[ClaimedTable]
    files: list[FileClaim]
    equations: list[list[tuple[int, int]]]
    points: list[Ratio]
    witnesses: list[Speaks]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedSuppression(ClaimedSystem):
    """What is claimed of a suppression, as far as it is checked.

    ``insiders`` contributors of one cell are said to be considered, and ``inside`` has for such a cell the points that
    they cannot exclude. ``whole`` is whether it is said to hold also against who knows that cells are whole numbers;
    a certificate without a word about that speaks of real numbers only. The bound speaks of the patterns that hide the
    ``frozen`` cells and show those that are to be published, the ``kept`` ones among them.
    """

    frozen: list[int]
    kept: list[int]
    insiders: int
    whole: bool
    inside: list[tuple[int, list[int]]]
    cuts: list[ClaimedCut]
    parts: list[tuple[list[int], Sum | Cases]]


def read_claims(text: str) -> ClaimedSuppression:
    """Return what a text claims.

    Raises:
        ValueError: it is no certificate; also TypeError, LookupError and RecursionError.
    """
    held = read_text(text)
    if read_word(held["format"]) not in (FORMAT, *EARLIER):
        raise ValueError(f"the format is {shorten(held['format'])}, not {FORMAT!r}")
    system = read_system({"tables": [], **held} if held["format"] in EARLIER else held, text)
    count, points = len(system["cells"].value), len(system["points"])
    cuts = read_list(held["cuts"], lambda cut: _cut(cut, count, len(system["equations"])))
    return ClaimedSuppression(
        **system,
        frozen=read_list(held["frozen"], lambda cell: read_place(cell, count)),
        kept=read_list(held["kept"], lambda cell: read_place(cell, count)),
        insiders=read_whole(held["insiders"]),
        whole=_read_against(held.get("against", [REAL])),
        inside=read_list(held["inside"], lambda each: _inside(read_dict(each), count, points)),
        cuts=cuts,
        parts=read_list(held["parts"], lambda part: _part(read_dict(part), count, len(cuts))),
    )


def read_system(held: dict[str, Any], text: str) -> dict[str, Any]:
    """Return what every certificate of a table claims, by the fields of :class:`ClaimedSystem`.

    Raises:
        ValueError: it is no certificate; also TypeError and LookupError.
    """
    dims, margins = read_list(held["dims"], read_word), read_list(held["margins"], read_word)
    if len(margins) != len(dims):
        raise ValueError("there is not a margin for each dimension")
    cells = _cells(read_dict(held["cells"]), len(margins))
    count = len(cells.value)
    points = read_list(held["points"], lambda point: read_ratio(point, ("cells", "moves"), count, read_long))
    return {
        "sealed": digest_text(text) == held["digest"],
        "format": read_word(held["format"]),
        "status": read_word(held["status"]),
        "cost": read_number(held["cost"]),
        "bound": read_number(held["bound"]),
        "solver_bound": read_or_none(held["solver_bound"], read_number),
        "dims": dims,
        "margins": margins,
        "joint": read_word(held["joint"]),
        "limit": read_word(held["limit"]),
        "cells": cells,
        "tables": read_list(held["tables"], lambda one: _table(read_dict(one), count)),
        "files": read_list(held["files"], lambda file: _file(read_dict(file), count)),
        "equations": read_list(held["equations"], lambda row: read_list(row, lambda term: _term(term, count))),
        "points": points,
        "witnesses": read_list(held["witnesses"], lambda each: _speaks(read_dict(each), count, len(points))),
    }


def _read_against(held: object) -> bool:
    """Return whether attackers who know that cells are whole are among those of whom a certificate speaks."""
    against = read_list(held, read_word)
    if against not in ([REAL], [REAL, WHOLE]):
        raise ValueError("it does not say whom it holds against")
    return WHOLE in against


def _cells(held: dict[str, Any], dims: int) -> ClaimedCells:
    columns: dict[str, list[Any]] = {
        "keys": read_list(held["keys"], lambda key: tuple(read_list(key, read_word))),
        "status": read_list(held["status"], read_word),
        **{
            name: read_list(held[name], read_number)
            for name in ("value", "weight", "lower_level", "upper_level", "sliding_level", "frequency", "gave")
        },
        **{name: read_list(held[name], lambda end: read_or_none(end, read_number)) for name in ("lower", "upper")},
    }
    if len({len(column) for column in columns.values()}) != 1:
        raise ValueError("the columns of the cells are not of one length")
    if any(len(key) != dims for key in columns["keys"]):
        raise ValueError(f"a key has not {dims} codes")
    return ClaimedCells(**columns)


def _cut(held: object, cells: int, equations: int) -> ClaimedCut:
    cut = read_dict(held)
    counted = cut["counted"]
    if not isinstance(counted, bool) or (cut["up"] is None and cut["down"] is None):
        raise ValueError("a cut says neither up nor down, or not whether it counts")
    up, down = (
        read_or_none(cut[way], lambda one: read_ratio(one, ("rows", "values"), equations, read_whole))
        for way in ("up", "down")
    )
    insider = read_or_none(cut["insider"], lambda cell: read_place(cell, cells))
    return ClaimedCut(primary=read_place(cut["primary"], cells), up=up, down=down, counted=counted, insider=insider)


def _file(held: dict[str, Any], cells: int) -> FileClaim:
    return FileClaim(
        role=read_word(held["role"]),
        name=read_word(held["name"]),
        digest=read_word(held["digest"]),
        cells=read_list(held["cells"], lambda cell: read_place(cell, cells)),
    )


def _table(held: dict[str, Any], cells: int) -> ClaimedTable:
    dims, margins = read_list(held["dims"], read_word), read_list(held["margins"], read_word)
    if len(margins) != len(dims):
        raise ValueError("a table has not a margin for each of its dimensions")
    return ClaimedTable(
        name=read_word(held["name"]),
        dims=dims,
        margins=margins,
        measure=read_word(held["measure"]),
        cells=read_list(held["cells"], lambda cell: read_place(cell, cells)),
    )


def _speaks(held: dict[str, Any], cells: int, points: int) -> Speaks:
    down, up = (read_or_none(held[way], lambda one: read_place(one, points)) for way in ("down", "up"))
    return Speaks(cell=read_place(held["cell"], cells), down=down, up=up)


def _inside(held: dict[str, Any], cells: int, points: int) -> tuple[int, list[int]]:
    return read_place(held["cell"], cells), read_list(held["points"], lambda one: read_place(one, points))


def _part(held: dict[str, Any], cells: int, cuts: int) -> tuple[list[int], Sum | Cases]:
    return read_list(held["cells"], lambda cell: read_place(cell, cells)), _tree(read_dict(held["tree"]), cells, cuts)


def _tree(held: dict[str, Any], cells: int, cuts: int) -> Sum | Cases:
    if "cell" in held:
        zero, one = (_tree(read_dict(held[word]), cells, cuts) for word in ("zero", "one"))
        return Cases(cell=read_place(held["cell"], cells), zero=zero, one=one)
    scale, parts = read_whole(held["scale"]), read_list(held["sum"], lambda pair: _share(pair, cuts))
    if scale <= 0:
        raise ValueError("the scale of a sum is not above 0")
    return Sum(scale=scale, parts=parts)


def _share(pair: object, cuts: int) -> tuple[int, int]:
    cut, part = read_list(pair, read_whole)
    if part < 0:
        raise ValueError("a cut has a negative part in a sum")
    return read_place(cut, cuts), part


def _term(pair: object, cells: int) -> tuple[int, int]:
    cell, sign = read_list(pair, read_whole)
    return read_place(cell, cells), sign
