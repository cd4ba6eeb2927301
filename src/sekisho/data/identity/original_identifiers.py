"""Identifiers of an original in what is written of its release: in cells, in labels of trees, in names of columns.

A tree may list who belongs to a group (``P0011/P0012/P0031``), a set may hold a number of another column, a header a
name. So the texts of a release are asked for the identifiers of the original, whatever column they stand in, as wholes
and in pieces between marks. Only what tells people apart is looked for: values that hardly two rows share, of three
signs at least, and of numbers six digits, which amounts and years do not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Labels, MaskedTable
from sekisho.data.identity.content_judgement import IDENTIFYING_SHARE
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import Ground, Identifying

SHORTEST, FEWEST_DIGITS = 3, 6
MARKS = r"[/;,|+&·・、，；／｜:()\[\]{}<>\"'=_\t\n]+"
"""What parts the pieces of a label; blanks part them as well, but a name may hold one."""
BLANKS = r"\s+"
PART = "\x1f"


def count_identifiers(parts: pl.Series, original: Dataset, named: Iterable[str]) -> int:
    """Return how many of some distinct texts are values by which the people of an original are told apart.

    Args:
        parts: the texts.
        original: its columns, and those that are not read.
        named: the names of its columns that name people.
    """
    if not len(parts):
        return 0
    declared = {column.name for column in original.schema if not column.role.leaves}
    columns = [(original.text(name), name in declared) for name in dict.fromkeys((*declared, *named))]
    columns += [(cells, False) for cells in original.unread.values()]
    found = [
        parts.filter(parts.is_in(cells.implode())) for cells, always in columns if always or _tells_apart(cells, parts)
    ]
    return pl.concat(found).n_unique() if found else 0


def _tells_apart(cells: pl.Series, parts: pl.Series) -> bool:
    """Tell whether some texts stand in a column in which hardly two rows share a value."""
    return bool(cells.is_in(parts.implode()).any()) and cells.n_unique() >= IDENTIFYING_SHARE * len(cells)


def keep_telling(values: pl.Series) -> pl.Series:
    """Return the values that are long enough to be no other word, nor an amount or a year."""
    worded = values.str.contains(r"[^0-9\s.,:+-]") & (values.str.len_chars() >= SHORTEST)
    return values.filter(worded | (values.str.count_matches("[0-9]") >= FEWEST_DIGITS))


def part_texts(texts: pl.Series) -> pl.Series:
    """Return the distinct texts and their pieces that may be identifiers."""
    whole = texts.str.strip_chars()
    pieces = whole.str.replace_all(MARKS, PART).str.split(PART).explode().str.strip_chars().unique()
    words = pieces.str.replace_all(BLANKS, PART).str.split(PART).explode()
    return keep_telling(pl.concat([whole, pieces, words]).drop_nulls().unique())


def list_leaking(
    table: MaskedTable, labels: Mapping[str, Labels], original: Dataset, named: Iterable[Identifying]
) -> Iterator[Identifying]:
    """Give the columns of a release in which identifiers of the original stand, by cells, labels or its own name.

    Args:
        table: what would leave.
        labels: what is written instead of some cells.
        original: what it was made of.
        named: its columns that name people, which are no news where they themselves leave.
    """
    own = dict.fromkeys(each.column for each in named)
    parts = {
        name: part_texts(pl.concat([pl.Series("", [name]), *_list_texts(table, name, labels)]))
        for name in table.columns
        if name not in own and table.schema[name].role.leaves
    }
    if not parts or not count_identifiers(pl.concat(list(parts.values())).unique(), original, own):
        return
    for name, texts in parts.items():
        if count_identifiers(texts, original, own):
            yield Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.LISTED.value)


def _list_texts(table: MaskedTable, name: str, labels: Mapping[str, Labels]) -> Iterator[pl.Series]:
    """Give the texts that are written of a column: of its cells, and of the labels that stand in their place."""
    written = labels.get(name)
    if isinstance(written, pl.Series):
        yield written.cast(pl.String).drop_nulls().unique().alias("")
        if not written.null_count():
            return
    cells = table.hold_once([name])[0][name]
    if isinstance(cells, RangeCells) or bool(cells.suppressed.all()):
        return
    used = pl.Series("", cells.codes).unique().to_numpy()
    domain = pl.Series("", cells.domain, dtype=pl.String)
    yield domain if len(used) == len(domain) else domain.gather(used)
