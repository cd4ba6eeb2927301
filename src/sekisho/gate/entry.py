"""What stands before the gate: a recipe read, its data opened, everything known that the run needs.

Four kinds: a history, records judged by test sets, records judged by their keys, a table. Each knows its stage, and the
files of its chosen candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sekisho.data.files.layout import Original, open_original
from sekisho.data.files.settings import read_toml
from sekisho.data.files.whole_files import read_bytes
from sekisho.errors import BugError
from sekisho.gate.certificate.document import FileEntry
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Outcome
from sekisho.gate.outputs.files import (
    BY_ROW,
    CERTIFICATE,
    CONFIDENTIAL,
    DELETED,
    OPENING,
    PATTERN,
    PROPOSED,
    PUBLIC,
    RELEASE,
    RELEASES,
    REPORT,
    TABLE_PROOF,
    TEXT_REPORT,
    TRUTH,
    OutputFiles,
    name_guess_files,
)
from sekisho.gate.outputs.history import make_history_files
from sekisho.gate.outputs.keyed import make_keyed_files
from sekisho.gate.outputs.records import make_records_files
from sekisho.gate.outputs.tables import make_table_files
from sekisho.gate.policy import Policy
from sekisho.gate.recipe import AnyRecipe, read_recipe
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import WriteRules
from sekisho.gate.records.keyed.recipe import KeyedRecipe
from sekisho.gate.records.keyed.stage import KeyedCandidate, KeyedStage
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsCandidate, RecordsStage
from sekisho.gate.tables.reading import read_recipe_table
from sekisho.gate.tables.recipe import TableRecipe, TableRecipeFile
from sekisho.gate.tables.stage import TableCandidate, TableStage
from sekisho.provenance import digest_file

OFFERED_NAMES = (REPORT, CERTIFICATE)
CONFIDENTIAL_NAMES = (REPORT, TEXT_REPORT, OPENING, CERTIFICATE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """What every entry has.

    Attributes:
        settings: the recipe as its file has it; empty where there is no file.
        source: the recipe's file; None where there is none.
        reads: the files that are read, the recipe's among them.
        inputs: their digests, by name.
        notices: what was found out of the data, each a sentence.
        seed: as the recipe has it; None if it says none.
        write: what is written beside release and report.
        original: the file of data; None where there is none.
    """

    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    source: Path | None = None
    reads: tuple[Path, ...] = ()
    inputs: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    notices: tuple[str, ...] = ()
    seed: int | None = None
    write: WriteRules = field(default_factory=WriteRules)
    original: Path | None = None

    def copy_original(self) -> dict[str, bytes]:
        """Return the original as a confidential file, if the recipe asks for a copy."""
        if not self.write.original or self.original is None:
            return {}
        return {f"original{self.original.suffix}": read_bytes(self.original)}

    @property
    def release_name(self) -> str:
        """What the release is called among the public files."""
        return RELEASES[self.write.format]

    def tell_settings(self) -> dict[str, object]:
        """Return the recipe as the certificate tells it: its own words, and what decides though it is not said there.

        A profile, a schema or a usual value may say it. Whoever verifies compares the claims with this.
        """
        return dict(self.settings)

    @property
    def own_title(self) -> dict[str, str]:
        """The recipe's title by language; empty if it has none."""
        title = self.settings.get("title")
        if isinstance(title, Mapping):
            return {str(language): str(words) for language, words in title.items()}
        return {"en": str(title), "ja": str(title)} if title else {}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryEntry(Entry):
    """A history before the gate."""

    stage: HistoryStage

    def make_files(self, outcome: Outcome[HistoryCandidate]) -> OutputFiles:
        """Return the files of the chosen candidate."""
        return make_history_files(self.stage, outcome.best, release=self.release_name)

    def tell_settings(self) -> dict[str, object]:
        """Return the recipe with the bound that decides and what becomes of a claim that is not proven."""
        recipe = self.stage.recipe
        told = {"bound": recipe.bound.value, "claim": recipe.claim.value}
        return {**self.settings, **told, **_tell_policy(recipe.policy)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsEntry(Entry):
    """Records before the gate."""

    stage: RecordsStage

    def make_files(self, outcome: Outcome[RecordsCandidate]) -> OutputFiles:
        """Return the files of the chosen candidate."""
        return make_records_files(self.stage, outcome.best, release=self.release_name)

    def tell_settings(self) -> dict[str, object]:
        """Return the recipe with its target."""
        recipe = self.stage.recipe
        return {**self.settings, "target": recipe.target, **_tell_policy(recipe.policy)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyedEntry(Entry):
    """Records before the gate that are judged by their keys."""

    stage: KeyedStage

    def make_files(self, outcome: Outcome[KeyedCandidate]) -> OutputFiles:
        """Return the files of the chosen candidate."""
        return make_keyed_files(self.stage, outcome.best, seed=outcome.seed, release=self.release_name)

    def tell_settings(self) -> dict[str, object]:
        """Return the recipe with its keys, sensitive columns and guarantees."""
        recipe, question = self.stage.recipe, self.stage.question
        told = {"keys": list(question.keys), "sensitive": list(question.sensitive)}
        return {**self.settings, **told, "guarantees": recipe.guarantees.tell(), **_tell_policy(recipe.policy)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableEntry(Entry):
    """A table before the gate.

    Attributes:
        value: the name of the value's column.
    """

    stage: TableStage
    value: str

    def make_files(self, outcome: Outcome[TableCandidate]) -> OutputFiles:
        """Return the files of the chosen candidate."""
        return make_table_files(outcome.best, value=self.value, release=self.release_name)


AnyEntry = HistoryEntry | RecordsEntry | KeyedEntry | TableEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRecipe:
    """A recipe that was read, its data not yet.

    Attributes:
        source: its file.
        recipe: its methods, adversaries and rules made.
        file: its own words.
        settings: the same as plain data.
    """

    source: Path
    recipe: AnyRecipe
    file: RecipeFile | TableRecipeFile
    settings: Mapping[str, object]

    @classmethod
    def read(cls, source: Path) -> ReadRecipe:
        """Return the recipe in a file.

        Raises:
            InputError: it cannot be read.
            SettingsError: keys or values are wrong; all of them at once.
        """
        recipe, file = read_recipe(source)
        return cls(source=source, recipe=recipe, file=file, settings=read_toml(source))

    @property
    def reads(self) -> tuple[Path, ...]:
        """The files that a run reads."""
        preset = str(self.settings.get("preset", ""))
        own = (self.source.parent / preset,) if preset.endswith(".toml") else ()
        return self.source, *own, *self.file.reads

    @property
    def names(self) -> list[str]:
        """What a run writes, below its folder."""
        return list(list_names(self.recipe, release=RELEASES[self.file.write.format]))

    def open(self) -> AnyEntry:
        """Read the data.

        Raises:
            SekishoError: whatever is wrong with them.
        """
        common: dict[str, Any] = {
            "settings": self.settings,
            "source": self.source,
            "reads": self.reads,
            "inputs": _digest_inputs(self.reads),
            "write": self.file.write,
            "original": Path(self.file.original),
        }
        if isinstance(self.recipe, TableRecipe) and isinstance(self.file, TableRecipeFile):
            return _open_table(self.recipe, self.file, common)
        common["seed"] = self.file.seed if isinstance(self.file, RecipeFile) else None
        original = Path(self.file.original)
        if isinstance(self.recipe, HistoryRecipe):
            return _open_history(self.recipe, original, common)
        if isinstance(self.recipe, RecordsRecipe):
            return _open_records(self.recipe, original, common)
        if isinstance(self.recipe, KeyedRecipe):
            return _open_keyed(self.recipe, original, common)
        raise BugError(f"no entry for {type(self.recipe).__name__}")


def _tell_policy(policy: Policy) -> dict[str, object]:
    verdicts = {rule: verdict.value for rule, verdict in policy.verdicts.items()}
    return {"policy": verdicts} if verdicts else {}


def list_names(recipe: object, *, release: str = RELEASE) -> Iterator[str]:
    """Return what a run of a recipe may write, below its folder."""
    yield from (f"{folder}/{name}" for folder in (PUBLIC, PROPOSED) for name in (release, *OFFERED_NAMES))
    own: Sequence[str] = (PATTERN, TABLE_PROOF)
    if isinstance(recipe, HistoryRecipe):
        own = (BY_ROW, TRUTH, *name_guess_files(recipe.adversaries).values())
    elif isinstance(recipe, RecordsRecipe | KeyedRecipe):
        own = (BY_ROW, TRUTH, DELETED)
    yield from (f"{CONFIDENTIAL}/{name}" for name in (*own, *CONFIDENTIAL_NAMES))


def _open_history(recipe: HistoryRecipe, original: Path, common: Mapping[str, Any]) -> HistoryEntry:
    read, rules = open_original(original, recipe.rules)
    stage = HistoryStage.open(replace(recipe, rules=rules), read.data)
    return HistoryEntry(**common, notices=_list_notices(original, read), stage=stage)


def _open_records(recipe: RecordsRecipe, original: Path, common: Mapping[str, Any]) -> RecordsEntry:
    read, rules = open_original(original, recipe.rules)
    stage = RecordsStage(recipe=replace(recipe, rules=rules), original=read.data)
    return RecordsEntry(**common, notices=_list_notices(original, read), stage=stage)


def _open_keyed(recipe: KeyedRecipe, original: Path, common: Mapping[str, Any]) -> KeyedEntry:
    read, rules = open_original(original, recipe.rules)
    stage = KeyedStage.open(replace(recipe, rules=rules), read.data)
    return KeyedEntry(**common, notices=(*_list_notices(original, read), *stage.notices), stage=stage)


def _open_table(recipe: TableRecipe, file: TableRecipeFile, common: Mapping[str, Any]) -> TableEntry:
    read = read_recipe_table(recipe, file)
    stage = recipe.make_stage(read.table, counts=read.counts, patterns=read.read_patterns(recipe.releases))
    return TableEntry(**common, notices=read.notices, stage=stage, value=read.value)


def _list_notices(original: Path, read: Original) -> tuple[str, ...]:
    return tuple(f"{original}: {one.message}" for one in read.notices)


def _digest_inputs(reads: Sequence[Path]) -> dict[str, FileEntry]:
    """Return the digests of files by name; of two with one name the second has a number."""
    entries: dict[str, FileEntry] = {}
    for number, path in enumerate(reads, 1):
        if path.is_file():
            name = path.name if path.name not in entries else f"{path.name} ({number})"
            entries[name] = FileEntry(sha256=digest_file(path), bytes=path.stat().st_size)
    return entries
