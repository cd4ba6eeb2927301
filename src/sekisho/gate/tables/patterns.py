"""Patterns of one's own beside the table they are of: audited like those that searches find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sekisho.data.files.frames import read_frame
from sekisho.data.files.plain_files.number_columns import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import Hierarchy
from sekisho.errors import FaultsError
from sekisho.gate.recipes.keys import ReleaseFile
from sekisho.gate.tables.stage import TableRelease
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.files.argus import read_tab
from sekisho.tables.files.jj import jj_table
from sekisho.tables.files.pattern import apply_pattern, apply_published
from sekisho.tables.model.table import Table

ARGUS, JJ = ".tab", ".jj"


def read_patterns(
    releases: Sequence[ReleaseFile],
    table: Table,
    *,
    value: str,
    trees: Mapping[str, Hierarchy] | None = None,
) -> dict[str, TableRelease]:
    """Return patterns of a table by label: our own form (CSV, Parquet), or another program's ``.tab`` or ``.jj`` file.

    Args:
        releases: where they are.
        table: the true one.
        value: the name of the value's column in the patterns.
        trees: by dimension its hierarchy.

    Raises:
        FaultsError: cells that are unknown, doubled or missing, statuses that are none, values that are not the
            table's; of all files at once.
        InputError: a file is of another table.
    """
    patterns: dict[str, TableRelease] = {}
    errors: list[FaultsError] = []
    for each in releases:
        path = Path(each.file)
        try:
            hidden = _read_pattern(path, table, value=value, trees=trees or {})
        except FaultsError as error:
            errors.append(error)
            continue
        origin = Provenance(name="pattern", inputs={path.name: digest_file(path)})
        patterns[each.name] = TableRelease(table=hidden, provenance=origin)
    if errors:
        faults = [replace(one, message=f"{each.source}: {one.message}") for each in errors for one in each.faults]
        raise FaultsError(", ".join(each.source for each in errors), faults, count=sum(each.count for each in errors))
    return patterns


def _read_pattern(path: Path, table: Table, *, value: str, trees: Mapping[str, Hierarchy]) -> Table:
    kind = path.suffix.lower()
    if kind == ARGUS:
        return apply_published(table, read_tab(path), source=path)
    if kind == JJ:
        return apply_published(table, jj_table(detect_and_decode(read_bytes(path), path)[0], source=path), source=path)
    frame = settle_numbers(read_frame(path).frame, [value], None, path, otherwise=POINT)
    return apply_pattern(table, frame, value=value, trees=trees, source=path)
