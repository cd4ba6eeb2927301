"""What a certificate claims, read strictly: numbers are numbers, places exist, columns are of one length.

Nothing is guessed.

The reader is the checker's (:mod:`sekisho.tables.check.checker`) and shares nothing with the optimiser. A hostile text
costs it little: it is of limited length, numbers are short (those of points less so, which may be corners of large
systems), and nothing is computed here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, NoReturn, TypeVar

FORMAT = "sekisho cell suppression 6"
EARLIER = ("sekisho cell suppression 5",)
"""Formats that are still read: 5 does not tell which tables a system was joined of."""
DIGITS = 60
"""How many characters a number may have; and how large an exponent."""
LONG = 1000
"""How many characters the whole numbers of a point may have: they are only compared and added up."""
LENGTH = 1 << 29
"""How many characters a certificate may have."""
STATUSES = ("safe", "primary", "secondary", "publish", "unpublished")
Number = int | Fraction
T = TypeVar("T")


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
class Ratio:
    """Whole numbers at some places, over a denominator: a deviation of cells, or multipliers of equations."""

    places: list[int]
    numbers: list[int]
    denominator: int


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
class ClaimedSuppression:
    """What is claimed, as far as it is checked; ``sealed`` tells whether the digest is that of the text.

    ``insiders`` contributors of one cell are said to be considered, and ``inside`` has for such a cell the points that
    they cannot exclude. The bound speaks of the patterns that hide the ``frozen`` cells and show those that are to be
    published, the ``kept`` ones among them.
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
    frozen: list[int]
    kept: list[int]
    files: list[FileClaim]
    equations: list[list[tuple[int, int]]]
    points: list[Ratio]
    witnesses: list[Speaks]
    insiders: int
    inside: list[tuple[int, list[int]]]
    cuts: list[ClaimedCut]
    parts: list[tuple[list[int], Sum | Cases]]


def read_claims(text: str) -> ClaimedSuppression:
    """Return what a text claims.

    Raises:
        ValueError: it is no certificate; also TypeError, LookupError and RecursionError.
    """
    if len(text) > LENGTH:
        raise ValueError(f"the text has more than {LENGTH} characters")
    held = _dict(json.loads(text, parse_float=_decimal, parse_int=_digits, parse_constant=_refuse))
    if _word(held["format"]) not in (FORMAT, *EARLIER):
        raise ValueError(f"the format is {_short(held['format'])}, not {FORMAT!r}")
    dims, margins = _list(held["dims"], _word), _list(held["margins"], _word)
    if len(margins) != len(dims):
        raise ValueError("there is not a margin for each dimension")
    cells = _cells(_dict(held["cells"]), len(margins))
    count = len(cells.value)
    equations = _list(held["equations"], lambda row: _list(row, lambda term: _term(term, count)))
    points = _list(held["points"], lambda point: _ratio(point, ("cells", "moves"), count, _long))
    cuts = _list(held["cuts"], lambda cut: _cut(cut, count, len(equations)))
    return ClaimedSuppression(
        sealed=_digest(text) == held["digest"],
        format=_word(held["format"]),
        status=_word(held["status"]),
        cost=_number(held["cost"]),
        bound=_number(held["bound"]),
        solver_bound=_or_none(held["solver_bound"], _number),
        dims=dims,
        margins=margins,
        joint=_word(held["joint"]),
        limit=_word(held["limit"]),
        cells=cells,
        tables=_list([] if held["format"] in EARLIER else held["tables"], lambda one: _table(_dict(one), count)),
        frozen=_list(held["frozen"], lambda cell: _place(cell, count)),
        kept=_list(held["kept"], lambda cell: _place(cell, count)),
        files=_list(held["files"], lambda file: _file(_dict(file), count)),
        equations=equations,
        points=points,
        witnesses=_list(held["witnesses"], lambda each: _speaks(_dict(each), count, len(points))),
        insiders=_whole(held["insiders"]),
        inside=_list(held["inside"], lambda each: _inside(_dict(each), count, len(points))),
        cuts=cuts,
        parts=_list(held["parts"], lambda part: _part(_dict(part), count, len(cuts))),
    )


def _digest(text: str) -> str:
    """Return the SHA-256 of all but the digest itself: it guards against slips; what is proven does not rest on it."""
    plain = _dict(json.loads(text))
    rest = {name: part for name, part in plain.items() if name != "digest"}
    return sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _cells(held: dict[str, Any], dims: int) -> ClaimedCells:
    columns: dict[str, list[Any]] = {
        "keys": _list(held["keys"], lambda key: tuple(_list(key, _word))),
        "status": _list(held["status"], _word),
        **{
            name: _list(held[name], _number)
            for name in ("value", "weight", "lower_level", "upper_level", "sliding_level", "frequency", "gave")
        },
        **{name: _list(held[name], lambda end: _or_none(end, _number)) for name in ("lower", "upper")},
    }
    if len({len(column) for column in columns.values()}) != 1:
        raise ValueError("the columns of the cells are not of one length")
    if any(len(key) != dims for key in columns["keys"]):
        raise ValueError(f"a key has not {dims} codes")
    return ClaimedCells(**columns)


def _cut(held: object, cells: int, equations: int) -> ClaimedCut:
    cut = _dict(held)
    counted = cut["counted"]
    if not isinstance(counted, bool) or (cut["up"] is None and cut["down"] is None):
        raise ValueError("a cut says neither up nor down, or not whether it counts")
    up, down = (
        _or_none(cut[way], lambda one: _ratio(one, ("rows", "values"), equations, _whole)) for way in ("up", "down")
    )
    insider = _or_none(cut["insider"], lambda cell: _place(cell, cells))
    return ClaimedCut(primary=_place(cut["primary"], cells), up=up, down=down, counted=counted, insider=insider)


def _ratio(held: object, names: tuple[str, str], most: int, read: Callable[[object], int]) -> Ratio:
    part = _dict(held)
    places, numbers = _list(part[names[0]], lambda place: _place(place, most)), _list(part[names[1]], read)
    denominator = read(part["denominator"])
    if denominator <= 0 or len(places) != len(numbers) or len(set(places)) != len(places):
        raise ValueError("a denominator is not above 0, or places and numbers do not match")
    return Ratio(places=places, numbers=numbers, denominator=denominator)


def _file(held: dict[str, Any], cells: int) -> FileClaim:
    return FileClaim(
        role=_word(held["role"]),
        name=_word(held["name"]),
        digest=_word(held["digest"]),
        cells=_list(held["cells"], lambda cell: _place(cell, cells)),
    )


def _table(held: dict[str, Any], cells: int) -> ClaimedTable:
    dims, margins = _list(held["dims"], _word), _list(held["margins"], _word)
    if len(margins) != len(dims):
        raise ValueError("a table has not a margin for each of its dimensions")
    return ClaimedTable(
        name=_word(held["name"]),
        dims=dims,
        margins=margins,
        measure=_word(held["measure"]),
        cells=_list(held["cells"], lambda cell: _place(cell, cells)),
    )


def _speaks(held: dict[str, Any], cells: int, points: int) -> Speaks:
    down, up = (_or_none(held[way], lambda one: _place(one, points)) for way in ("down", "up"))
    return Speaks(cell=_place(held["cell"], cells), down=down, up=up)


def _inside(held: dict[str, Any], cells: int, points: int) -> tuple[int, list[int]]:
    return _place(held["cell"], cells), _list(held["points"], lambda one: _place(one, points))


def _part(held: dict[str, Any], cells: int, cuts: int) -> tuple[list[int], Sum | Cases]:
    return _list(held["cells"], lambda cell: _place(cell, cells)), _tree(_dict(held["tree"]), cells, cuts)


def _tree(held: dict[str, Any], cells: int, cuts: int) -> Sum | Cases:
    if "cell" in held:
        zero, one = (_tree(_dict(held[word]), cells, cuts) for word in ("zero", "one"))
        return Cases(cell=_place(held["cell"], cells), zero=zero, one=one)
    scale, parts = _whole(held["scale"]), _list(held["sum"], lambda pair: _share(pair, cuts))
    if scale <= 0:
        raise ValueError("the scale of a sum is not above 0")
    return Sum(scale=scale, parts=parts)


def _share(pair: object, cuts: int) -> tuple[int, int]:
    cut, part = _list(pair, _whole)
    if part < 0:
        raise ValueError("a cut has a negative part in a sum")
    return _place(cut, cuts), part


def _term(pair: object, cells: int) -> tuple[int, int]:
    cell, sign = _list(pair, _whole)
    return _place(cell, cells), sign


def _list(thing: object, each: Callable[[Any], T]) -> list[T]:
    if not isinstance(thing, list):
        raise TypeError(f"{_short(thing)} stands where a list is due")
    some: list[Any] = thing
    return [each(one) for one in some]


def _dict(thing: object) -> dict[str, Any]:
    if not isinstance(thing, dict):
        raise TypeError(f"{_short(thing)} stands where an object is due")
    return thing


def _or_none(thing: object, read: Callable[[Any], T]) -> T | None:
    return None if thing is None else read(thing)


def _word(thing: object) -> str:
    if not isinstance(thing, str):
        raise TypeError(f"{_short(thing)} stands where a word is due")
    return thing


def _number(thing: object) -> Number:
    if isinstance(thing, bool) or not isinstance(thing, int | Fraction):
        raise TypeError(f"{_short(thing)} stands where a number is due")
    return _brief(thing) if isinstance(thing, int) else thing


def _whole(thing: object) -> int:
    return _brief(_long(thing))


def _long(thing: object) -> int:
    if isinstance(thing, bool) or not isinstance(thing, int):
        raise TypeError(f"{_short(thing)} stands where a whole number is due")
    return thing


def _brief(number: int) -> int:
    if abs(number) >= 10**DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return number


def _place(thing: object, most: int) -> int:
    place = _whole(thing)
    if not 0 <= place < most:
        raise ValueError(f"{place} is none of {most}")
    return place


def _digits(text: str) -> int:
    if len(text) > LONG:
        raise ValueError(f"a number has more than {LONG} digits")
    return int(text)


def _decimal(text: str) -> Fraction:
    """Return a decimal number exactly; the exponent is looked at before it costs anything."""
    number = Decimal(text) if len(text) <= DIGITS else Decimal("1e99999")
    if number and abs(number.adjusted()) > DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return Fraction(number)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _short(thing: object) -> str:
    words = repr(thing)
    return words if len(words) <= 40 else words[:40] + "…"
