"""Tables from files with all that the files tell of their cells, and what of a file is not read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.cli.kit.answer import say
from sekisho.cli.table.files.cell_files import ARGUS, JJ, Reading, say_margins
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.tables.files.apriori import apply_hst
from sekisho.tables.files.argus import tab_unread
from sekisho.tables.files.cell_marks import MARKS, apply_marks
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import apply_published
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarkedTable:
    """A table with the statuses, costs, levels and bounds of its file.

    Attributes:
        table: it is.
        unread: the columns, or variables, of the file that were read over.
    """

    table: Table
    unread: tuple[str, ...] = ()


def read_marked(how: Reading, source: Path, *, marks: bool = True) -> MarkedTable:
    """Return the table of a file with all that it tells; of a file of cells without ``marks`` the plain cells only."""
    if how.cells is None:
        argus = source.suffix.lower() == ARGUS
        unread = tab_unread(source, encoding=how.form.csv.encoding) if argus else []
        return MarkedTable(table=how.read_table(source), unread=tuple(unread))
    return _read_cells(how, how.cells, source, marks=marks)


def _read_cells(how: Reading, cells: CellFile, source: Path, *, marks: bool) -> MarkedTable:
    numbers = (*cells.columns[len(cells.dims) :], *MARKS)
    frame = how.form.read_frame(source, numbers)
    table = replace(cells, bounds=False).table(frame, source=source)
    say_margins(source, cells.known_by_name(table))
    others = [name for name in frame.columns if name not in cells.columns]
    names = [name for name in MARKS if name in others] if marks else []
    if names:
        say(
            Said(
                "{source}: {names} are read as marks of the cells; --no-marks reads over them",
                source=source,
                names=", ".join(names),
            )
        )
        table = apply_marks(table, cells.keys(frame), frame, names, source=source)
    return MarkedTable(table=table, unread=tuple(name for name in others if name not in names))


def apply_files(how: Reading, table: Table, source: Path, pattern: Path | None, apriori: Path | None) -> Table:
    """Return a table with what a pattern and an a-priori file tell besides.

    Of a pattern that is a ``.tab`` or ``.jj`` file the costs, levels and bounds count as well as the statuses.
    """
    if pattern is not None and pattern.suffix.lower() in (ARGUS, JJ):
        table = apply_published(table, Reading(cells=None).read_table(pattern), source=pattern, costs=True)
    elif pattern is not None:
        table = how.apply_pattern(table, pattern, source)
    if apriori is not None:
        table = apply_hst(table, detect_and_decode(read_bytes(apriori), apriori)[0], source=apriori)
    return table
