"""Several files of tables: those that are linked, each with its own of the dimensions.

And the patterns that are written of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.cli.kit.answer import Answer
from sekisho.cli.table.describe import describe_certificate, describe_figures, describe_pattern
from sekisho.cli.table.files.cell_files import CellForm, Reading, code_files, read_columns, read_form, split_names
from sekisho.cli.table.files.certified_files import WrittenTable
from sekisho.cli.table.files.public import PublicTables
from sekisho.cli.table.options import CodeOptions, ColumnOptions, CsvOptions
from sekisho.data.files.frames import read_frame
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import InputError, ParameterError
from sekisho.gate.tables.search import SealedCertificate
from sekisho.gate.tables.system import TableSystem
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedFiles:
    """Several files and how each is read: its dimensions are those of the given names that it has."""

    sources: tuple[Path, ...]
    readings: tuple[Reading, ...]
    form: CellForm

    @property
    def value(self) -> str:
        """The column of the values."""
        return self.readings[0].value

    def read_tables(self) -> list[Table]:
        """Return the tables."""
        return [how.read_table(source) for how, source in zip(self.readings, self.sources, strict=True)]

    def apply_patterns(self, patterns: Sequence[Path]) -> list[Table]:
        """Return the tables, each suppressed as its pattern says."""
        return [
            how.apply_pattern(table, pattern, source)
            for how, table, pattern, source in zip(
                self.readings, self.read_tables(), patterns, self.sources, strict=True
            )
        ]


def read_linked(
    sources: Sequence[Path], dims: str, columns: ColumnOptions, codes: CodeOptions, csv: CsvOptions
) -> LinkedFiles:
    """Return how to read several files: each has its own of the dimensions, with their trees and groupings.

    Raises:
        ParameterError: fewer than two files, two of one name, or a tree or grouping of a dimension that is not named.
        InputError: a file has none of the dimensions.
    """
    names = [source.name for source in sources]
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParameterError("FILE", Said("be at least two files of different names"), ", ".join(names))
    asked, form = split_names(dims), read_form(codes, csv)
    form.refuse_strange(asked)
    readings: list[Reading] = []
    for source in sources:
        held = frozenset(read_frame(source, separator=csv.separator, encoding=csv.encoding).frame.columns)
        own = [name for name in asked if name in held]
        if not own:
            raise InputError(source, Said("has none of the dimensions {asked}", asked=", ".join(asked)))
        readings.append(read_columns(",".join(own), columns, form.only(own)))
    return LinkedFiles(sources=tuple(sources), readings=tuple(readings), form=form)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternFiles:
    """Where the patterns of several files and their certificate are written: a folder, under the files' names.

    And, in another folder under the same names, the tables as they may be published, if that is asked.
    """

    sources: tuple[Path, ...]
    folder: Path
    certificate: Path
    public: PublicTables

    @property
    def targets(self) -> list[Path]:
        """The patterns."""
        return [self.folder / source.name for source in self.sources]

    @property
    def publications(self) -> list[Path]:
        """The tables as they may be published."""
        folder = self.public.place
        return [] if folder is None else [folder / source.name for source in self.sources]

    def check(self, codes: CodeOptions, report: Path | None) -> None:
        """Refuse places that cannot be written, or are read."""
        patterns = {f"--out {path.name}": path for path in (*self.targets, self.certificate)}
        tables = {f"--public {path.name}": path for path in self.publications}
        folders = [self.folder, *([] if self.public.place is None else [self.public.place])]
        check_paths(
            reads=[*self.sources, *code_files(codes)],
            writes={**patterns, **tables, "--report": report},
            folders=folders,
        )

    def list_files(self, system: TableSystem, pattern: Table, *, value: str) -> list[CertifiedFile]:
        """Return the files of a pattern of a system as its certificate names them."""
        return [
            file
            for place, part, cells in zip(self._places(value), system.mark_parts(pattern), system.places, strict=True)
            for file in place.list_files(part, cells.tolist())
        ]

    def _places(self, value: str) -> list[WrittenTable]:
        tables = self.publications or [None] * len(self.targets)
        return [
            WrittenTable(pattern=target, public=replace(self.public, place=table), value=value)
            for target, table in zip(self.targets, tables, strict=True)
        ]

    def make_folders(self) -> None:
        """Make the folders that are written to."""
        for path in (self.folder, *({each.parent for each in self.publications})):
            path.mkdir(parents=True, exist_ok=True)

    def answer(self, parts: Sequence[Table], keys: dict[str, object], sealed: SealedCertificate, value: str) -> Answer:
        """Return the answer that writes the patterns: what is told of all of them, then of each; the folder is made."""
        figures = {**keys, **describe_certificate(sealed, self.certificate)}
        each = [describe_pattern(part, target) for part, target in zip(parts, self.targets, strict=True)]
        for one, place in zip(each, self.publications, strict=False):
            one["public"] = str(place)
        patterns = [
            Said(
                "{out}: {primary} primary, {secondary} secondary",
                out=one["out"],
                primary=one["primary"],
                secondary=one["secondary"],
            )
            for one in each
        ]
        files: dict[Path, bytes] = {}
        for place, part in zip(self._places(value), parts, strict=True):
            files |= place.write(part)
        if sealed.data is not None:
            files[self.certificate] = sealed.data
        return Answer(
            keys={**figures, "tables": each},
            words=join_words([describe_figures(figures), *patterns], "\n"),
            review=not sealed.complete,
            files=files,
        )
