"""A table as its page shows it: the grid of a layer, why a cell is hidden, what changed since an earlier run.

All of it is arranged from what a run wrote of its cells; nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from sekisho.report.pages.tables.grid import format_value
from sekisho.server.desk.plain_data import Plain
from sekisho.words import Said

MOST_ROWS, MOST_COLUMNS = 60, 20
"""A larger table is shown part by part."""
BETWEEN, LEAST, MOST = " – ", "−∞", "∞"
LETTER_WORDS: Mapping[str, Said] = {
    "": Said("shown"),
    "P": Said("unsafe, hidden"),
    "S": Said("hidden to protect others"),
    "U": Said("unsafe, shown so that it stays open"),
    "R": Said("shown, and not told exactly"),
}
HIDDEN = ("P", "S")
"""The letters of cells that are hidden; others are shown somehow."""


def name_key(codes: Sequence[str]) -> str:
    """Return how addresses call a cell."""
    return ";".join(codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCell:
    """One cell.

    Attributes:
        codes: one for each dimension.
        letter: ``P`` and ``S`` of hidden cells; ``U`` and ``R`` of those that are shown, but not as they are.
        text: its value, or the interval in which an attacker must place it.
        contributors: how many stand behind it.
        changed: whether it was hidden before and is not now, or the reverse.
        shared: the other tables in which it stands.
        elsewhere: the table in which it stands, where that is another than the one shown.
        plain: all that the run wrote of it.
    """

    codes: tuple[str, ...]
    letter: str
    text: str
    contributors: int
    changed: bool = False
    shared: tuple[str, ...] = ()
    elsewhere: str = ""
    plain: Plain = field(default_factory=dict[str, Any], repr=False)

    @property
    def key(self) -> str:
        """How addresses call it."""
        return name_key(self.codes)

    @property
    def name(self) -> str:
        """How people call it."""
        name = ", ".join(self.codes)
        return f"{name} ({self.elsewhere})" if self.elsewhere else name

    @property
    def standing(self) -> Said:
        """What is done with it, in words."""
        return LETTER_WORDS[self.letter]

    @property
    def true(self) -> str:
        """Its value, hidden or not."""
        value = self.plain["value"] if self.plain["true"] is None else self.plain["true"]
        return format_figure(value)

    @property
    def is_hidden(self) -> bool:
        """Whether nothing is shown of it."""
        return self.letter in HIDDEN

    @property
    def range(self) -> str:
        """Between which values a reader must place it."""
        return format_interval(self.plain["interval"])

    @property
    def alone(self) -> str:
        """Between which values its number alone places it; a mark where it says nothing."""
        return "–" if self.said is None or self.said["alone"] is None else format_interval(self.said["alone"])

    @property
    def said(self) -> Plain | None:
        """Why it is shown as it is and what that says, where cells are not hidden; None where they are."""
        return self.plain.get("said")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeChoice:
    """What may be chosen of one dimension: the codes that are shown then."""

    label: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """The choices of one dimension; one is taken."""

    dim: str
    choices: tuple[CodeChoice, ...]
    chosen: int

    @property
    def codes(self) -> tuple[str, ...]:
        """What is shown of the dimension."""
        return self.choices[self.chosen].codes

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to choose."""
        return len(self.choices) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """A row of the grid; None for a cell that the table does not have."""

    code: str
    is_sum: bool
    cells: tuple[ShownCell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGrid:
    """Rows and columns of a layer, and what can be chosen beside it."""

    dims: tuple[str, ...]
    choosers: tuple[Chooser, ...]
    columns: tuple[str, ...]
    column_sums: frozenset[str]
    rows: tuple[ShownRow, ...]

    @property
    def layers(self) -> tuple[Chooser, ...]:
        """The dimensions of which something can be chosen."""
        return tuple(one for one in self.choosers if one.is_asked)


class TableCells:
    """The cells of one of a run's tables."""

    def __init__(self, plain: Plain, before: Plain | None = None) -> None:
        """Take what a run wrote of a table, and what an earlier one did."""
        self.name: str = plain["name"]
        self.dims: tuple[str, ...] = tuple(plain["dims"])
        self.margins: tuple[str, ...] = tuple(plain["margins"])
        self.parts: list[dict[str, list[str]]] = plain["parts"]
        self.total: int = plain["total"]
        earlier = {} if before is None else _list_letters(before)
        self.is_compared = before is not None and tuple(before["dims"]) == self.dims
        self.cells: dict[tuple[str, ...], ShownCell] = {}
        for one in plain["cells"]:
            codes = tuple(one["key"])
            changed = self.is_compared and codes in earlier and bool(earlier[codes]) is not bool(one["letter"])
            self.cells[codes] = ShownCell(
                codes=codes,
                letter=one["letter"],
                text=format_interval(one["interval"]) if one["letter"] in HIDDEN else format_shown(one["value"]),
                contributors=one["contributors"],
                changed=changed,
                shared=tuple(one["shared"]),
                plain=one,
            )

    @property
    def hidden(self) -> list[ShownCell]:
        """The hidden cells, in the order of the table."""
        return [one for one in self.cells.values() if one.is_hidden]

    @property
    def is_stated(self) -> bool:
        """Whether no cell is hidden, and each says something."""
        return any(one.said is not None for one in self.cells.values())

    @property
    def changed(self) -> list[ShownCell]:
        """The cells that were hidden in the earlier run and are not in this one, or the reverse."""
        return [one for one in self.cells.values() if one.changed]

    @property
    def contributors(self) -> int:
        """How many stand behind the whole table; 0 where it has no total."""
        whole = self.cells.get(self.margins)
        return 0 if whole is None else whole.contributors

    def count(self, letter: str) -> int:
        """Return how many cells have a letter."""
        return sum(one.letter == letter for one in self.cells.values())

    def find(self, key: str) -> ShownCell | None:
        """Return the cell that an address names."""
        return next((one for one in self.cells.values() if one.key == key), None)

    def lay_out(self, asked: Sequence[str]) -> ShownGrid:
        """Return the grid of the layer that is asked for, one choice a dimension; the whole or the first if not."""
        last = len(self.dims) - 1
        choosers = tuple(self._offer(axis, asked[axis] if axis < len(asked) else "") for axis in range(last + 1))
        fixed = [chooser.codes[0] for chooser in choosers]
        columns = choosers[-1].codes if last else ("",)
        rows = [
            ShownRow(
                code=row,
                is_sum=row in self.parts[0],
                cells=tuple(self.cells.get((row, *fixed[1:last], column) if last else (row,)) for column in columns),
            )
            for row in choosers[0].codes
        ]
        sums = frozenset(self.parts[-1]) if last else frozenset[str]()
        return ShownGrid(dims=self.dims, choosers=choosers, columns=columns, column_sums=sums, rows=tuple(rows))

    def _offer(self, axis: int, asked: str) -> Chooser:
        there = dict.fromkeys(key[axis] for key in self.cells)
        margin = self.margins[axis]
        codes = [margin, *(one for one in there if one != margin)] if margin in there else list(there)
        if 0 < axis < len(self.dims) - 1:
            choices = tuple(CodeChoice(label=code, codes=(code,)) for code in codes)
        else:
            choices = tuple(self._cut(axis, codes, MOST_COLUMNS if axis else MOST_ROWS))
        chosen = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 0
        return Chooser(dim=self.dims[axis], choices=choices, chosen=chosen if chosen < len(choices) else 0)

    def _cut(self, axis: int, codes: list[str], most: int) -> Iterator[CodeChoice]:
        """Give what can be shown at once: all, or the parts of each sum, the longest of them piece by piece."""
        if len(codes) <= most:
            yield CodeChoice(label="", codes=tuple(codes))
            return
        sums = {code: self.parts[axis][code] for code in codes if code in self.parts[axis]} or {"": codes}
        for code, parts in sums.items():
            head = (code,) if code else ()
            step = most - len(head)
            for start in range(0, len(parts), step):
                piece = tuple(parts[start : start + step])
                place = f" {start + 1}{BETWEEN}{start + len(piece)}" if len(parts) > step else ""
                yield CodeChoice(label=f"{code}{place}".strip(), codes=(*head, *piece))


def _list_letters(plain: Plain) -> dict[tuple[str, ...], str]:
    return {tuple(one["key"]): one["letter"] for one in plain["cells"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SumTerm:
    """A figure of a sum; the name of a cell that is hidden instead of it."""

    text: str
    hidden: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSum:
    """A sum in figures: of what it is, the total, the parts."""

    name: str
    total: SumTerm
    parts: tuple[SumTerm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChain:
    """What a hidden cell protects, and by which sums."""

    protects: ShownCell
    through: tuple[ShownCell, ...]
    sums: tuple[ShownSum, ...]
    follows: Said


def find_named(
    cells: TableCells, others: Mapping[str, TableCells], places: Mapping[str, Sequence[str]]
) -> ShownCell | None:
    """Return a cell by the codes under which it stands in each table; of this table if it stands here."""
    for table in (cells.name, *places):
        found = others[table].cells.get(tuple(places[table])) if table in places and table in others else None
        if found is not None:
            return found if table == cells.name else replace(found, elsewhere=table)
    return None


def list_chains(cells: TableCells, others: Mapping[str, TableCells], cell: ShownCell) -> list[ShownChain]:
    """Return what a hidden cell protects: the sums between them, and what would follow if it were shown.

    Of several tables what it protects, and the sums between, may stand in another (``others``, this one among them).
    """
    chains: list[ShownChain] = []
    for one in cell.plain["why"] or ():
        protects = find_named(cells, others, one["protects"])
        if protects is None:
            continue
        through = [find_named(cells, others, places) for places in one["through"]]
        insider = find_named(cells, others, one.get("insider", {}))
        chains.append(
            ShownChain(
                protects=protects,
                through=tuple(each for each in through if each is not None),
                sums=tuple(_lay_sum(each) for each in one["sums"] if each is not None),
                follows=_conclude(cell, protects, one["shown"], insider),
            )
        )
    return sorted(chains, key=lambda chain: len(chain.sums))


def _conclude(
    cell: ShownCell, protects: ShownCell, interval: Sequence[float | None], insider: ShownCell | None
) -> Said:
    low, high = interval
    if insider is not None:
        return Said(
            "If it were shown ({value}), a contributor of {insider}, who knows what it gave, could place {cell} "
            "between {low} and {high}, closer than the rules allow.",
            value=cell.true,
            insider=insider.name,
            cell=protects.name,
            low=format_figure(low, LEAST),
            high=format_figure(high, MOST),
        )
    if low is not None and high is not None and format_figure(low) == format_figure(high):
        return Said(
            "If it were shown ({value}), everybody could subtract and would have {cell} = {exact}, exactly what is "
            "hidden.",
            value=cell.true,
            cell=protects.name,
            exact=format_figure(low),
        )
    return Said(
        "If it were shown ({value}), everybody could place {cell} between {low} and {high}, closer than the rules "
        "allow.",
        value=cell.true,
        cell=protects.name,
        low=format_figure(low, LEAST),
        high=format_figure(high, MOST),
    )


def _lay_sum(plain: Plain) -> ShownSum:
    total, parts = plain["total"], plain["parts"]
    first = parts[0]["key"] if parts else total["key"]
    axis = next((at for at, (one, other) in enumerate(zip(total["key"], first, strict=True)) if one != other), 0)
    name = ", ".join(code for at, code in enumerate(total["key"]) if at != axis)
    return ShownSum(name=name, total=_lay_term(total, axis), parts=tuple(_lay_term(one, axis) for one in parts))


def _lay_term(plain: Plain, axis: int) -> SumTerm:
    if plain["value"] is None:
        return SumTerm(text=plain["key"][axis], hidden=True)
    return SumTerm(text=format_figure(plain["value"]), hidden=False)


def format_figure(value: float | None, endless: str = "–") -> str:
    """Return a number as a cell shows it; a mark for none, or for one without end."""
    return endless if value is None else format_value(float(value))


def format_shown(value: object) -> str:
    """Return what a cell shows: a number, or an interval where its ends differ."""
    if not isinstance(value, list):
        return format_figure(None if value is None else float(str(value)))
    low, high = cast("list[float | None]", value)
    return format_figure(low) if low == high else format_interval((low, high))


def format_interval(ends: Sequence[float | None] | None) -> str:
    """Return an interval as a cell shows it."""
    return "" if ends is None else f"{format_figure(ends[0], LEAST)}{BETWEEN}{format_figure(ends[1], MOST)}"
