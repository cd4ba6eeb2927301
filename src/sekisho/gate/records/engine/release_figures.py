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
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import MISSING_VALUE, ColumnRules, FileRules, SchemaFile
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import exact_table
from sekisho.data.records.written_release import read_written_table
from sekisho.data.review import ReleaseReview
from sekisho.errors import BugError
from sekisho.gate.records.counted_comparison import (
    MOST_TEXTS,
    CountedColumn,
    ReleasedTexts,
    assess_written_classes,
    count_texts,
    measure_counted,
    pair_columns,
    write_distinct,
)
from sekisho.gate.records.recount import Promise, Recount
from sekisho.protect.beyond_memory import EngineRelease
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.utility.score import Score


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedFigures:
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


def examine_release(
    source: Path,
    release: EngineRelease,
    recounts: tuple[Recount, ...],
    review: ReleaseReview,
    *,
    keys: tuple[str, ...] = (),
    sensitive: tuple[str, ...] = (),
) -> CountedFigures:
    """Return what is found out about a release of records.

    Args:
        source: the original.
        release: of it; the engine that made it is at work.
        recounts: what its method promised, counted from what is written.
        review: what a person must look at before it leaves.
        keys: what may be known of a person; else what the promise speaks of, or what the schema calls so.
        sensitive: what must stay hidden, likewise.
    """
    table = read_by_schema(release.published.session, source, release.terms.layout.described)
    original = _fill_missing(table)
    promised_keys, promised_sensitive = _choose_columns(table, recounts)
    keys, sensitive = keys or promised_keys, sensitive or promised_sensitive
    shown = release.published.names
    sides = (original, release.published)
    names = [name for name in original.names if name not in release.coded and name in shown]
    many = tuple(name for name in names if any(count_texts(side, name) > MOST_TEXTS for side in sides))
    counted = {one.name: one for one in _read_columns(sides, release, [n for n in names if n not in many])}
    counted |= list_coded(release)
    columns = tuple(counted[name] for name in original.names if name in counted)
    measured = [one for one in columns if one.name in {*keys, *sensitive}]
    return CountedFigures(
        keys=keys,
        sensitive=sensitive,
        before=assess_written_classes(original, keys, sensitive),
        after=assess_written_classes(
            release.published,
            tuple(name for name in keys if name in shown),
            tuple(name for name in sensitive if name in shown),
        ),
        columns=columns,
        scores=measure_counted(measured) if measured else {},
        left_out=many,
        recounts=recounts,
        detail=release.detail,
        review=review,
    )


def list_coded(release: EngineRelease) -> dict[str, CountedColumn]:
    """Return the columns before and after whose cells are known without being read."""
    return {
        name: CountedColumn(name=name, data=one.data, cells=one.cells, before=one.counts, after=one.counts)
        for name, one in release.coded.items()
    }


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


def _read_columns(sides: tuple[Scan, Scan], release: EngineRelease, names: list[str]) -> tuple[CountedColumn, ...]:
    """Return columns whose texts are few enough to be read one by one."""
    if not names:
        return ()
    original, released = sides
    rules = require_records(release.terms)
    folder = released.session.folder
    first = write_distinct(original, names, folder / "values before.parquet")
    data = _read_plain(first, rules, names)
    if release.coded:
        return pair_columns(data, exact_table(data).columns, (first, first))
    second = write_distinct(released, names, folder / "values after.parquet")
    cells, _ = read_written_table(second.path, rules, data, release.trees)
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


def require_records(terms: Terms) -> RecordTerms:
    """Return terms that are of records.

    Raises:
        BugError: they are of a history.
    """
    if not isinstance(terms, RecordTerms):
        raise BugError("rows of a history were asked for what is known of records")
    return terms
