"""What a certificate of published statements claims, read strictly.

Method, parameters and shown numbers stand in it; statements do not: the checker derives them itself
(:mod:`sekisho.tables.check.release_methods`). Parameters that a method does not have are refused, so that no key and no
seed of a method with chance can stand there; a digest commits to these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sekisho.tables.check.claims import ClaimedSystem, read_system
from sekisho.tables.check.strict_json import (
    Number,
    Ratio,
    read_dict,
    read_list,
    read_number,
    read_or_none,
    read_place,
    read_ratio,
    read_text,
    read_whole,
    read_word,
    shorten,
)

RELEASE_FORMAT = "sekisho table release 1"
HEXADECIMAL = frozenset("0123456789abcdef")
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "round": {"objective": ("least", "unbiased")},
    "small": {"norm": ("all", "margins", "greatest")},
    "perturb": {"additive": ("no", "sum", "closest")},
    "intervals": {},
    "adjust": {},
}
"""By method the parameters that are words, and which words there are."""
NUMBERS: dict[str, tuple[str, ...]] = {
    "round": ("base", "steps"),
    "small": ("base",),
    "perturb": ("unit",),
    "intervals": (),
    "adjust": (),
}
"""By method the parameters that are whole numbers from 0 on."""
Ends = tuple[Number, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthCut:
    """Multipliers that say how wide intervals must be for one cell: up, down, or both for its whole width."""

    cell: int
    up: Ratio | None
    down: Ratio | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRelease(ClaimedSystem):
    """What is claimed of a release, as far as it is checked.

    Attributes:
        method: ``round``, ``small``, ``perturb``, ``intervals`` or ``adjust``.
        words: its parameters that are words.
        numbers: its parameters that are numbers.
        rows: of ``perturb``: by true count what it may become, with its chance in units.
        before: of ``perturb`` made additive: the numbers with noise from which alone what is shown was made; else none.
        against: the knowledge of the readers that it is promised against.
        shown: the number shown of each cell, or the ends of the interval; of an unpublished cell, what was chosen.
        down: how far below its value a cell was asked to reach, or to be moved, by secret levels; None for its own.
        up: the same upwards.
        theorem: whether the interval of each cell is said to be that of its own statement.
        dual: multipliers of the equations that prove the bound.
        cuts: or cuts of widths that do, with the parts of their sum over ``scale``.
        commitment: the digest of secret keys or draws; empty where there is no chance.
    """

    method: str
    words: dict[str, str]
    numbers: dict[str, int]
    rows: list[dict[int, int]]
    before: list[int]
    against: list[str]
    shown: list[Number | Ends]
    down: list[Number | None]
    up: list[Number | None]
    theorem: bool
    dual: Ratio | None
    cuts: list[WidthCut]
    scale: int
    parts: list[int]
    commitment: str


def is_release(text: str) -> bool:
    """Tell whether a text calls itself a certificate of published statements."""
    return f'"{RELEASE_FORMAT}"' in text


def read_release(text: str) -> ClaimedRelease:
    """Return what a text claims.

    Raises:
        ValueError: it is no certificate of a release; also TypeError, LookupError and RecursionError.
    """
    held = read_text(text)
    if read_word(held["format"]) != RELEASE_FORMAT:
        raise ValueError(f"the format is {shorten(held['format'])}, not {RELEASE_FORMAT!r}")
    system = read_system(held, text)
    count, equations, method = len(system["cells"].value), len(system["equations"]), read_word(held["method"])
    if method not in WORDS:
        raise ValueError(f"the method {shorten(method)} is unknown")
    parameters, proof, theorem = read_dict(held["parameters"]), read_dict(held["proof"]), held["theorem"]
    if not isinstance(theorem, bool):
        raise TypeError("it is not said whether the theorem is used")
    columns = {name: read_list(held[name], lambda one: read_or_none(one, read_number)) for name in ("down", "up")}
    shown = read_list(held["shown"], _read_shown)
    told = _read_parameters(method, parameters)
    if {len(shown), len(told["before"]) or count, *map(len, columns.values())} != {count}:
        raise ValueError("the columns of the cells are not of one length")
    cuts = read_list(proof["cuts"], lambda cut: _read_cut(read_dict(cut), count, equations))
    parts = read_list(proof["parts"], read_whole)
    if len(parts) != len(cuts) or min(parts, default=0) < 0 or read_whole(proof["scale"]) <= 0:
        raise ValueError("the cuts of widths have not a part each")
    return ClaimedRelease(
        **system,
        **columns,
        **told,
        method=method,
        against=read_list(held["against"], read_word),
        shown=shown,
        theorem=theorem,
        dual=read_or_none(proof["dual"], lambda one: read_ratio(one, ("rows", "values"), equations, read_whole)),
        cuts=cuts,
        scale=read_whole(proof["scale"]),
        parts=parts,
        commitment=_read_commitment(held["commitment"]),
    )


def _read_parameters(method: str, held: dict[str, Any]) -> dict[str, Any]:
    further = ["rows", *(["before"] if held.get("additive") == "closest" else [])] if method == "perturb" else []
    allowed = {*WORDS[method], *NUMBERS[method], *further}
    if set(held) != allowed:
        raise ValueError(f"the parameters of {method} are {', '.join(sorted(allowed))}, not {shorten(sorted(held))}")
    words = {name: read_word(held[name]) for name in WORDS[method]}
    numbers = {name: read_whole(held[name]) for name in NUMBERS[method]}
    if any(words[name] not in some for name, some in WORDS[method].items()) or min(numbers.values(), default=0) < 0:
        raise ValueError(f"a parameter of {method} is none")
    rows = read_list(held["rows"], lambda row: dict(read_list(row, _read_chance))) if "rows" in allowed else []
    before = read_list(held["before"], read_whole) if "before" in allowed else []
    if ("before" in allowed and not before) or min(before, default=0) < 0:
        raise ValueError("the numbers before they were moved are none")
    return {"words": words, "numbers": numbers, "rows": rows, "before": before}


def _read_chance(pair: object) -> tuple[int, int]:
    shown, units = read_list(pair, read_whole)
    if shown < 0 or units < 0:
        raise ValueError("a chance or a number of a row is below 0")
    return shown, units


def _read_shown(thing: object) -> Number | Ends:
    if not isinstance(thing, list):
        return read_number(thing)
    low, high = read_list(thing, read_number)
    return low, high


def _read_cut(held: dict[str, Any], cells: int, equations: int) -> WidthCut:
    up, down = (
        read_or_none(held[way], lambda one: read_ratio(one, ("rows", "values"), equations, read_whole))
        for way in ("up", "down")
    )
    if up is None and down is None:
        raise ValueError("a cut of widths says neither up nor down")
    return WidthCut(cell=read_place(held["cell"], cells), up=up, down=down)


def _read_commitment(thing: object) -> str:
    word = read_word(thing)
    if word and (len(word) != 64 or not HEXADECIMAL.issuperset(word)):
        raise ValueError("the commitment is no SHA-256")
    return word
