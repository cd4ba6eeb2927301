"""The files that the table commands write: patterns, tables as they may be published, and what a certificate says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.table.describe import (
    describe_certificate,
    describe_figures,
    describe_pattern,
    describe_suppression,
    tell_reasons,
)
from sekisho.cli.table.options import (
    CodeOptions,
    PublicFile,
    PublicFolder,
    code_files,
)
from sekisho.data.files.plain_table import frame_bytes, read_frame
from sekisho.data.files.whole_files import check_paths, read_bytes
from sekisho.errors import ParameterError
from sekisho.gate.ending import Ending, end_release
from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.finding import ReviewedSystem
from sekisho.gate.tables.system import TableSystem
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.check.claims import ClaimedSystem
from sekisho.tables.check.files import GivenFile, file_errors
from sekisho.tables.files.pattern import MARK, pattern_frame, public_frame, refuse_mark
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the gate, which no other verb of tables needs
    from sekisho.gate.tables.candidate import ReviewedPattern

PATTERN, PUBLIC = "pattern", "public"
ALONE = "the certificate alone: no file that it speaks of was given or found beside it"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTables:
    """Where tables are written as they may be published, and what stands for each hidden cell.

    Attributes:
        place: the file, or the folder of several; None if nobody asks.
        mark: of hidden cells.
    """

    place: Path | None = None
    mark: str = MARK

    def write(self, table: Table, path: Path, value: str) -> bytes:
        """Return a suppressed table as the bytes of a file."""
        return frame_bytes(public_frame(table, value=value, mark=self.mark), path)


def read_public(options: PublicFile | PublicFolder) -> PublicTables:
    """Return what options ask to publish.

    Raises:
        ParameterError: a mark that could be taken for a value, or one without anything to write it to.
    """
    if options.mark is not None and options.public is None:
        raise ParameterError("mark", Said("be given with --public"), options.mark)
    mark = MARK if options.mark is None else options.mark
    refuse_mark(mark)
    return PublicTables(place=options.public, mark=mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTable:
    """Where the pattern of a table is written, and the table as it may be published, if that is asked.

    Attributes:
        pattern: the place of the pattern.
        public: of the published table.
        value: the name of the value's column.
    """

    pattern: Path
    public: PublicTables
    value: str

    def write(self, table: Table) -> dict[Path, bytes]:
        """Return the files of a suppressed table."""
        files = {self.pattern: frame_bytes(pattern_frame(table, value=self.value), self.pattern)}
        if self.public.place is not None:
            files[self.public.place] = self.public.write(table, self.public.place, self.value)
        return files

    def list_files(self, table: Table, cells: Sequence[int] | None = None) -> list[CertifiedFile]:
        """Return the files of a suppressed table as its certificate names them.

        ``cells`` says where the table's cells stand in the system that is certified.
        """
        places = range(len(table)) if cells is None else cells
        own = tuple(places[cell] for cell in np.flatnonzero(~table.unpublished).tolist())
        return [
            CertifiedFile(role=PATTERN if path == self.pattern else PUBLIC, name=path.name, data=data, cells=own)
            for path, data in self.write(table).items()
        ]

    def answer(self, candidate: ReviewedPattern, source: Path, certificate: Path) -> Answer:
        """Return the answer that writes a pattern and its certificate; what speaks against it is its exit status.

        Of a pattern that is refused nothing is written.
        """
        suppression, sealed = candidate.release.take_search()
        written = candidate.verdict.may_be_written
        files = self.write(suppression.table)
        if sealed.data is not None:
            files[certificate] = sealed.data
        keys = {
            **describe_suppression(suppression),
            "out": str(self.pattern) if written else None,
            **({} if self.public.place is None else {"public": str(self.public.place) if written else None}),
            **describe_certificate(sealed, certificate if written else None),
        }
        told = tell_reasons(source, candidate.reasons)
        files = keep_files(files, candidate.verdict)
        leaving = self.public.place or Said("none was written: --public FILE writes it")
        ending = name_insiders(end_release(candidate, leaving, table=True))
        account = candidate.account.as_dict()
        answer = Answer(keys={**keys, **account, **told}, words=describe_figures(keys), files=files, ending=ending)
        return answer.judged(candidate.verdict)


def name_insiders(ending: Ending) -> Ending:
    """Return an ending that names the option by which insiders are considered."""
    return ending.write_settings(lambda setting: f"--{setting.name} {setting.value}")


def keep_files(files: dict[Path, bytes], verdict: Verdict) -> dict[Path, bytes]:
    """Return the files that are written under a verdict; that a refused pattern is not, is said."""
    if verdict.may_be_written:
        return files
    places = ", ".join(map(str, files))
    say(Said("not written, because it must not leave: {places}", places=places))
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFindings:
    """What was found of the files beside a certificate.

    Attributes:
        errors: in what they are not those of the certificate.
        keys: what the answer tells of them.
    """

    errors: tuple[str, ...] = ()
    keys: dict[str, object] = field(default_factory=dict[str, object])


def compare_files(
    claimed: ClaimedSystem | None, source: Path, patterns: Sequence[Path], publics: Sequence[Path]
) -> FileFindings:
    """Compare a certificate with the files given, or else with those that it names and that lie beside it.

    A published table of the same name as a pattern lies in another folder, and must be given.
    """
    if claimed is None:
        return FileFindings()
    given = [*((PATTERN, path) for path in patterns), *((PUBLIC, path) for path in publics)]
    roles = {role for role, _ in given}
    patterned = {each.name for each in claimed.files if each.role == PATTERN}
    named = [
        (each.role, source.parent / Path(each.name).name)
        for each in claimed.files
        if each.role not in roles and not (each.role == PUBLIC and each.name in patterned)
    ]
    compared = [*given, *((role, path) for role, path in named if path.is_file())]
    missing = [path.name for _, path in named if not path.is_file()]
    errors = [error for role, path in compared for error in file_errors(claimed, _read_given(role, path))]
    return FileFindings(
        errors=tuple(errors),
        keys={
            "checked": f"the certificate and {', '.join(path.name for _, path in compared)}" if compared else ALONE,
            "files": [{"role": role, "file": str(path)} for role, path in compared],
            "missing": missing,
        },
    )


def _read_given(role: str, path: Path) -> GivenFile:
    frame = read_frame(path).frame
    columns = {name: frame[name].cast(pl.String).fill_null("").to_list() for name in frame.columns}
    return GivenFile(role=role, name=path.name, digest=sha256(read_bytes(path)).hexdigest(), columns=columns)


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

    def _make_folders(self) -> None:
        """Make the folders that are written to."""
        for path in (self.folder, *({each.parent for each in self.publications})):
            path.mkdir(parents=True, exist_ok=True)

    def answer(self, reviewed: ReviewedSystem, keys: dict[str, object], value: str) -> Answer:
        """Return the answer that writes the patterns: what is told of all of them, then of each.

        What speaks against them is its exit status; where they are refused nothing is written.
        """
        parts, sealed, written = reviewed.parts, reviewed.sealed, reviewed.verdict.may_be_written
        figures = {**keys, **describe_certificate(sealed, self.certificate if written else None)}
        tables = [
            describe_pattern(part, target if written else None)
            for part, target in zip(parts, self.targets, strict=True)
        ]
        for table, place in zip(tables, self.publications, strict=False):
            table["public"] = str(place) if written else None
        patterns = [
            Said(
                "{out}: {primary} primary, {secondary} secondary",
                out=target,
                primary=table["primary"],
                secondary=table["secondary"],
            )
            for table, target in zip(tables, self.targets, strict=True)
        ]
        files: dict[Path, bytes] = {}
        for place, part in zip(self._places(value), parts, strict=True):
            files |= place.write(part)
        if sealed.data is not None:
            files[self.certificate] = sealed.data
        told = tell_reasons(", ".join(source.name for source in self.sources), reviewed.reasons)
        files = keep_files(files, reviewed.verdict)
        if files:
            self._make_folders()
        ending = reviewed.end(self.publications or Said("none was written: --public FOLDER writes them"))
        return Answer(
            keys={**figures, "tables": tables, **reviewed.account.as_dict(), **told},
            words=join_words([describe_figures(figures), *patterns], "\n"),
            files=files,
            ending=name_insiders(ending),
        ).judged(reviewed.verdict)
