"""What a page shows of a release beyond memory: classes before and after, and every column's distribution.

The original is read once more, by its schema; its texts, and those of the file that was written, are counted by an
engine. What needs a record beside its release (losses, attacks) is not found out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sekisho.data.engines.names import file_column, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.schema_files.text_rows import LargeTextTable, read_by_schema
from sekisho.data.engines.session import Session
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import MISSING_VALUE, ColumnRules, FileRules, SchemaFile
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import exact_table
from sekisho.data.frame.schema import Role
from sekisho.data.records.written_release import read_written_table
from sekisho.data.review import ReleaseReview
from sekisho.data.trees.hierarchy import Tree
from sekisho.gate.records.counted_comparison import (
    MOST_TEXTS,
    CountedColumn,
    ReleasedTexts,
    assess_large_classes,
    count_texts,
    measure_large,
    pair_columns,
    write_distinct,
)
from sekisho.gate.records.recount import Promise, Recount
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.terms import RecordTerms
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeFigures:
    """What was found out about a release.

    Attributes:
        keys: that the method promises something about, all quasi-identifiers where it promises nothing.
        sensitive: what the promise speaks of, else what the schema calls so.
        before: the classes of the original.
        after: those of the release, cells taken as they are written.
        columns: before and after, but those with too many different values.
        scores: how far the columns' distributions are from the original's, by measure; none without columns.
        left_out: the columns with too many.
        recounts: what the method promised, counted from what is written.
        detail: what the method tells of its release.
        review: what a person must look at before it leaves.
    """

    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    before: RecordRisk
    after: RecordRisk
    columns: tuple[CountedColumn, ...]
    scores: Mapping[str, Score]
    left_out: tuple[str, ...]
    recounts: tuple[Recount, ...]
    detail: Mapping[str, object]
    review: ReleaseReview = field(default_factory=ReleaseReview)

    @property
    def hides_everybody(self) -> bool:
        """Whether it is proven that whoever knows a person's keys finds k or more records written alike."""
        wanted = [each for each in self.recounts if each.promise is Promise.ALIKE]
        return bool(wanted) and all(each.wanted > 1 for each in wanted)

    @property
    def disclosed(self) -> int:
        """How many records stand in classes with a single value of a sensitive column."""
        return max((each.disclosed for each in self.after.sensitive), default=0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenFile:
    """A release that was written beyond memory.

    Attributes:
        released: its rows.
        recounts: what the method promised, counted from it.
        detail: what the method tells of it.
        trees: of columns whose cells are labels.
        coded: columns whose cells are known without being read: before and after. If there are any, all others are
            left as they were.
    """

    released: Scan
    recounts: tuple[Recount, ...]
    detail: Mapping[str, object]
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    coded: Mapping[str, CountedColumn] = field(default_factory=dict[str, CountedColumn])


def examine_release(session: Session, source: Path, rules: RecordTerms, written: WrittenFile) -> LargeFigures:
    """Return what is found out about a release.

    Args:
        session: the engine at work, by which the release is open.
        source: the original.
        rules: one's own, with nothing left open.
        written: the release.
    """
    schema = rules.layout.described
    table = read_by_schema(session, source, schema)
    original = _fill_missing(table)
    keys, sensitive = _choose_columns(table, written.recounts)
    sides = (original, written.released)
    names = [name for name in original.names if name not in written.coded]
    many = tuple(name for name in names if any(count_texts(side, name) > MOST_TEXTS for side in sides))
    counted = {each.name: each for each in _read_columns(sides, rules, [n for n in names if n not in many], written)}
    counted |= written.coded
    columns = tuple(counted[name] for name in original.names if name in counted)
    measured = [each for each in columns if each.name in {*keys, *sensitive}]
    return LargeFigures(
        keys=keys,
        sensitive=sensitive,
        before=assess_large_classes(original, keys, sensitive),
        after=assess_large_classes(written.released, keys, sensitive),
        columns=columns,
        scores=measure_large(measured) if measured else {},
        left_out=many,
        recounts=written.recounts,
        detail=written.detail,
    )


def _fill_missing(table: LargeTextTable) -> Scan:
    """Return the rows with the category of missing cells, as they are published."""
    cells = [file_column(name).fill_null(MISSING_VALUE).alias(make_plain(name)) for name in table.scan.names]
    return table.scan.ask(table.scan.frame.select(*cells))


def _choose_columns(table: LargeTextTable, recounts: tuple[Recount, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_role = {role: tuple(name for name, each in table.roles.items() if each is role) for role in Role}
    keys = next((each.keys for each in recounts), ())
    spoken = tuple(dict.fromkeys(each.column for each in recounts if each.column))
    sensitive = spoken or tuple(name for name in by_role[Role.SENSITIVE] if name not in keys)
    return keys or tuple(name for name in by_role[Role.QUASI] if name not in sensitive), sensitive


def _read_columns(
    sides: tuple[Scan, Scan], rules: RecordTerms, names: list[str], written: WrittenFile
) -> tuple[CountedColumn, ...]:
    """Return columns whose texts are few enough to be read one by one."""
    if not names:
        return ()
    original, released = sides
    folder = released.session.folder
    first = write_distinct(original, names, folder / "values before.parquet")
    data = _read_plain(first, rules, names)
    if written.coded:
        return pair_columns(data, exact_table(data).columns, (first, first))
    second = write_distinct(released, names, folder / "values after.parquet")
    cells, _ = read_written_table(second.path, rules, data, written.trees)
    return pair_columns(data, cells.columns, (first, second))


def _read_plain(texts: ReleasedTexts, rules: RecordTerms, names: list[str]) -> Dataset:
    """Return distinct texts as values: they stand as they are published, whatever the file's own writing."""
    listed = rules.layout.described.columns
    plain = {
        each.output_name: ColumnRules(
            name=each.output_name, kind=each.kind, decimals=each.decimals, role=each.role, means=each.means
        )
        for each in listed
    }
    schema = SchemaFile(shape=rules.shape, file=FileRules(missing=()), columns=tuple(plain[name] for name in names))
    return read_own(texts.path, schema).data
