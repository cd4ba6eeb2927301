"""The file of data that a case is about: how it comes, whether it is as it was, what is proposed for it first."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import ColumnRules
from sekisho.data.files.whole_files import read_regular_file, write_whole
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import write_tree
from sekisho.errors import InputError, MissingFileError, ParameterError, say_failure
from sekisho.gate.profiling.look import FileLook, look_at_file
from sekisho.provenance import digest_file
from sekisho.report.pages.own_file.recipe_text import write_recipe
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.server.desk.edits import CELLS, RECIPE, SCHEMA, Files, name_tree_file
from sekisho.server.desk.plain_data import Plain
from sekisho.words import Language, Said

LONGEST_FILE_NAME = 100
UPLOAD = ".upload.json"
TAKEN_NAMES = {RECIPE, SCHEMA, CELLS, "trees"}
"""Names in the folder of a version that no file of data may have."""
RULE_KEYS = ("kind", "format", "role", "missing", "missing_texts", "means")


class OriginalState(StrEnum):
    """How the file of data is compared with when it was read; of a case from a colleague it stayed elsewhere."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFile:
    """The file of data as it was read.

    Attributes:
        path: where it stands; nothing if that is at a colleague's desk.
        size: in bytes.
        mtime: when it was last written, in nanoseconds.
        sha256: its digest.
        dropped: whether it was dropped, and so is in the case's own folder.
    """

    path: str
    size: int
    mtime: int
    sha256: str
    dropped: bool = False

    @classmethod
    def read(cls, path: Path, *, tell: Callable[[int], object] | None = None) -> OriginalFile:
        """Return what a file is now; its size and time are those from before its digest was taken.

        Args:
            path: of the file.
            tell: is told how many bytes were read.

        Raises:
            InputError: it cannot be read.
        """
        try:
            known = path.stat()
            digest = digest_file(path, tell=tell)
            return cls(path=str(path), size=known.st_size, mtime=known.st_mtime_ns, sha256=digest)
        except FileNotFoundError as error:
            raise MissingFileError(path) from error
        except OSError as error:
            raise InputError(path, say_failure(error, Said("cannot be read"))) from error

    def compare(self, *, digest: bool = False) -> OriginalState:
        """Tell whether the file is as it was: by size and time, or by every byte."""
        if not self.path:
            return OriginalState.ELSEWHERE
        try:
            known = Path(self.path).stat()
        except OSError:
            return OriginalState.GONE
        same = (known.st_size, known.st_mtime_ns) == (self.size, self.mtime)
        if digest:
            same = known.st_size == self.size and digest_file(Path(self.path)) == self.sha256
        return OriginalState.SAME if same else OriginalState.CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedFile:
    """A file that comes: what was dropped stays, and the rest goes on behind it; a named one stays where it stands.

    Attributes:
        folder: of what is known of it; its name is the name of the case that becomes of it.
        name: of the file.
        size: in bytes, of all that is to come; None where that is not known.
        changed: when it was last written, as its sender says.
        path: where it stands, if it was named; nothing if it was dropped.
        language: of comments in what is proposed for it.
        said: how it is to be read: ``shape``, ``separator``, ``encoding``.
        cancelled: whether somebody ended the first look at it.
    """

    folder: Path
    name: str
    size: int | None
    changed: str = ""
    path: str = ""
    language: str = Language.EN.value
    said: Mapping[str, str] = field(default_factory=dict[str, str])
    cancelled: bool = False

    @property
    def id(self) -> str:
        """What a form calls it, and what its case will be called."""
        return self.folder.name

    @property
    def part(self) -> Path:
        """What has come."""
        return Path(self.path) if self.path else self.folder / name_data(self.name)

    @property
    def is_whole(self) -> bool:
        """Whether all of it has come."""
        return self.size is None or self.received >= self.size

    @classmethod
    def read(cls, folder: Path) -> DroppedFile:
        """Return what is known of a file that comes."""
        return cls(folder=folder, **json.loads(read_regular_file(folder / UPLOAD)))

    def save(self) -> None:
        """Write what is known of it."""
        told, place = asdict(self), self.folder / UPLOAD
        del told["folder"]
        write_whole({place: json.dumps(told).encode()}, private={place})

    @property
    def received(self) -> int:
        """How many bytes have come."""
        return self.part.stat().st_size if self.part.exists() else 0

    def receive(self, pieces: Iterable[bytes], *, start: int) -> int:
        """Write further bytes, and return how many have come.

        Raises:
            ParameterError: they do not follow those that have come.
        """
        if start != self.received:
            raise ParameterError("start", Said("be {received}: so much has come", received=self.received), start)
        with self.part.open("ab") as stream:
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        return self.received

    def discard(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstProposal:
    """What is proposed for a file before anybody said anything: plain data, so that another process may look.

    Attributes:
        original: the file that was looked at.
        shape: what a row seems to be.
        files: the recipe, the schema and trees, by name.
        columns: all columns in the file's order, each as the schema would say it; of a table name and kind.
        counts: by file name what was counted while looking, which need not be counted again.
    """

    original: OriginalFile
    shape: Shape
    files: Files
    columns: tuple[Mapping[str, object], ...] = ()
    counts: Mapping[str, Plain] = field(default_factory=dict[str, Plain])

    def pack(self) -> Plain:
        """Return it as plain data."""
        return {
            "original": asdict(self.original),
            "shape": self.shape.value,
            "files": {name: data.decode() for name, data in self.files.items()},
            "columns": [dict(one) for one in self.columns],
            "counts": dict(self.counts),
        }

    @classmethod
    def unpack(cls, plain: Plain) -> FirstProposal:
        """Return what another process proposed."""
        return cls(
            original=OriginalFile(**plain["original"]),
            shape=Shape(plain["shape"]),
            files={name: str(text).encode() for name, text in plain["files"].items()},
            columns=tuple(plain["columns"]),
            counts=plain["counts"],
        )


def propose_files(
    path: Path,
    *,
    name: str = "",
    shape: Shape | None = None,
    form: CsvForm | None = None,
    language: Language = Language.EN,
    looked: Path | None = None,
) -> FirstProposal:
    """Look at a file and propose a recipe and a schema for it, as ``sekisho init`` does.

    Args:
        path: of the file.
        name: what recipes call it; its own name if empty.
        shape: what a row is; found out if not said.
        form: how it is written, as far as it is said.
        language: of the comments.
        looked: what of the file is looked at; all of it if None.

    Raises:
        InputError: it cannot be read, or cannot have the shape that is said.
        FaultsError: its lines are of different lengths.
    """
    original = OriginalFile.read(path)
    return write_proposal(look_at_file(looked or path, shape=shape, form=form), original, name=name, language=language)


def write_proposal(look: FileLook, original: OriginalFile, *, name: str, language: Language) -> FirstProposal:
    """Return the recipe and the schema of a file that was looked at; recipes call it by ``name``, if that is any."""
    trees = {column: name_tree_file(column) for column in look.trees}
    called = name_data(name or look.path.name)
    files = {RECIPE: write_recipe(look, language, original=called, schema=SCHEMA, recipe=RECIPE, trees=trees)}
    files |= {trees[column]: write_tree(tree) for column, tree in look.trees.items()}
    if look.schema is not None:
        files[SCHEMA] = write_schema(look, language)
    return FirstProposal(original=original, shape=look.shape, files=files, columns=list_columns(look))


def name_data(name: str) -> str:
    """Return what a file of data is called in the folders of a case: its own name where that can be."""
    plain = unicodedata.normalize("NFC", Path(name.replace("\\", "/")).name)
    plain = "".join(letter if letter.isprintable() else "_" for letter in plain).strip().lstrip(".")
    stem, suffix = Path(plain).stem[:LONGEST_FILE_NAME], Path(plain).suffix[:20]
    return f"data-{stem}{suffix}" if not stem or f"{stem}{suffix}" in TAKEN_NAMES else f"{stem}{suffix}"


def list_columns(look: FileLook) -> tuple[Mapping[str, object], ...]:
    """Return all columns of a file that was looked at, each as the schema would say it; none of a table."""
    if look.schema is None:
        return tuple({"name": each.name, "kind": each.kind.value} for each in look.columns)
    offered = iter(look.schema.offered)
    return tuple(_tell_rules(next(offered) if rules is None else rules) for rules in look.schema.rules)


def _tell_rules(rules: ColumnRules) -> dict[str, object]:
    """Return a column as a schema file says it."""
    told: dict[str, object] = {"name": rules.output_name}
    if rules.source_name != rules.output_name:
        told["source"] = rules.source_name
    for name in RULE_KEYS:
        value = getattr(rules, name)
        if value is not None and value not in ("", ()):
            told[name] = list(value) if isinstance(value, tuple) else str(value)
    return told
