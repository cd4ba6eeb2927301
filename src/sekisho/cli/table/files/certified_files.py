"""The files that a certificate speaks of: written with it, and compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.cli.table.files.public import PublicTables
from sekisho.data.files.frames import frame_bytes, read_frame
from sekisho.data.files.whole_files import read_bytes
from sekisho.tables.certificate.seal import CertifiedFile
from sekisho.tables.check.checker import Checked
from sekisho.tables.check.files import GivenFile, file_errors
from sekisho.tables.files.pattern import pattern_frame
from sekisho.tables.model.table import Table
from sekisho.words import Said

PATTERN, PUBLIC = "pattern", "public"
ALONE = Said("the certificate alone: no file that it speaks of was given or found beside it")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFindings:
    """What was found of the files beside a certificate.

    Attributes:
        errors: in what they are not those of the certificate.
        keys: what the answer tells of them.
    """

    errors: tuple[str, ...] = ()
    keys: dict[str, object] = field(default_factory=dict[str, object])


def compare_files(checked: Checked, source: Path, patterns: Sequence[Path], publics: Sequence[Path]) -> FileFindings:
    """Compare a certificate with the files given, or else with those that it names and that lie beside it.

    A published table of the same name as a pattern lies in another folder, and must be given.
    """
    claimed = checked.claimed
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
            "checked": Said("the certificate and {compared}", compared=", ".join(path.name for _, path in compared))
            if compared
            else ALONE,
            "files": [{"role": role, "file": str(path)} for role, path in compared],
            "missing": missing,
        },
    )


def _read_given(role: str, path: Path) -> GivenFile:
    frame = read_frame(path).frame
    columns = {name: frame[name].cast(pl.String).fill_null("").to_list() for name in frame.columns}
    return GivenFile(role=role, name=path.name, digest=sha256(read_bytes(path)).hexdigest(), columns=columns)
