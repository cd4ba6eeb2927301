"""Marks of the input: what columns of a file of cells say of them beside codes and values, read by every command alike.

A file may say which cells are unsafe (``status``), what hiding one costs, how far an attacker must stay from it, how
many contribute and what the largest of them gave. Such columns are used wherever a table is read. A column that looks
like one of these under another name (``sdcStatus``, ``LPL``) is not guessed at: it is named, and a person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sekisho.data.identity.header_words import fold
from sekisho.tables.files.cell_marks import FREQUENCY, LEVELS, MARKS, STATUS, apply_marks
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.rows import find_bounds
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words

FREQUENCIES = (FREQUENCY, "freq")
"""What ``table tabulate`` and other programs call the number of contributors."""
LARGEST = "x"
"""Columns of the largest contributions are called so, with their place."""
MOST_PLACES = 20
NUMBERS = (*MARKS, *FREQUENCIES, *(f"{LARGEST}{place}" for place in range(1, MOST_PLACES + 1)))
"""Columns of numbers that are marks."""
LOOKALIKES = frozenset(
    {"sdcstatus", "cellstatus", "statuscode", "primary", "suppressed", "suppress", "unsafe", "confidential", "flag"}
    | {"lpl", "upl", "spl", "lowerprotection", "upperprotection", "protectionlevel", "slidingprotection", "width"}
    | {"costs", "weight", "suppressioncost", "contributors", "ncontributors", "numberofcontributors", "respondents"}
    | {"nrespondents", "numberofrespondents", "nfirms", "numberoffirms", "nunits", "numberofunits", "top1", "max1"}
    | {"秘匿", "秘匿区分", "秘匿記号", "状態", "寄与者数", "保護水準", "下側保護水準", "上側保護水準", "費用"}
)
"""Names of columns, folded, that other programs give to marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputMarks:
    """What the marks of a file of cells say.

    Attributes:
        read: the columns that were read as marks.
        unused: the columns that look like marks and were not used.
        rated: whether the file says which cells are unsafe.
    """

    read: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    rated: bool = False

    def notice(self, source: object) -> list[Said]:
        """Return what is said of the columns that were read."""
        if not self.read:
            return []
        names = join_words(self.read, ", ")
        return [Said("{source}: {names} are read as marks of the cells", source=source, names=names)]


def take_contributors(cells: CellFile, names: Collection[str]) -> CellFile:
    """Return the columns of a file of cells with those of contributors, where nobody names them and there are some."""
    if cells.frequency is not None or cells.largest:
        return cells
    free = [name for name in names if name not in cells.columns]
    frequency = next((name for name in free if name.casefold() in FREQUENCIES), None)
    if frequency is None:
        return cells
    places = [f"{LARGEST}{place}" for place in range(1, MOST_PLACES + 1)]
    largest = tuple(name for name in places if name in free)
    return replace(cells, frequency=frequency, largest=() if cells.counts else largest)


def read_marks(
    cells: CellFile, table: Table, frame: pl.DataFrame, *, said: CellFile, source: object
) -> tuple[Table, InputMarks]:
    """Return a table with what the marks of its file say of its cells.

    Args:
        cells: which columns say what.
        table: the table of the frame.
        frame: the rows.
        said: the same columns as whoever asks names them: the others were found.
        source: to be named in faults.

    Raises:
        FaultsError: statuses that are none, costs and levels that are no numbers of at least 0.
    """
    bounds = find_bounds(frame.columns, cells.columns, source=source)
    free = [name for name in frame.columns if name not in cells.columns and name not in bounds.values()]
    names = [name for name in (STATUS, "cost", *LEVELS) if name in free]
    if names:
        table = apply_marks(table, cells.keys(frame), frame, names, source=source)
    found = [name for name in cells.columns if name not in said.columns]
    unused = _list_lookalikes([name for name in free if name not in names])
    read = tuple(name for name in frame.columns if name in {*names, *found})
    return table, InputMarks(read=read, unused=unused, rated=STATUS in names)


def _list_lookalikes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns whose names are those of marks in other programs, or of ours in another case."""
    ours = {_spell(name) for name in NUMBERS}
    return tuple(name for name in names if _spell(name) in LOOKALIKES | ours)


def _spell(name: str) -> str:
    return "".join(sign for sign in fold(name) if sign.isalnum())
