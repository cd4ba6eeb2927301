"""Which lines of a table are data: titles above the header, second headers, repeated ones, totals and notes below.

Nothing is left out for one reason alone. A title has few cells and stands above a line of names. A total or a note
leaves cells empty that hardly any other line leaves empty, and is unlike the cells of its column. A second header has
words where the column has numbers, or names what the first line leaves open. A repeated header is the header, cell by
cell. Whatever is left out is said, with its line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.words import Said

HEAD, TAIL = 60, 40
"""So many lines at the top and at the bottom are looked at."""
LISTED, LONGEST = 12, 60
MOST_TITLES = 25
FILLED, SELDOM, ENOUGH = 0.9, 0.01, 10
TOTAL = re.compile(
    r"^[\s(\[【<*=-]*(?:[総小合中累延]?合?計|総合計|総数|平均値?|(?:grand|sub-?|column|report|sous-|sous)?\s*totals?"
    r"|gesamt(?:summe|ergebnis)?|(?:zwischen)?summen?|somme|totaux|(?:sub-?)?totale|suma|totaal|average|mean|moyenne"
    r"|mittelwert|durchschnitt|promedio|media|итого|합계|총계|소계|总计|合计|小计|總計)(?:[\s:：)\]】>*=-]|\b|$)",
    re.IGNORECASE,
)
WITHIN = (
    r"(?i)^\s*(?:.{0,30}(?:小計|中計|合計|総計|計|소계|합계|小计|合计)|(?:.{1,30} )?(?:sub-?|sous-)?total|subtotale?"
    r"|(?:zwischen)?summe(?: .{1,30})?)\s*[:：]?\s*$"
)
"""What a total between the data is called, with the name of what it sums up."""
UNIT = re.compile(r"^[\[(（].*[\])）]$")
NUMBER = re.compile(r"^[-+−△▲(]?[¥$€£]?\s*[0-9][0-9.,'\s\u00a0]*(?:[eE][-+]?[0-9]+)?\s*[%)€円]?$")
DATE = re.compile(r"^(?:[0-9]{1,4}[-/.年][0-9]{1,2}[-/.月][0-9]{1,4}|[A-Z令平昭大明][0-9元]{1,2}[./年])")


class LeftOut(IntEnum):
    """Which lines of a file may be left out: none; titles, notes and repeated headers; totals, too."""

    NOTHING = 0
    NOTES = 1
    ALL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyRules:
    """What is said of the lines of a file; None is to be found out.

    Attributes:
        header: whether there is one; if None, a header is one where its cells show it.
        header_line: where it stands, from 1; of a file without one, where the data begin.
        header_lines: how many lines name the columns.
        footer_lines: how many lines below the data are none.
        left_out: which lines may be left out where nothing is said.
    """

    header: bool | None = None
    header_line: int | None = None
    header_lines: int | None = None
    footer_lines: int | None = None
    left_out: LeftOut = LeftOut.ALL


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """The lines of a table; the first names the columns where there is a header.

    Attributes:
        cells: texts, as many in each line.
        lines: of the file, from 1, in which each row stands.
        header_lines: how many lines name the columns.
        footer_lines: how many lines below the data were left out.
        notices: what was left out or joined.
        empty: the places, from 0, of columns that were left out.
    """

    cells: pl.DataFrame
    lines: NDArray[np.int64]
    header_lines: int = 1
    footer_lines: int = 0
    notices: tuple[Said, ...] = ()
    empty: tuple[int, ...] = ()

    def keep(self, kept: NDArray[np.bool_], *notices: Said) -> Body:
        """Return some of the lines, with what is said of the others."""
        cells = self.cells.filter(pl.Series(kept))
        return replace(self, cells=cells, lines=self.lines[kept], notices=(*self.notices, *notices))

    def say(self, places: Iterable[int]) -> str:
        """Return lines with their numbers and texts."""
        return say_lines(
            (int(self.lines[place]), " ".join(filter(None, (str(cell).strip() for cell in self.cells.row(place)))))
            for place in places
        )


def find_body(cells: pl.DataFrame, lines: NDArray[np.int64], rules: BodyRules) -> Body:
    """Return the lines of a table that are data, below the one that names the columns.

    Args:
        cells: of all lines, as many in each.
        lines: of the file, from 1, in which they stand.
        rules: what is said of the file.
    """
    body = Body(cells=cells, lines=lines)
    for step in (_drop_titles, _join_header, _drop_footers, _drop_repeated, _drop_totals, _drop_empty_columns):
        body = step(body, rules)
    return body


def is_value(text: str) -> bool:
    """Tell whether a text is a number or a date, which no name is."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return bool(NUMBER.match(plain) or DATE.match(plain))


def count_filled(row: Sequence[str]) -> int:
    """Return how many cells of a line hold something."""
    return sum(bool(cell.strip()) for cell in row)


def _drop_titles(body: Body, rules: BodyRules) -> Body:
    first = _find_first(body, rules)
    if not first:
        return body
    notice = Said("lines left out above the table: {lines}", lines=body.say(range(first)))
    return body.keep(np.arange(body.cells.height) >= first, notice)


def _find_first(body: Body, rules: BodyRules) -> int:
    cells = body.cells
    if rules.header_line is not None:
        return min(int(np.searchsorted(body.lines, rules.header_line)), max(0, cells.height - 1))
    if not rules.left_out or cells.width < 2:
        return 0
    rows = [list(row) for row in cells[:HEAD].rows()]
    few = 1 if cells.width < 6 else 2
    fullest = max(map(count_filled, rows), default=0)
    place = 0
    while place < len(rows) and count_filled(rows[place]) <= few:
        place += 1
    if not 0 < place <= MOST_TITLES or place >= len(rows):
        return 0
    names = rows[place]
    skipped = bool((np.diff(body.lines[: place + 1]) > 1).any())
    blank_above = skipped or any(not count_filled(row) for row in rows[:place])
    most = max(few, fullest // 2)
    enough = count_filled(names) > most if cells.width > 2 else blank_above
    return place if (enough or _heads(rows[place:], most)) and not any(map(is_value, names)) else 0


def _heads(rows: Sequence[Sequence[str]], most: int) -> bool:
    """Tell whether headings over several columns each stand above a line of names, and that above data."""
    if len(rows) < 3 or count_filled(rows[1]) <= most or any(map(is_value, rows[1])) or not any(map(is_value, rows[2])):
        return False
    return all(_spans(rows[0], rows[1], place) for place, text in enumerate(rows[0]) if text.strip())


def _join_header(body: Body, rules: BodyRules) -> Body:
    joined = _count_header_lines(body.cells, rules)
    if joined == 1:
        return body
    cells = body.cells
    names = _join_names([list(row) for row in cells[:joined].rows()])
    header = pl.DataFrame([names], schema=cells.schema, orient="row")
    lines = f"{body.lines[0]}-{body.lines[joined - 1]}"
    notice = Said("lines {lines} name the columns together: {names}", lines=lines, names=", ".join(names))
    return replace(
        body,
        cells=pl.concat([header, cells[joined:]]),
        lines=np.concatenate([body.lines[:1], body.lines[joined:]]),
        header_lines=joined,
        notices=(*body.notices, notice),
    )


def _count_header_lines(body: pl.DataFrame, rules: BodyRules) -> int:
    if rules.header is False or not body.height:
        return 1
    if rules.header_lines is not None:
        return max(1, min(rules.header_lines, body.height))
    if not rules.left_out or body.height < 4 or body.width < 2:
        return 1
    above, names = ([cell.strip() for cell in row] for row in body[:2].rows())
    if (
        not any(names)
        or any(map(is_value, [*above, *names]))
        or not ("" in above or "" in names or all(map(UNIT.match, names)))
    ):
        return 1
    below = body[2:HEAD]
    named = [place for place, name in enumerate(names) if name]
    numeric = {place for place in named if _holds_values(below[:, place])}
    opened = {place for place in named if not above[place] or _spans(above, names, place)}
    recurring = any(bool((below[:, place].str.strip_chars() == names[place]).any()) for place in named)
    every = all(place in numeric or place in opened for place in named)
    complete = all(upper or lower for upper, lower in zip(above, names, strict=True))
    return 2 if every and not recurring and (numeric or (opened and complete)) else 1


def _spans(above: Sequence[str], names: Sequence[str], place: int) -> bool:
    """Tell whether a heading stands over this column and the next, which has none of its own."""
    return place + 1 < len(above) and not above[place + 1] and bool(names[place + 1])


def _holds_values(column: pl.Series) -> bool:
    texts = [text for text in column.to_list() if text.strip()]
    return bool(texts) and sum(map(is_value, texts)) >= 0.7 * len(texts)


def _join_names(rows: Sequence[Sequence[str]]) -> list[str]:
    names, group = list[str](), ""
    for column in zip(*rows, strict=True):
        parts = [" ".join(cell.split()) for cell in column]
        group = parts[0] or (group if any(parts[1:]) else "")
        parts[0] = parts[0] or group
        names.append(" ".join(dict.fromkeys(filter(None, parts))))
    return names


def _drop_footers(body: Body, rules: BodyRules) -> Body:
    count, height = _count_footers(body.cells, rules), body.cells.height
    if not count:
        return body
    notice = Said("lines left out below the table: {lines}", lines=body.say(range(height - count, height)))
    return replace(body.keep(np.arange(height) < height - count, notice), footer_lines=count)


def _count_footers(cells: pl.DataFrame, rules: BodyRules) -> int:
    if rules.footer_lines is not None:
        return max(0, min(rules.footer_lines, cells.height - 1))
    if not rules.left_out or cells.width < 2:
        return 0
    count = above = 0
    while above < min(TAIL, cells.height - 2) and _is_footer(cells, cells.height - 1 - above, rules):
        above += 1
        # an empty line is no data only above a note or a total: alone it may be somebody of whom nothing is known
        count = above if count or count_filled(cells.row(cells.height - above)) else count
    return count


def _is_footer(body: pl.DataFrame, place: int, rules: BodyRules) -> bool:
    row = [str(cell).strip() for cell in body.row(place)]
    filled = [at for at, cell in enumerate(row) if cell]
    if not filled:
        return True
    rest = body[max(1, place - 400) : place]
    first = filled[0]
    if TOTAL.match(unicodedata.normalize("NFKC", row[first])):
        return rules.left_out is LeftOut.ALL and _leaves_open(row, rest) and is_unlike(row[first], rest[:, first])
    if len(filled) == 1 and body.width > 2 and is_worded(row[first]):
        return _leaves_open(row, rest) and is_unlike(row[first], rest[:, first])
    return False


def is_worded(text: str) -> bool:
    """Tell whether a text has words, as notes have: what is coded or generalised has signs and figures."""
    return sum(letter.isalpha() for letter in text) > 1 and not text.startswith(("[", "{", "*"))


def _leaves_open(row: Sequence[str], rest: pl.DataFrame) -> bool:
    """Tell whether a line leaves a cell empty that hardly any other leaves empty."""
    return any(not cell and _share_filled(rest[:, at]) >= FILLED for at, cell in enumerate(row))


def _share_filled(column: pl.Series) -> float:
    return int((column.str.strip_chars() != "").sum()) / max(1, len(column))


def is_unlike(text: str, column: pl.Series) -> bool:
    """Tell whether a text is written like hardly any of a column: as digits, Latin letters or others, in some words."""
    forms = Counter(_form(cell) for cell in column.to_list() if cell.strip())
    often, whole = forms[_form(text)], forms.total()
    return often <= max(SELDOM * whole, 1 if whole >= ENOUGH else 0) or (
        TOTAL.match(text) is not None and not bool((column == text).any())
    )


def _form(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).strip()
    kinds = ("0" if c.isdigit() else "a" if c.isascii() and c.isalpha() else "あ" if c.isalpha() else c for c in plain)
    return re.sub(r"(.)\1+", r"\1", "".join(kinds))


def _is_named(body: pl.DataFrame, rules: BodyRules) -> bool:
    """Tell whether the first line is surely one of names: said so, or words above a column of values."""
    names = [str(cell).strip() for cell in body.row(0)]
    if rules.header is not None:
        return rules.header
    if any(map(is_value, names)) or 2 * count_filled(names) < len(names):
        return False
    return any(name and _holds_values(body[1:HEAD, place]) for place, name in enumerate(names)) or _stands_alone(body)


def _stands_alone(body: pl.DataFrame) -> bool:
    """Tell whether the first line is seldom repeated, as a whole, and its cells stand nowhere else in their columns."""
    counts = {int((column == column[0]).sum()) for column in body}
    classes = any(column.n_unique() * 3 <= len(column) for column in body)
    return classes and len(counts) == 1 and 1 < counts.pop() * 10 <= body.height


def _drop_repeated(body: Body, rules: BodyRules) -> Body:
    """Return the lines without those that repeat the header, as at the top of every printed page."""
    cells = body.cells
    if not rules.left_out or cells.width < 2 or cells.height < 3 or not _is_named(cells, rules):
        return body
    same = (cells[:, 0] == cells[0, 0]).to_numpy().copy()
    for place in range(1, cells.width if np.count_nonzero(same) > 1 else 1):
        same &= (cells[:, place] == cells[0, place]).to_numpy()
    same[0] = False
    count = int(np.count_nonzero(same))
    if not count:
        return body
    notice = Said(
        "{count:,} {count:line repeats|lines repeat} the header and {count:is|are} left out: {lines}",
        count=count,
        lines=list_numbers(body.lines[same].tolist()),
    )
    return body.keep(~same, notice)


def _drop_totals(body: Body, rules: BodyRules) -> Body:
    """Return the lines without totals between the data."""
    cells = body.cells
    if rules.left_out < LeftOut.ALL or rules.footer_lines is not None or cells.width < 3 or cells.height < 4:
        return body
    partly = cells.select(pl.any_horizontal(pl.all().str.len_bytes() == 0)).to_series().arg_true()
    open_rows = cells[partly, :3]  # a total leaves a cell empty; most files have none such
    places = {
        int(partly[at])
        for column in (open_rows if len(partly) else ())
        if bool(column.unique().str.contains(WITHIN).any())
        for at in column.str.contains(WITHIN).arg_true().to_list()
    } - {0}
    seldom = len(places) < cells.height // 4
    totals = sorted(place for place in places if _is_total_within(cells, place)) if seldom else []
    if not totals:
        return body
    kept = np.ones(cells.height, dtype=np.bool_)
    kept[totals] = False
    notice = Said(
        "{count:,} {count:line is a total|lines are totals} and {count:is|are} left out: {lines}",
        count=len(totals),
        lines=body.say(totals),
    )
    return body.keep(kept, notice)


def _is_total_within(cells: pl.DataFrame, place: int) -> bool:
    """Tell whether a line leaves most cells empty that others fill, but for its name and numbers."""
    row = [str(cell).strip() for cell in cells.row(place)]
    rest = cells[max(1, place - 200) : place + 200]
    filled = [at for at in range(cells.width) if _share_filled(rest[:, at]) >= 0.7]
    is_open = sum(not row[at] for at in filled) * 2 >= max(1, len(filled) - 1)
    words = [cell for cell in row if cell and not is_value(cell)]
    return is_open and len(words) == 1 and any(map(is_value, row))


def _drop_empty_columns(body: Body, rules: BodyRules) -> Body:
    """Return the cells without columns that have neither a name nor a value, as trailing separators make them."""
    cells = body.cells
    if rules.left_out is LeftOut.NOTHING or cells.height < 2 or rules.header is False:
        return body
    nameless = [place for place, name in enumerate(cells.row(0)) if not str(name).strip()]
    empty = [place for place in nameless if cells[:, place].str.strip_chars().eq("").all()]
    if not empty or len(empty) > cells.width - 1:
        return body
    kept = cells.select([name for place, name in enumerate(cells.columns) if place not in empty])
    kept.columns = [f"column_{place + 1}" for place in range(kept.width)]
    notice = Said(
        "{count:,} {count:column|columns} without name and value left out: {places}",
        count=len(empty),
        places=list_numbers([place + 1 for place in empty]),
    )
    return replace(body, cells=kept, notices=(*body.notices, notice), empty=tuple(empty))


def list_numbers(numbers: Sequence[int]) -> str:
    """Return some numbers, the first of many."""
    listed = ", ".join(map(str, numbers[:LISTED]))
    return f"{listed}, …" if len(numbers) > LISTED else listed


def say_lines(lines: Iterable[tuple[int, str]]) -> str:
    """Return lines with their numbers and the beginnings of their texts, the first of many."""
    texts = [f"{line} ({_shorten(text)})" if text else str(line) for line, text in lines]
    return ", ".join(texts[:LISTED]) + (", …" if len(texts) > LISTED else "")


def _shorten(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"
