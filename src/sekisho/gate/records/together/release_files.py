"""Several releases of one population, and the people looked for, read from their files.

What a text of a release means is told by the originals' values for the keys; for the other columns by the originals'
and by the plain values of all releases, so that people may be known by their keys alone. Several originals, one for
each release, are bound by an id: keys may change from one time to the next, and whoever has no row in an original is
not in that release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.files.layout import Layout, SchemaLayout, open_original
from sekisho.data.files.plain_table import FrameSource
from sekisho.data.files.schema_files.columns import find_columns
from sekisho.data.files.schema_files.schema_file import ColumnRules, Missing, SchemaFile
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.written_release import describe_release, read_written_table
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import MissingColumnsError, ParameterError
from sekisho.safety.records.joint.candidates import JointReleases
from sekisho.safety.records.joint.differences import USUAL_ROWS, ReleaseDifference
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses, KnownPeople
from sekisho.safety.records.joint.taken_apart import FittingPeople, PublishedTexts, take_apart
from sekisho.safety.terms import RecordTerms
from sekisho.words import Said

CELL = r"^(\[.*;.*\]|\{.*;.*\}|\*|(>=|<=|<).+)$"
"""How a range, a set, a withheld cell or a tail is written."""
ISO = "%Y-%m-%d"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackedReleases:
    """Releases of one population and the people looked for.

    Attributes:
        question: the releases, what is stable and what is sensitive.
        people: the classes that fit them.
        own: the classes that they are in; None where that is not known.
        assumed: whether the stable columns were not named.
        notices: what was found out or had to be assumed, by file.
        texts: of each release the cells as they are written.
        keys: what may be known of a person.
        roster: whether it is known who is in which release.
    """

    question: JointReleases
    people: KnownPeople
    own: KnownPeople | None
    assumed: bool
    notices: tuple[Said, ...]
    texts: tuple[pl.DataFrame, ...]
    keys: tuple[str, ...]
    roster: bool

    def take_apart(self, *, wanted: int) -> dict[str, ReleaseDifference]:
        """Return by the numbers of two releases what the rows that they do not share tell.

        Args:
            wanted: so many rows must stand in one of them only; as usual if 0.
        """
        published = [
            PublishedTexts(
                texts=texts, keys=self.keys, classes=release.classes, people=_name_people(fits) if self.roster else None
            )
            for texts, release, fits in zip(self.texts, self.question.releases, self.people.fits, strict=True)
        ]
        secrets = (self.question.sensitive,) if self.question.sensitive else ()
        return {
            f"{first}-{second}": take_apart(
                published[first - 1], published[second - 1], sensitive=secrets, wanted=wanted or USUAL_ROWS
            )
            for first, second in combinations(range(1, len(published) + 1), 2)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralReleaseFiles:
    """Where releases and people lie.

    Attributes:
        originals: the people's own values: one file for all releases, or one for each.
        published: the releases, in the order in which they left.
        book: how files are written.
        keys: what may be known of a person.
        sensitive: the column whose values are counted; empty if none is.
        stable: the columns of which a person has one value for ever; None: all that several releases share.
        identifier: what binds the people of several originals.
        trees: of columns whose cells are labels.
        in_order: whether the rows of each release stand in the order of its original.
        by_schema: whether a schema says what the originals' columns are; else all files tell it together.
    """

    originals: tuple[Path, ...]
    published: tuple[Path, ...]
    book: RecordTerms
    keys: tuple[str, ...]
    sensitive: str = ""
    stable: tuple[str, ...] | None = None
    identifier: str = ""
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    in_order: bool = False
    by_schema: bool = False

    def __post_init__(self) -> None:
        if not self.keys:
            raise ParameterError("keys", Said("be at least one"), None)
        if self.sensitive in self.keys:
            raise ParameterError("sensitive", Said("not be a key"), self.sensitive)
        if len(self.originals) not in (1, len(self.published)):
            rule = Said("be one, or one for each of the {releases} releases", releases=len(self.published))
            raise ParameterError("original", rule, len(self.originals))
        if len(self.originals) > 1 and not self.identifier:
            raise ParameterError("id", Said("be given where there are several originals: it binds the people"), None)

    def read(self) -> AttackedReleases:
        """Return the releases and the people.

        Raises:
            InputError: a file cannot be read, or lacks a key.
            FaultsError: cells mean nothing; all of a file at once.
        """
        known, layout, notices = self._read_known()
        shown = [_read_texts(path, describe_release(layout), self.keys) for path in self.published]
        names = [*self.keys, *self._list_others(shown)]
        source = FrameSource(name=str(self.originals[0]), frame=self._list_values(names, known, shown))
        asked = _describe_written(layout, names) if isinstance(layout, SchemaLayout) and self.by_schema else layout
        reference, book = open_original(source, self.book.with_layout(asked))
        tables: list[MaskedTable] = []
        if not self.by_schema:
            notices = [_name_source(source.name, notice.message) for notice in reference.notices]
        for path, frame in zip(self.published, shown, strict=True):
            there = frame.select([name for name in names if name in frame.columns])
            table, said = read_written_table(FrameSource(name=str(path), frame=there), book, reference.data, self.trees)
            tables.append(table)
            notices += [_name_source(path, one) for one in said]
        question = JointReleases(
            releases=tuple(ClassedRows.of(table, self.keys) for table in tables),
            stable=tuple(name for name in names if name not in self.keys and self._is_stable(name)),
            sensitive=self.sensitive,
        )
        people, own = self._find_people(question, known, source.frame, book)
        return AttackedReleases(
            question=question,
            people=people,
            own=own,
            assumed=self.stable is None,
            notices=tuple(notices),
            texts=tuple(shown),
            keys=self.keys,
            roster=len(known) > 1,
        )

    def _read_known(self) -> tuple[list[pl.DataFrame], Layout, list[Said]]:
        """Return the originals as texts, the layout of what is made of them, and what was found out in reading them."""
        needed = (*self.keys, self.identifier)
        if not self.by_schema:
            own = SchemaFile(shape=Shape.RECORDS, file=self.book.layout.described.file)
            return [_read_texts(path, own, needed) for path in self.originals], self.book.layout, []
        frames: list[pl.DataFrame] = []
        notices: list[Said] = []
        book = self.book.with_layout(self.book.layout.require_columns([name for name in needed if name]))
        layout = book.layout
        for path in self.originals:
            original, settled = open_original(path, book)
            frames.append(_write_texts(original.data, settled.layout))
            notices += [_name_source(path, notice.message) for notice in original.notices]
            layout = settled.layout
        return frames, layout, notices

    def _is_stable(self, name: str) -> bool:
        return self.stable is None or name in self.stable

    def _list_others(self, shown: Sequence[pl.DataFrame]) -> list[str]:
        """Return the columns beside the keys that are stable or sensitive."""
        shared = [name for frame in shown for name in frame.columns if name not in (*self.keys, self.identifier)]
        names = dict.fromkeys(shared)
        asked = [*(self.stable or ()), *([self.sensitive] if self.sensitive else [])]
        unknown = [name for name in asked if name not in names and name not in self.keys]
        if unknown:
            rule = Said("be columns of the releases ({names})", names=", ".join(names))
            raise ParameterError("stable" if unknown[0] != self.sensitive else "sensitive", rule, unknown)
        wanted = [name for name in names if shared.count(name) > 1] if self.stable is None else []
        return [name for name in names if name in asked or name in wanted]

    def _list_values(
        self, names: Sequence[str], known: Sequence[pl.DataFrame], shown: Sequence[pl.DataFrame]
    ) -> pl.DataFrame:
        """Return every value that a column is known to have; rows mean nothing."""
        columns: dict[str, pl.Series] = {}
        for name in names:
            parts = [frame[name] for frame in known if name in frame.columns]
            if name not in self.keys:
                labels = [] if name not in self.trees else list(self.trees[name].children)
                seen = [frame[name] for frame in shown if name in frame.columns]
                parts += [part.filter(~part.str.contains(CELL) & ~part.is_in(labels)) for part in seen]
            values = pl.concat(parts).unique(maintain_order=True) if parts else pl.Series(dtype=pl.String)
            columns[name] = values if len(values) else pl.Series([""], dtype=pl.String)
        height = max(map(len, columns.values()))
        return pl.DataFrame(
            {name: values.gather(np.minimum(np.arange(height), len(values) - 1)) for name, values in columns.items()}
        )

    def _find_people(
        self, question: JointReleases, known: Sequence[pl.DataFrame], values: pl.DataFrame, book: RecordTerms
    ) -> tuple[KnownPeople, KnownPeople | None]:
        """Return the classes that fit the people, and those that they are in."""
        people, rows = self._bind(known)
        fits: list[FittingClasses] = []
        own: list[FittingClasses] = []
        for place, release in enumerate(question.releases):
            at = place if len(known) > 1 else 0
            frame, row = known[at], rows[at]
            data = self._open_people(frame, values, book, place)
            fit = find_fitting_classes(release, data, self.keys)
            spread = fit.take(np.maximum(row, 0).astype(np.intp))
            fits.append(spread if (row >= 0).all() else _leave_out(spread, row >= 0))
            if self.in_order:
                own.append(FittingClasses.of_one(self._take_own(release, len(frame), place)[row] if people else row))
        return KnownPeople(fits=tuple(fits)), KnownPeople(fits=tuple(own)) if self.in_order else None

    def _take_own(self, release: ClassedRows, records: int, place: int) -> NDArray[np.int64]:
        if len(release.classes) != records:
            rule = Said("have a row for each of the original's {records:,} records, in their order", records=records)
            raise ParameterError(str(self.published[place]), rule, len(release.classes))
        return np.append(release.classes, -1)  # the row -1: not there

    def _bind(self, known: Sequence[pl.DataFrame]) -> tuple[int, list[NDArray[np.int64]]]:
        """Return how many people there are, and for each original the row of each person, -1 where he has none."""
        if len(known) == 1:
            return len(known[0]), [np.arange(len(known[0]), dtype=np.int64)]
        for path, frame in zip(self.originals, known, strict=True):
            if frame[self.identifier].n_unique() < len(frame):
                raise ParameterError("id", Said("differ from record to record of {path}", path=path), self.identifier)
        everybody = pl.concat([frame[self.identifier] for frame in known]).unique(maintain_order=True)
        rows = [
            pl.DataFrame({"id": everybody})
            .join(
                pl.DataFrame({"id": frame[self.identifier], "row": np.arange(len(frame), dtype=np.int64)}),
                on="id",
                how="left",
                maintain_order="left",
            )["row"]
            .fill_null(-1)
            .to_numpy()
            for frame in known
        ]
        return len(everybody), rows

    def _open_people(self, frame: pl.DataFrame, values: pl.DataFrame, book: RecordTerms, place: int) -> Dataset:
        """Return people's keys, read as the releases are; the other columns stand for nothing and are not looked at."""
        path = self.originals[place if len(self.originals) > 1 else 0]
        columns = [
            frame[name] if name in self.keys else pl.Series(name, [values[name][0]] * len(frame), dtype=pl.String)
            for name in values.columns
        ]
        return open_original(FrameSource(name=str(path), frame=pl.DataFrame(columns)), book)[0].data


def _name_people(fits: FittingClasses) -> FittingPeople:
    """Return who is in a release, people being numbered alike in all of them."""
    here = np.flatnonzero(fits.present)
    return FittingPeople(names=here, fits=fits.take(here))


def _read_texts(path: Path, schema: SchemaFile, needed: Sequence[str]) -> pl.DataFrame:
    file = find_columns(path, schema)
    lacking = [name for name in needed if name and name not in file.texts]
    if lacking:
        raise MissingColumnsError(path, lacking, file.texts)
    return pl.DataFrame({name: text.fill_null("") for name, text in file.texts.items()})


def _write_texts(data: Dataset, layout: Layout) -> pl.DataFrame:
    """Return records that a schema describes as what is made of them writes them."""
    fields = {rules.name: rules for rules in layout.columns}
    return pl.DataFrame(
        [
            fields[column.name].writing.write(data.grid(column.name), column.kind, column.decimals).alias(column.name)
            if column.kind.numeric
            else data.text(column.name)
            for column in data.schema
        ]
    )


def _describe_written(layout: SchemaLayout, names: Sequence[str]) -> SchemaLayout:
    """Return the layout of some columns as what is made of the data writes them: dates in ISO where a form is named."""
    listed = {each.output_name: each for each in layout.schema_file.columns}
    columns = tuple(
        replace(
            each,
            name=name,
            source="",
            format=ISO if each.kind is Kind.DATE and each.format else each.format,
            missing=Missing.CARRY,
            low="",
            high="",
        )
        for name in names
        for each in [listed.get(name, ColumnRules(name=name))]
    )
    return layout.adopt(replace(layout.schema_file, columns=columns, all_columns=False, named=()))


def _name_source(source: object, reason: str) -> Said:
    return Said("{source}: {reason}", source=source, reason=reason)


def _leave_out(fit: FittingClasses, present: NDArray[np.bool_]) -> FittingClasses:
    """Return the same with nothing for those who are not there."""
    sizes = np.where(present, np.diff(fit.first), 0)
    kept = np.repeat(present, np.diff(fit.first))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return FittingClasses(first=first, classes=fit.classes[kept], present=present)
