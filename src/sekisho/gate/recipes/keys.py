"""The keys that a recipe of any shape may have; what a shape adds stands with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Self

from sekisho.data.engines.engine import Engine, EngineChoice, choose_engine
from sekisho.data.review import check_allowance
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import Fault, ParameterError, cut_text, say_rule
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.register import RegisterRules
from sekisho.words import Said, Setting

ON_ENGINES = ("engine", "memory")
"""Keys with which the rows stay with an engine."""


class FileKind(StrEnum):
    """What a release is written as."""

    CSV = "csv"
    PARQUET = "parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeRelease:
    """A finished release of one's own that is tried like those that methods make.

    Attributes:
        file: beside the recipe; of a table its pattern.
        label: what it is called in reports; the file's name if empty.
        ordered: of records: whether row i is what became of row i of the original; of a history it always is.
        deleted: of records: a file with the rows of the original that it lacks, from 0; the others stand in order.
        synthetic: of records: whether its rows were drawn from a model, so that none of them is anybody's; so they are,
            too, where there are more than the original has.
    """

    file: str
    label: str = ""
    ordered: bool | None = None
    deleted: str = ""
    synthetic: bool = False

    @property
    def name(self) -> str:
        """What it is called."""
        return self.label or Path(self.file).name

    @property
    def reads(self) -> tuple[str, ...]:
        """The files that belong to it."""
        return (self.file, self.deleted) if self.deleted else (self.file,)

    def place_beside(self, folder: Path) -> RecipeRelease:
        """Return it with its files beside the recipe."""
        deleted = str(folder / self.deleted) if self.deleted else ""
        return replace(self, file=str(folder / self.file), deleted=deleted, label=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRules:
    """What is written beside the release and its report.

    Attributes:
        original: whether a copy of the original is kept with the confidential files.
        format: of the release; confidential files of rows stay CSV.
    """

    original: bool = False
    format: FileKind = FileKind.CSV


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """A rule of a law, guideline or handbook that the recipe is meant to help with; none says what suffices in law.

    Each is a string, or one for each language.

    Attributes:
        rule: what is asked.
        source: where it stands.
        helped_by: what in the recipe speaks to it; empty where a person must see to it.
        limits: what the recipe does not see or cannot know.
    """

    rule: object
    source: object
    helped_by: object = None
    limits: object = None

    def __post_init__(self) -> None:
        for item in fields(self):
            read_title(getattr(self, item.name), place=item.name)

    def read(self, name: str) -> Title | None:
        """Return one of its texts in both languages; None if it is not given."""
        return read_title(getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeKeys:
    """What a recipe of any shape may say.

    Attributes:
        original: the file of data, beside the recipe.
        shape: what a row is, where neither rules nor schema say it.
        title: on pages: a string, or one for each language, ``{ en = "…", ja = "…" }``.
        preset: a shipped profile by name, or a TOML file of such keys; the recipe's own keys win.
        release: short for one of the ``releases``.
        releases: finished releases of one's own.
        keep: of people: what must be kept: columns, pairs of them, sums.
        limits: by measure the largest value that leaves without a look.
        policy: by rule of the gate the verdict that it asks for.
        write: what is written.
        standards: rules of laws and handbooks that the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
        register: what has already left, and how people are known again.
        engine: what works on a file beyond memory, where rows are not read at once; not of a file of cells.
        memory: how much the engine may take, such as ``2GB``; it is DuckDB then.
    """

    original: str = ""
    shape: Shape | None = None
    title: object = None
    preset: str = ""
    release: str = ""
    releases: tuple[RecipeRelease, ...] = ()
    keep: tuple[object, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])
    write: WriteRules = field(default_factory=WriteRules)
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    register: RegisterRules | None = None
    engine: Engine | None = None
    memory: str = ""

    def __post_init__(self) -> None:
        read_title(self.title)
        for name, limit in self.limits.items():
            if not 0 <= limit < float("inf"):
                raise ParameterError(f"limits.{name}", Said("be at least 0"), limit)
        for name, reason in self.allowed_columns.items():
            check_allowance(name, reason)

    @property
    def titled(self) -> Title | None:
        """The title in both languages; None if none is given."""
        return read_title(self.title)

    @property
    def secrets(self) -> list[Path]:
        """Files that a run reads or keeps and that nobody else may read; usually none."""
        return []

    @property
    def own_releases(self) -> tuple[RecipeRelease, ...]:
        """The finished releases, that of ``release`` first."""
        return (*((RecipeRelease(file=self.release),) if self.release else ()), *self.releases)

    def read_choice(self) -> tuple[EngineChoice | None, list[Fault]]:
        """Return the engine with which the rows stay, None where they come into memory, and what is wrong with it."""
        if self.engine is Engine.SPARK:
            return None, [make_fault("engine", Said("be polars or duckdb in a recipe"), self.engine.value)]
        try:
            return choose_engine(self.engine, self.memory, ""), []
        except ParameterError as error:
            return None, [make_fault(error.name, error.rule, error.value)]

    def settle_releases(self, folder: Path) -> Self:
        """Return the recipe with original and releases beside it, all releases in one list."""
        return replace(
            self,
            original=str(folder / self.original),
            release="",
            releases=tuple(each.place_beside(folder) for each in self.own_releases),
            register=None if self.register is None else self.register.place_beside(folder),
        )

    def list_common_faults(self, shape: Shape | None) -> Iterable[Fault]:
        """Give what is wrong with the keys of any shape."""
        if not self.original:
            yield make_fault("original", Said("be given"), None)
        if shape is Shape.TABLE and self.keep:
            rule = Said("not be given for a table: apriori says which cells are shown, cost what hiding one costs")
            yield make_fault("keep", rule, list(self.keep))
        labels = [each.name for each in self.own_releases]
        for name in sorted({name for name in labels if labels.count(name) > 1}):
            yield make_fault("releases", Said("have different labels"), name)
        for number, each in enumerate(self.releases, 1):
            if each.synthetic and shape not in {None, Shape.RECORDS}:
                yield make_fault(f"releases.{number}.synthetic", Said("not be given for {shape}", shape=shape), True)
        for name, rule in Policy(verdicts=self.policy).find_faults(shape).items():
            yield make_fault(f"policy.{name}", rule, self.policy[name])
        for name, rule in () if self.register is None else self.register.list_missing():
            yield make_fault(name, rule, "")


RECIPE_KEYS = {
    "category": "categories",
    "frequency": "contributors",
    "grouping": "groupings",
    "kind": "kinds",
    "largest": "contributors",
    "missing": "missing_cells",
    "pattern": "release",
    "rule": "rules",
    "seconds": "time",
    "total": "totals",
    "tree": "trees",
}
"""By what the library or a command calls a setting its key in a recipe, where that is another word."""
LISTED_KEYS = ("categories", "contributors", "dims", "groupings", "keys", "rules", "sensitive")
"""Keys that take a list of texts."""
SWITCHES = ("microdata",)
NUMBERS = ("min_count", "width", "time", "insiders")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def write_key(setting: Setting) -> str:
    """Return a setting as a recipe says it, ``categories.region = ["T"]``."""
    key = RECIPE_KEYS.get(setting.name, setting.name)
    if key in SWITCHES:
        return f"{key} = true"
    place = f"{key}.{setting.of if _BARE.fullmatch(setting.of) else _quote(setting.of)}" if setting.of else key
    if not setting.value:
        return place
    value = setting.value if key in NUMBERS else _quote(setting.value)
    if key in LISTED_KEYS:
        value = f"[{', '.join(map(_quote, setting.value.split(',')))}]" if not setting.of else f"[{value}]"
    return f"{place} = {value}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def read_title(title: object, *, place: str = "title") -> Title | None:
    """Return a title in both languages; None if none is given.

    Raises:
        ParameterError: it is neither a string nor ``{ en = "…", ja = "…" }``.
    """
    if title is None:
        return None
    if isinstance(title, str) and title:
        return Title(en=title, ja=title)
    if (
        isinstance(title, Mapping)
        and set(title) == {"en", "ja"}
        and all(isinstance(one, str) for one in title.values())
    ):
        return Title(en=str(title["en"]), ja=str(title["ja"]))
    raise ParameterError(place, Said('be a string or {{ en = "…", ja = "…" }}'), title)


def make_fault(column: str, rule: Said, value: object) -> Fault:
    """Return what is wrong with a key of a recipe."""
    return Fault(
        row=0,
        column=column,
        rule=rule,
        value=cut_text(str(value)),
        message=say_rule(column, rule, value),
    )


def refuse_in_memory(label: str, known: Iterable[str]) -> Fault:
    """Return that a method needs the rows in memory, where they stay with an engine.

    Args:
        label: of the method.
        known: those that do not.
    """
    rule = Said("be of those that work where rows stay with an engine ({known})", known=", ".join(known))
    return make_fault("methods", rule, label)
