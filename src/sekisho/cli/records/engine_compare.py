"""``sekisho compare`` beyond memory: classes and distributions of files of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sekisho.cli.kit.answer import say
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.review_scan import review_scan
from sekisho.data.engines.scan import Scan, open_scan, open_within
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.frame.release import exact_table
from sekisho.data.records.written_release import read_written_table
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import BugError, FaultsError
from sekisho.gate.records.comparison import ORIGINAL
from sekisho.gate.records.counted_comparison import (
    CountedColumn,
    CountedRelease,
    assess_written_classes,
    measure_counted,
    pair_columns,
    write_distinct,
)
from sekisho.safety.records.engine.records import ROW, treat_large_missing
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.terms import RecordTerms
from sekisho.utility.records.information_loss import CertaintyPenalty
from sekisho.words import Said

MISSING = "missing"
"""The rule that a cell breaks which must not be missing."""


def compare_large(
    original: Path,
    releases: Sequence[Path],
    book: RecordTerms,
    choice: KeyChoice,
    trees: Mapping[str, Tree],
    engine: EngineChoice,
) -> list[CountedRelease]:
    """Return the original and then each release, with what was found about it."""
    if book.layout.strict:
        raise BugError("options of records made rules of another shape")
    schema = SchemaFile(shape=Shape.RECORDS, file=book.layout.described.file)
    with open_scan(original, schema, engine, row=ROW) as opened:
        say(Said("{source}: {reason}", source=original, reason=opened.form))
        names = tuple(name for name in opened.names if name != ROW)
        choice.check(names, source=str(original))
        scan, folder = (
            _keep_records(opened, names, book.layout.described.missing_cells, original),
            opened.session.folder,
        )
        first = write_distinct(scan, choice.used, folder / "original.parquet")
        try:
            dataset, settled = open_original(first.path, book)
        except FaultsError as error:
            gaps = {fault.column for fault in error.faults if fault.rule == MISSING}
            if gaps:
                treat_large_missing(scan, tuple(filter(gaps.__contains__, names)), Missing.REFUSE, source=str(original))
            raise FaultsError(original, error.faults, count=error.count, hint=error.hint) from error
        data = dataset.data
        unchanged = pair_columns(data, exact_table(data).columns, (first, first))
        compared = [_describe(ORIGINAL, scan, choice, unchanged)]
        penalty = CertaintyPenalty(keys=choice.keys, tree=trees)
        for place, path in enumerate(releases):
            released = open_within(scan.session, path, schema)
            say(Said("{source}: {reason}", source=path, reason=released.form))
            choice.check(released.names, source=str(path))
            texts = write_distinct(released, choice.used, folder / f"release-{place}.parquet")
            try:
                table, notices = read_written_table(texts.path, settled, data, trees)
            except FaultsError as error:
                raise FaultsError(path, error.faults, count=error.count) from error
            for notice in notices:
                say(Said("{source}: {reason}", source=path, reason=notice))
            described = _describe(str(path), released, choice, pair_columns(data, table.columns, (first, texts)))
            review = review_scan(released, {}, kinds={column.name: column.kind for column in data.schema})
            compared.append(described.decide(review, records=compared[0].rows, penalty=penalty))
    return compared


def _keep_records(scan: Scan, names: tuple[str, ...], treatment: Missing, source: Path) -> Scan:
    """Return the records that are compared, as in memory: whether one is left out depends on all its cells."""
    kept = treat_large_missing(scan, names, treatment, source=str(source))
    dropped = 0 if kept is scan else scan.count_rows() - kept.count_rows()
    if dropped:
        say(Said("{dropped:,} records dropped: a cell is missing", dropped=dropped))
    return kept


def _describe(name: str, scan: Scan, choice: KeyChoice, columns: tuple[CountedColumn, ...]) -> CountedRelease:
    classes = assess_written_classes(scan, choice.keys, choice.sensitive)
    return CountedRelease(name=name, classes=classes, columns=columns, scores=measure_counted(columns))
