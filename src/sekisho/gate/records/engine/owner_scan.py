"""Whose rows the records of a file are that stays with an engine.

The column that says so is chosen by the first rows, as in memory by all of them; whether it is distinct in every row is
counted by the engine over the whole file.
"""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw

from sekisho.data.engines.names import file_column
from sekisho.data.engines.scan import Scan, open_within
from sekisho.data.files.schema_files.row_owners import list_owner_columns
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Role
from sekisho.data.identity.row_owner import find_row_owner
from sekisho.gate.account.account import Unit, UnitOrigin
from sekisho.gate.account.unit import ROW
from sekisho.protect.beyond_memory import EngineRelease, EngineTask

LOOKED_AT = 20_000
"""So many first rows say which column tells whose rows they are."""
PRESENT, PEOPLE = "sekisho_present", "sekisho_people"


def find_scanned_unit(task: EngineTask, release: EngineRelease, reasons: Mapping[str, str]) -> Unit:
    """Return whose each row of a file is, while the engine that made a release of it is at work.

    Args:
        task: the file.
        release: made of it.
        reasons: why a row is a person, as whoever holds the data says.
    """
    rows = release.records
    if ROW in reasons:
        return Unit(origin=UnitOrigin.SAID, people=rows, rows=rows)
    described = release.terms.layout.described
    source = open_within(release.published.session, task.source, SchemaFile(shape=described.shape, file=described.file))
    called = {one.source_name: one.output_name for one in described.columns}
    holders = [one.output_name for one in described.columns if one.role is Role.IDENTIFIER]
    homes = {one.output_name for one in described.columns if one.role is Role.HOUSEHOLD}
    head = source.collect(source.frame.head(LOOKED_AT))
    texts = {called.get(name, name): source.show(head[name]).fill_null("").alias(name) for name in head.columns}
    columns = list_owner_columns({name: cells for name, cells in texts.items() if name not in homes})
    owner = find_row_owner(columns, holder=next(iter(holders), ""))
    if owner is None:
        return Unit(origin=UnitOrigin.SAID, people=rows, rows=rows)
    named = next(name for name in head.columns if called.get(name, name) == owner.column)
    people = _count_people(source, named)
    if people == source.count_rows():  # of the whole file; rows with missing cells may have been dropped from it
        return Unit(who=owner.column, origin=UnitOrigin.KNOWN, people=rows, rows=rows)
    return Unit(who=owner.column, origin=UnitOrigin.OPEN, people=min(people, rows), rows=rows)


def _count_people(source: Scan, name: str) -> int:
    """Return how many different values a column has; missing ones are one more, as they are nobody's in particular."""
    people = source.frame.select(file_column(name).alias(PEOPLE)).group_by(PEOPLE).agg(nw.len().alias(PRESENT))
    return int(source.collect(people.select(nw.len().alias(PEOPLE)))[PEOPLE][0])
