"""What stands before the gate: a recipe read, its data opened, everything known that the run needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sekisho.data.files.settings import read_toml
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.shape import Shape
from sekisho.errors import BugError
from sekisho.gate.certificate.document import FileEntry
from sekisho.gate.output_files import (
    BY_ROW,
    CERTIFICATE,
    CONFIDENTIAL,
    OPENING,
    PROPOSED,
    PUBLIC,
    RELEASE,
    RELEASES,
    REPORT,
    SHEET,
    TEXT_REPORT,
    TRUTH,
    name_table_file,
)
from sekisho.gate.recipe import read_recipe
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import WriteRules
from sekisho.gate.recipes.register import RegisterRules
from sekisho.provenance import digest_file
from sekisho.words import Said

if TYPE_CHECKING:  # a stage is loaded with the data that are opened on it
    from sekisho.gate.cache.steps import Steps
    from sekisho.gate.counted.history import CountedHistoryStage
    from sekisho.gate.counted.records import CountedRecordsStage
    from sekisho.gate.history.stage import HistoryStage
    from sekisho.gate.recipe import AnyRecipe, PeopleRecipe
    from sekisho.gate.records.stage import RecordsStage
    from sekisho.gate.register.session import RegisterSession
    from sekisho.gate.tables.recipe_file import TableRecipeFile
    from sekisho.journey.registering import AnyStage

OFFERED_NAMES = (REPORT, CERTIFICATE)
CONFIDENTIAL_NAMES = (REPORT, TEXT_REPORT, SHEET, OPENING, CERTIFICATE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """A recipe whose data are open.

    Attributes:
        stage: the data of their shape, and what is done with them.
        settings: the recipe as its file has it; empty where there is no file.
        source: the recipe's file; None where there is none.
        reads: the files that are read, the recipe's among them.
        inputs: their digests, by name.
        notices: what was found out of the data, each a sentence.
        seed: as the recipe has it; None if it says none.
        write: what is written beside release and report.
        original: the file of data; None where there is none.
        register: what left before; None where the recipe names no register.
    """

    stage: AnyStage
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    source: Path | None = None
    reads: tuple[Path, ...] = ()
    inputs: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    notices: tuple[str, ...] = ()
    seed: int | None = None
    write: WriteRules = field(default_factory=WriteRules)
    original: Path | None = None
    register: RegisterSession | None = None

    def copy_original(self) -> dict[str, bytes]:
        """Return the original as a confidential file, if the recipe asks for a copy."""
        if not self.write.original or self.original is None:
            return {}
        return {f"original{self.original.suffix}": read_bytes(self.original)}

    @property
    def release_name(self) -> str:
        """What the release is called among the public files."""
        return RELEASES[self.write.format]

    @property
    def release_names(self) -> tuple[str, ...]:
        """What the files are called that leave: the release, or one for each of several tables."""
        from sekisho.gate.tables.stage import TableStage

        tables = self.stage.names if isinstance(self.stage, TableStage) else ("",)
        return tuple(name_table_file(self.release_name, name) for name in tables)

    def tell_settings(self) -> dict[str, object]:
        """Return the recipe as the certificate tells it: its own words, and what decides though it is not said there.

        A profile, a schema or a usual value may say it. Whoever verifies compares the claims with this.
        """
        return {**self.settings, **self.stage.tell()}

    @property
    def own_title(self) -> dict[str, str]:
        """The recipe's title by language; empty if it has none."""
        title = self.settings.get("title")
        if isinstance(title, Mapping):
            return {str(language): str(words) for language, words in title.items()}
        return {"en": str(title), "ja": str(title)} if title else {}


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
    def read(cls, source: Path, settings: Mapping[str, object] | None = None) -> ReadRecipe:
        """Return the recipe in a file, or one of other keys that would stand there.

        Raises:
            InputError: it cannot be read.
            SettingsError: keys or values are wrong; all of them at once.
        """
        keys = read_toml(source) if settings is None else settings
        recipe, file = read_recipe(source, keys)
        return cls(source=source, recipe=recipe, file=file, settings=keys)

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

    def open(self) -> Entry:
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
        recipe, file = self.recipe, self.file
        if recipe.shape is Shape.TABLE and not isinstance(file, RecipeFile):
            from sekisho.gate.tables.reading import read_recipe_tables

            read = read_recipe_tables(recipe, file)
            table, register = _open_register(file.register, read.make_stage(recipe))
            return Entry(**common, notices=read.notices, stage=table, register=register)
        if recipe.shape is Shape.TABLE or not isinstance(file, RecipeFile):
            raise BugError("a recipe of a table was read with a file of another shape")
        stage, notices = _open_people(recipe, Path(file.original), release=RELEASES[file.write.format])
        beside, register = _open_register(file.register, stage)
        return Entry(**common, seed=file.seed, notices=notices, stage=beside, register=register)


def list_names(recipe: AnyRecipe | None, *, release: str = RELEASE) -> Iterator[str]:
    """Return what a run of a recipe may write, below its folder."""
    tables = recipe.names if recipe is not None and recipe.shape is Shape.TABLE else ("",)
    releases = [name_table_file(release, table) for table in tables]
    yield from (f"{folder}/{name}" for folder in (PUBLIC, PROPOSED) for name in (*releases, *OFFERED_NAMES))
    own = (BY_ROW, TRUTH) if recipe is None else recipe.writes
    yield from (f"{CONFIDENTIAL}/{name}" for name in (*own, *CONFIDENTIAL_NAMES))


def _open_people(
    recipe: PeopleRecipe, path: Path, *, release: str
) -> tuple[HistoryStage | RecordsStage | CountedHistoryStage | CountedRecordsStage, tuple[str, ...]]:
    """Return the stage of a recipe on its original, and what was found out of that, each a sentence."""
    if recipe.choice is not None:
        there = _count_people(recipe, path, release=release)
        return there, there.notices
    from sekisho.data.files.layout import open_original

    if recipe.shape is Shape.HISTORY:
        from sekisho.gate.history.stage import HistoryStage

        read, rules = open_original(path, recipe.rules)
        stage = HistoryStage.open(replace(recipe, rules=rules), read.data)
    else:
        from sekisho.gate.records.stage import RecordsStage

        read, settled = open_original(path, recipe.rules)
        stage = RecordsStage.open(replace(recipe, rules=settled), read.data)
    return stage, (
        *(Said("{source}: {reason}", source=path, reason=one.message) for one in read.notices),
        *stage.notices,
    )


def _count_people(recipe: PeopleRecipe, path: Path, *, release: str) -> CountedHistoryStage | CountedRecordsStage:
    """Return the stage of a recipe whose rows stay with an engine."""
    if recipe.shape is Shape.HISTORY:
        from sekisho.gate.counted.history import CountedHistoryStage

        return CountedHistoryStage(recipe=recipe, source=path, release_name=release)
    from sekisho.gate.counted.records import CountedRecordsStage

    return CountedRecordsStage.open(recipe, path, release_name=release)


def prepare_stage(stage: AnyStage, steps: Steps, spool: Path) -> AnyStage:
    """Return a stage that is about to run: it keeps finished steps, or files that are too large for that in a folder.

    Args:
        stage: of an entry.
        steps: where finished steps are kept, if anywhere.
        spool: the folder where files wait that are not held in memory.
    """
    from sekisho.gate.counted.stage import CountedStage

    return replace(stage, spool=spool) if isinstance(stage, CountedStage) else replace(stage, steps=steps)


def _open_register(rules: RegisterRules | None, stage: AnyStage) -> tuple[AnyStage, RegisterSession | None]:
    """Return a stage beside the register that its recipe names, if any."""
    if rules is None:
        return stage, None
    from sekisho.journey.registering import open_session

    return open_session(rules, stage)


def _digest_inputs(reads: Sequence[Path]) -> dict[str, FileEntry]:
    """Return the digests of files by name; of two with one name the second has a number."""
    entries: dict[str, FileEntry] = {}
    for number, path in enumerate(reads, 1):
        if path.is_file():
            name = path.name if path.name not in entries else f"{path.name} ({number})"
            entries[name] = FileEntry(sha256=digest_file(path), bytes=path.stat().st_size)
    return entries
