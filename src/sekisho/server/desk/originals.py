"""The file of data that a case is about: whether it is as it was, and what is proposed for it first."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import ColumnRules
from sekisho.data.shape import Shape
from sekisho.data.trees.tree_files import write_tree
from sekisho.errors import InputError, MissingFileError, say_failure
from sekisho.gate.profiling.look import FileLook, look_at_file
from sekisho.provenance import digest_file
from sekisho.report.pages.own_file.recipe_text import write_recipe
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.server.desk.edits import CELLS, RECIPE, SCHEMA, Files, name_tree_file
from sekisho.words import Language, Said

LONGEST_FILE_NAME = 100
TAKEN_NAMES = {RECIPE, SCHEMA, CELLS, "trees"}
"""Names in the folder of a version that no file of data may have."""
RULE_KEYS = ("kind", "format", "role", "missing", "missing_texts", "means")


class OriginalState(StrEnum):
    """How the file of data is compared with when it was read."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFile:
    """The file of data as it was read.

    Attributes:
        path: where it stands.
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
    def read(cls, path: Path) -> OriginalFile:
        """Return what a file is now; its size and time are those from before its digest was taken.

        Raises:
            InputError: it cannot be read.
        """
        try:
            known = path.stat()
            return cls(path=str(path), size=known.st_size, mtime=known.st_mtime_ns, sha256=digest_file(path))
        except FileNotFoundError as error:
            raise MissingFileError(path) from error
        except OSError as error:
            raise InputError(path, say_failure(error, Said("cannot be read"))) from error

    def compare(self, *, digest: bool = False) -> OriginalState:
        """Tell whether the file is as it was: by size and time, or by every byte."""
        try:
            known = Path(self.path).stat()
        except OSError:
            return OriginalState.GONE
        same = (known.st_size, known.st_mtime_ns) == (self.size, self.mtime)
        if digest:
            same = known.st_size == self.size and digest_file(Path(self.path)) == self.sha256
        return OriginalState.SAME if same else OriginalState.CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstProposal:
    """What is proposed for a file before anybody said anything: plain data, so that another process may look.

    Attributes:
        original: the file that was looked at.
        shape: what a row seems to be.
        files: the recipe, the schema and trees, by name.
        columns: all columns in the file's order, each as the schema would say it; of a table name and kind.
    """

    original: OriginalFile
    shape: Shape
    files: Files
    columns: tuple[Mapping[str, object], ...] = ()


def propose_files(
    path: Path,
    *,
    name: str = "",
    shape: Shape | None = None,
    form: CsvForm | None = None,
    language: Language = Language.EN,
) -> FirstProposal:
    """Look at a file and propose a recipe and a schema for it, as ``sekisho init`` does.

    Args:
        path: of the file.
        name: what recipes call it; its own name if empty.
        shape: what a row is; found out if not said.
        form: how it is written, as far as it is said.
        language: of the comments.

    Raises:
        InputError: it cannot be read, or cannot have the shape that is said.
        FaultsError: its lines are of different lengths.
    """
    original = OriginalFile.read(path)
    look = look_at_file(path, shape=shape, form=form)
    trees = {column: name_tree_file(column) for column in look.trees}
    called = name_data(name or path.name)
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
