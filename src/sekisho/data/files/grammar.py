"""How generalised cells are written in a file: the grammar is data, the code reads any such grammar.

A cell is the suppression mark, a value, a range between two values or a set of values; which of these a column may
hold, how its values look and between which limits they lie is said by its :class:`FieldRules`. Reading and writing work
on whole columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL, FaultNotes
from sekisho.data.files.values import StrictWriting, Writing, describe_numeral, find_distinct_texts
from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, Cells, RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Kind, Meaning, Role, RoleOrigin, grid_series
from sekisho.errors import ParameterError
from sekisho.words import Said, join_words

T = TypeVar("T", bound=np.generic)

STRICT = StrictWriting()


class Form(StrEnum):
    """What a cell may be beside an exact value."""

    RANGE = "range"
    SET = "set"
    SUPPRESSED = "suppressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The marks of generalised cells."""

    suppressed: str = "*"
    range: tuple[str, ...] = ("[", ";", "]")
    set: tuple[str, ...] = ("{", ";", "}")
    max_set: int = 100

    def __post_init__(self) -> None:
        for name, marks in (("range", self.range), ("set", self.set)):
            if len(marks) != 3 or not all(len(mark) == 1 for mark in marks):
                raise ParameterError(name, Said("be three single characters: opening, between, closing"), list(marks))
        if self.max_set < 1:
            raise ParameterError("max_set", Said("be at least 1"), self.max_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRules:
    """How a column's cells are written.

    Attributes:
        pattern: of a category, the regular expression a value must match as a whole.
        low: of a number, the least value allowed, as written; empty for none.
        high: the same for the largest.
        forms: what a processed cell may be beside an exact value.
        means: what the column says about a purchase.
        writing: how its values are written; strictly in a contest's files.
        origin: who says its role.
    """

    name: str
    kind: Kind
    role: Role = Role.QUASI
    decimals: int = 0
    pattern: str = ".+"
    low: str = ""
    high: str = ""
    forms: tuple[Form, ...] = ()
    means: Meaning | None = None
    writing: Writing = field(default=STRICT, metadata={"derived": True})
    origin: RoleOrigin = field(default=RoleOrigin.NOBODY, metadata={"derived": True})

    def __post_init__(self) -> None:
        _ = self.column  # refuses decimals that no grid has, before a limit is read with them
        check_pattern(self.pattern)
        wrong = Form.SET if self.kind.numeric else Form.RANGE
        if wrong in self.forms:
            raise ParameterError(
                "forms", Said("not hold {wrong} for kind {kind}", wrong=wrong, kind=self.kind), list(self.forms)
            )
        for name, limit in (("low", self.low), ("high", self.high)):
            if limit and not (self.kind.numeric and self.read_values(pl.Series([limit]))[1].all()):
                raise ParameterError(name, Said("be a {kind} as the file writes it", kind=self.kind), limit)

    @property
    def column(self) -> Column:
        """The column of the schema."""
        return Column(
            name=self.name,
            kind=self.kind,
            role=self.role,
            origin=self.origin,
            decimals=self.decimals,
            means=self.means,
        )

    def read_values(self, text: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what written values of a numeric column mean on its grid, and which of them can be read."""
        return self.writing.read(text, self.kind, self.decimals)

    def bounds(self) -> tuple[float | None, float | None]:
        """Return the least and the largest value of a column of numbers as numbers; None where there is none."""
        low, high = self.limits()
        unit = 10**self.decimals
        return low / unit if self.low else None, high / unit if self.high else None

    def limits(self) -> tuple[int, int]:
        """Return the least and the largest value on the grid."""
        return _read_limits(self)


@cache
def check_pattern(pattern: str) -> None:
    """Refuse what is no regular expression, or one that cannot be matched in time proportional to the text."""
    try:
        matches(pl.Series([""]), pattern)
    except pl.exceptions.ComputeError as error:
        reason = str(error).strip().rpartition("\n")[2].removeprefix("error: ")
        raise ParameterError("pattern", Said("be a regular expression ({reason})", reason=reason), pattern) from error


def matches(text: pl.Series, pattern: str) -> NDArray[np.bool_]:
    """Tell which texts match a pattern as a whole."""
    return text.str.contains(f"^(?:{pattern})$").to_numpy()


@cache
def _read_limits(rules: FieldRules) -> tuple[int, int]:
    ends = np.iinfo(np.int64)
    low = int(rules.read_values(pl.Series([rules.low]))[0][0]) if rules.low else int(ends.min)
    return low, int(rules.read_values(pl.Series([rules.high]))[0][0]) if rules.high else int(ends.max)


def read_exact(text: pl.Series, rules: FieldRules, notes: FaultNotes) -> pl.Series:
    """Return a column of exact values as the frame of a data set holds it."""
    if rules.kind.numeric:
        values, readable = rules.read_values(text)
        gaps = find_empty(text, rules)
        _note_values(values, readable, readable | gaps, rules, text, notes)
        grid = grid_series(rules.name, np.where(gaps, MISSING_NUMBER, values))
        return grid.cast(pl.Int32).cast(pl.Date) if rules.kind is Kind.DATE else grid
    _note_mismatches(text, rules, notes)
    return text.alias(rules.name)


def find_empty(text: pl.Series, rules: FieldRules) -> NDArray[np.bool_]:
    """Tell which cells of a column of numbers are missing, where the file may have such."""
    if not rules.writing.carries_missing:
        return np.zeros(len(text), dtype=np.bool_)
    return (text == MISSING_TEXT).to_numpy()


def read_cells(
    text: pl.Series, rules: FieldRules, grammar: Grammar, domain: tuple[str, ...], notes: FaultNotes
) -> Cells:
    """Return a column of processed cells; cells with a fault come back suppressed."""
    if not rules.kind.numeric:
        return _read_sets(text, _find_suppressed(text, rules, grammar, notes), rules, grammar, domain, notes)
    distinct = find_distinct_texts(text)
    text_notes = FaultNotes(notes.source, len(distinct.text))
    cells = _read_ranges(
        distinct.text, _find_suppressed(distinct.text, rules, grammar, text_notes), rules, grammar, text_notes
    )
    notes.note_texts(text_notes, rules.name, distinct.place)
    return cells.take(distinct.place).suppress(~notes.is_fine(rules.name))


def _find_suppressed(text: pl.Series, rules: FieldRules, grammar: Grammar, notes: FaultNotes) -> NDArray[np.bool_]:
    suppressed = (text == grammar.suppressed).to_numpy()
    if Form.SUPPRESSED not in rules.forms:
        notes.note(suppressed, rules.name, "form", text, Said("{name} may not be suppressed", name=rules.name))
    return suppressed


def write_cells(cells: Cells, rules: FieldRules, grammar: Grammar) -> pl.Series:
    """Return a column of cells as text; a range or set of one value is written as that value."""
    if isinstance(cells, RangeCells):
        lower = rules.writing.write(cells.lower, rules.kind, rules.decimals).alias("lower")
        upper = rules.writing.write(cells.upper, rules.kind, rules.decimals).alias("upper")
        opening, between, closing = grammar.range
        spread = pl.concat_str(pl.lit(opening), "lower", pl.lit(between), "upper", pl.lit(closing))
        single = pl.col("lower")
    else:
        names = rules.writing.escape(pl.Series(cells.domain, dtype=pl.String)).gather(cells.codes)
        lower = _join_names(names, cells, grammar.set[1]).alias("lower")
        upper = lower.alias("upper")
        spread = pl.concat_str(pl.lit(grammar.set[0]), "lower", pl.lit(grammar.set[2]))
        single = pl.col("lower")
    frame = pl.DataFrame([lower, upper, pl.Series("s", cells.suppressed), pl.Series("e", cells.is_exact())])
    text = pl.when(pl.col("s")).then(pl.lit(grammar.suppressed)).when(pl.col("e")).then(single).otherwise(spread)
    return frame.select(text.alias(rules.name)).to_series()


def _join_names(names: pl.Series, cells: SetCells, between: str) -> pl.Series:
    """Return the names of each cell joined, null where there is none; most cells have one, which stands as it is."""
    sizes = cells.sizes()
    firsts = pl.Series(np.where(sizes > 0, cells.offsets[:-1], -1)).replace(-1, None)
    several = np.flatnonzero(sizes > 1)
    joined = names.gather(firsts)
    if not len(several):
        return joined
    many = np.repeat(sizes > 1, sizes)
    rows = pl.DataFrame({"row": cells.owners()[many], "name": names.filter(pl.Series(many))})
    texts = rows.group_by("row", maintain_order=True).agg(pl.col("name").str.join(between))["name"]
    return joined.scatter(several, texts)


def _find_bracketed(text: pl.Series, form: Form, rules: FieldRules, marks: tuple[str, ...]) -> NDArray[np.bool_]:
    if form not in rules.forms:
        return np.zeros(len(text), dtype=np.bool_)
    return (text.str.starts_with(marks[0]) & text.str.ends_with(marks[2])).to_numpy()


def _strip_brackets(text: pl.Series) -> pl.Series:
    return text.str.slice(1).str.head(-1)


def _read_ranges(
    text: pl.Series, empty: NDArray[np.bool_], rules: FieldRules, grammar: Grammar, notes: FaultNotes
) -> RangeCells:
    wide = _find_bracketed(text, Form.RANGE, rules, grammar.range)
    single, spread = pl.Series(~wide), pl.Series(wide)
    low, high = _strip_brackets(text.filter(spread)).str.splitn(grammar.range[1], 2).struct.unnest()
    values, readable = rules.read_values(pl.concat([text.filter(single), low, high]))
    order = np.concatenate([np.flatnonzero(~wide), np.flatnonzero(wide)])
    lower, upper = _split_ends(values, order, len(low))
    gaps = find_empty(text, rules)
    for end, readable_end in zip((lower, upper), _split_ends(readable, order, len(low)), strict=True):
        _note_values(end, readable_end, readable_end | empty | gaps, rules, text, notes)
    notes.note(
        lower > upper,
        rules.name,
        "order",
        text,
        Said("{name} {value} has its ends in the wrong order", name=rules.name, value=CELL),
    )
    lost = ~notes.is_fine(rules.name) | empty
    lower[lost] = upper[lost] = 0
    lower[gaps] = upper[gaps] = MISSING_NUMBER
    return RangeCells(lower=lower, upper=upper, suppressed=lost)


def _split_ends(values: NDArray[T], order: NDArray[np.intp], spread: int) -> tuple[NDArray[T], NDArray[T]]:
    """Return each row's lower and upper end.

    The values are first the single values and lower ends, in this order of rows, then the upper ends.
    """
    lower = np.empty(len(order), dtype=values.dtype)
    lower[order] = values[: len(order)]
    upper = lower.copy()
    upper[order[len(order) - spread :]] = values[len(order) :]
    return lower, upper


def _note_values(
    values: NDArray[np.int64],
    readable: NDArray[np.bool_],
    fine: NDArray[np.bool_],
    rules: FieldRules,
    text: pl.Series,
    notes: FaultNotes,
) -> None:
    allowed = join_words([describe_numeral(rules.kind, rules.decimals), *map(_say_form, rules.forms)], " or ")
    notes.note(
        ~fine,
        rules.name,
        "grammar",
        text,
        Said("{name} {value} is not {allowed}", name=rules.name, value=CELL, allowed=allowed),
    )
    low, high = rules.limits()
    outside = readable & ((values < low) | (values > high))
    notes.note(
        outside,
        rules.name,
        "limits",
        text,
        Said("{name} {value} is outside {low} to {high}", name=rules.name, value=CELL, low=rules.low, high=rules.high),
    )


def _say_form(form: Form) -> Said:
    return {Form.RANGE: Said("range"), Form.SET: Said("set"), Form.SUPPRESSED: Said("form|suppressed")}[form]


def _note_mismatches(text: pl.Series, rules: FieldRules, notes: FaultNotes) -> None:
    wrong = ~matches(text, rules.pattern)
    notes.note(
        wrong,
        rules.name,
        "grammar",
        text,
        Said("{name} {value} does not match {pattern}", name=rules.name, value=CELL, pattern=rules.pattern),
    )


def split_sets(text: pl.Series, rules: FieldRules, grammar: Grammar) -> pl.Series:
    """Return of each cell the values that it lists, as they are written."""
    return _split_braced(text, _find_bracketed(text, Form.SET, rules, grammar.set), grammar)


def _split_braced(text: pl.Series, braced: NDArray[np.bool_], grammar: Grammar) -> pl.Series:
    return text.zip_with(pl.Series(~braced), _strip_brackets(text)).str.split(grammar.set[1])


def _read_sets(
    text: pl.Series,
    empty: NDArray[np.bool_],
    rules: FieldRules,
    grammar: Grammar,
    domain: tuple[str, ...],
    notes: FaultNotes,
) -> SetCells:
    braced = _find_bracketed(text, Form.SET, rules, grammar.set)
    split = _split_braced(text, braced, grammar)
    sizes = split.list.len().to_numpy()
    notes.note(
        braced & (sizes > grammar.max_set),
        rules.name,
        "set-size",
        text,
        Said("a set may hold at most {max_set} values", max_set=grammar.max_set),
    )
    notes.note(
        ~braced & ~empty & (sizes > 1),
        rules.name,
        "grammar",
        text,
        Said("{name} {value} is not a value or a set", name=rules.name, value=CELL),
    )
    owner = np.repeat(np.arange(len(text)), sizes)
    codes = _find_codes(rules.writing.restore(split.explode()), domain)
    codes[empty[owner]] = -1  # the mark may be a value as well, which is then written in code
    in_domain = codes >= 0
    unknown = np.zeros(len(text), dtype=np.bool_)
    unknown[owner[~in_domain]] = True
    notes.note(
        unknown & ~empty,
        rules.name,
        "unknown",
        text,
        Said("{name} {value} holds a value that is not in the original", name=rules.name, value=CELL),
    )
    if not in_domain.all():
        owner, codes = owner[in_domain], codes[in_domain]
    cells = gather_sets(owner, codes, len(text), domain)
    notes.note(
        (cells.sizes() < sizes) & ~empty,
        rules.name,
        "doubled",
        text,
        Said("{name} {value} holds a value twice", name=rules.name, value=CELL),
    )
    return cells.suppress(~notes.is_fine(rules.name))


def _find_codes(names: pl.Series, domain: tuple[str, ...]) -> NDArray[np.int32]:
    domain_type = pl.Enum(pl.Series(domain, dtype=pl.String))
    return names.cast(domain_type, strict=False).to_physical().cast(pl.Int32).fill_null(-1).to_numpy(writable=True)
