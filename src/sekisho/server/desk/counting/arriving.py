"""The first look at a file that comes: how far it is, what the desk does not take, and what is proposed for the file.

It is done in the counting process: within its memory, ended when somebody cancels, and done anew after a kill, since
what is known of the file stays in its folder. What was looked at is kept for the case, and is not looked at twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.files.settings import build_settings, parse_toml
from sekisho.data.shape import Shape
from sekisho.errors import InputError
from sekisho.gate.profiling.file_form import FileText
from sekisho.gate.profiling.look import look_at_file
from sekisho.server.desk.cases import DroppedFile
from sekisho.server.desk.counting.looked_part import PART, LookedPart
from sekisho.server.desk.counting.looking import describe_look
from sekisho.server.desk.edits import RECIPE, SCHEMA
from sekisho.server.desk.exports import is_sealed_case, unpack_case
from sekisho.server.desk.originals import FirstProposal, OriginalFile, write_proposal
from sekisho.server.desk.plain_data import Plain, read_plain, write_plain
from sekisho.words import Language, Said

ARRIVE, UNSEAL = "arrive", "unseal"
SEALED, UNPACKED = "sealed", ".case"
READING = ".reading.json"
TELL_SECONDS = 0.2
MOST_COLUMNS, LONGEST_CELL = 1000, 1 << 20
FORM_KEYS = ("separator", "header", "encoding", "header_line", "header_lines", "footer_lines", "sheet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How far the first look at a file is.

    Attributes:
        read: bytes that were read.
        size: bytes of the file.
        rows: that it has; 0 before that is known.
    """

    read: int = 0
    size: int = 0
    rows: int = 0

    @classmethod
    def find(cls, folder: Path) -> Reading:
        """Return how far the look at a file is that comes."""
        told = read_plain(folder / READING) or {}
        return cls(**{name: int(told.get(name, 0)) for name in cls.__slots__})


@dataclass(slots=True, kw_only=True)
class ReadingLog:
    """Tells how far a look is, not more often than somebody can read it."""

    path: Path
    size: int
    _told: float = field(default_factory=monotonic)

    def tell(self, read: int, rows: int = 0) -> None:
        """Write how many bytes were read, or how many rows there are."""
        if rows or monotonic() > self._told + TELL_SECONDS:
            self._told = monotonic()
            write_plain({self.path: {"read": read, "size": self.size, "rows": rows}})


def tell_arrival(folder: Path, arguments: Mapping[str, Any], *, allowed: int = 0) -> Plain:
    """Return what is proposed for a file that comes, and what it was proposed by.

    Args:
        folder: of what is known of it.
        arguments: how it is to be read, as far as somebody said.
        allowed: bytes that the look may take; 0: as many as it likes.

    Raises:
        InputError: it cannot be read, or is more than the desk takes.
        FaultsError: its lines do not fit together.
        ParameterError: it is to be read in a way that there is none of.
    """
    arrival = DroppedFile.read(folder)
    if is_sealed_case(arrival.part):
        return {SEALED: True}
    form = CsvForm(separator=arguments.get("separator") or None, encoding=arguments.get("encoding") or None)
    shape = arguments.get("shape")
    log = ReadingLog(path=folder / READING, size=arrival.received if arrival.part.exists() else 0)
    original = OriginalFile.read(arrival.part, tell=log.tell)

    def examine(file: FileText) -> None:
        log.tell(original.size, file.rows)
        check_extent(arrival.part, file)

    part = LookedPart.find(arrival.part, original.sha256, folder, allowed)
    look = look_at_file(part.path, shape=Shape(shape) if shape else None, form=form, once_read=examine)
    proposal = write_proposal(look, original, name=arrival.name, language=Language(arrival.language))
    kept = {name_look(part.digest, proposal.shape, _read_form(proposal)): describe_look(look)}
    told = {} if part.told is None else {PART: part.told}
    return replace(proposal, counts=kept | told).pack()


def unseal_arrival(folder: Path, arguments: Mapping[str, Any], *, allowed: int = 0) -> Plain:
    """Unpack a sealed case that has come, beside it.

    Raises:
        InputError: the passphrase is another, or it is no case of the desk.
        FaultsError: the archive is damaged, too large, or holds what no case does.
    """
    del allowed  # an archive is unpacked piece by piece
    unpack_case(DroppedFile.read(folder).part, str(arguments.get("passphrase", "")), folder / UNPACKED)
    return {SEALED: False}


def check_extent(path: Path, file: FileText) -> None:
    """Refuse what no page can show.

    Raises:
        InputError: there are too many columns, or a cell is too long.
    """
    if len(file.texts) > MOST_COLUMNS:
        said = Said("has {columns:,} columns; the limit is {limit:,}", columns=len(file.texts), limit=MOST_COLUMNS)
        raise InputError(path, said)
    for name, text in file.texts.items():
        longest = text.str.len_bytes().max()
        if isinstance(longest, int) and longest > LONGEST_CELL:
            row = int((text.str.len_bytes() == longest).arg_max() or 0) + 1
            raise InputError(
                path,
                Said(
                    "has a cell of {longest:,} bytes in row {row:,}, column {column}; the limit is {limit:,}",
                    longest=longest,
                    row=row,
                    column=name,
                    limit=LONGEST_CELL,
                ),
            )


def find_form(shape: Shape, recipe: Mapping[str, Any], schema: SchemaFile | None) -> CsvForm:
    """Return how a file is written, as far as a version says."""
    if shape is Shape.TABLE or schema is None:
        return CsvForm(**{key: recipe[key] for key in FORM_KEYS if key in recipe})
    return schema.file.csv


def name_look(digest: str, shape: Shape, form: CsvForm) -> str:
    """Return under which name is kept what was understood of a file: roles do not change it."""
    told = repr((digest, shape, form, describe_look.__module__))
    return f"look-{sha256(told.encode()).hexdigest()[:32]}.look"


def _read_form(proposal: FirstProposal) -> CsvForm:
    recipe = parse_toml(proposal.files[RECIPE].decode(), RECIPE)
    schema = None
    if SCHEMA in proposal.files:
        schema = build_settings(parse_toml(proposal.files[SCHEMA].decode(), SCHEMA), SchemaFile, source=SCHEMA)
    return find_form(proposal.shape, recipe, schema)
