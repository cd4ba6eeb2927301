"""``sekisho compare`` beyond memory: classes and distributions of files of any size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sekisho.cli.kit.answer import say
from sekisho.contest.original import open_original
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.records.written_release import read_written_table
from sekisho.data.files.own.schema_file import SchemaFile
from sekisho.data.frame.release import exact_table
from sekisho.data.large.engine import EngineChoice
from sekisho.data.large.scan import Scan, open_scan, open_within
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import BugError, FaultsError, InputError
from sekisho.gate.records.comparison import ORIGINAL
from sekisho.gate.records.large_comparison import (
    CountedColumn,
    DistinctTexts,
    LargeCompared,
    assess_large_classes,
    measure_large,
    pair_columns,
    write_distinct,
)
from sekisho.safety.records.key_choice import KeyChoice


def compare_large(
    original: Path,
    releases: Sequence[Path],
    book: RecordRules,
    choice: KeyChoice,
    trees: Mapping[str, Tree],
    engine: EngineChoice,
) -> list[LargeCompared]:
    """Return the original and then each release, with what was found about it."""
    if book.own is None:
        raise BugError("options of records made rules of another shape")
    schema = SchemaFile(shape=Shape.RECORDS, file=book.own.file)
    with open_scan(original, schema, engine) as scan:
        folder = scan.session.folder
        first = _write_texts(scan, choice, original, folder / "original.parquet")
        dataset, settled = open_original(first.path, book)
        data = dataset.data
        if len(data) < max(len(count) for count in first.counts.values()):
            raise InputError(original, "rows cannot be left out beyond memory: missing cells must be a category")
        unchanged = pair_columns(data, exact_table(data).columns, (first, first))
        compared = [_describe(ORIGINAL, scan, choice, unchanged)]
        for place, path in enumerate(releases):
            released = open_within(scan.session, path, schema)
            texts = _write_texts(released, choice, path, folder / f"release-{place}.parquet")
            try:
                table, notices = read_written_table(texts.path, settled, data, trees)
            except FaultsError as error:
                raise FaultsError(path, error.faults, count=error.count) from error
            for notice in notices:
                say(f"{path}: {notice}")
            compared.append(_describe(str(path), released, choice, pair_columns(data, table.columns, (first, texts))))
    return compared


def _write_texts(scan: Scan, choice: KeyChoice, source: Path, path: Path) -> DistinctTexts:
    say(f"{source}: {scan.form}")
    choice.check(scan.names, source=str(source))
    return write_distinct(scan, choice.used, path)


def _describe(name: str, scan: Scan, choice: KeyChoice, columns: tuple[CountedColumn, ...]) -> LargeCompared:
    classes = assess_large_classes(scan, choice.keys, choice.sensitive)
    return LargeCompared(name=name, classes=classes, columns=columns, scores=measure_large(columns))
