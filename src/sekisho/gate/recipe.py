"""A recipe: which data, under which rules, protected in which ways, attacked by whom, judged how.

::

    title = "Purchases of March"
    rules = "pwscup2018"          # or schema = "sales.toml"
    original = "T.csv"            # beside the recipe
    bound = "exact"               # of histories
    claim = "required"            # of histories: what is not proven is reviewed; "reported": attacks alone decide
    seed = 1
    release = "A.csv"             # a finished release of one's own, beside or instead of methods

    [[methods]]
    name = "groups"               # further keys are the method's own parameters
    k = 3

    [find]                        # the least k that may leave
    method = "groups"
    k = [2, 8]

    [[adversaries]]
    name = "maximum-knowledge"

    [policy]
    "predicted chance" = "refuse"

Records with a ``target`` (the mean risk that no adversary may reach), ``tests``, ``round`` and ``shuffled`` are judged
by test sets, as in a contest; all others by their ``keys``, ``sensitive`` columns and ``[guarantees]``. A table says
``shape = "table"`` and has keys of its own (:mod:`sekisho.gate.tables.recipe`). Every key: docs/reference/recipe.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.files.settings import read_toml
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, SettingsError, UnknownNameError
from sekisho.gate.recipe_files.people_file import RecipeFile, name_unknown
from sekisho.gate.recipes.keeping import check_keep, list_described, read_keep
from sekisho.gate.recipes.keys import FileKind, make_fault
from sekisho.gate.recipes.lenient import build_leniently
from sekisho.gate.recipes.making import Maker, merge_keys, read_preset
from sekisho.gate.rulebooks import read_terms
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.utility.kept import Kept
from sekisho.utility.schema_terms import own_rules
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.gate.history.recipe import HistoryRecipe
    from sekisho.gate.records.recipe import RecordsRecipe
    from sekisho.gate.tables.recipe import TableRecipe
    from sekisho.gate.tables.recipe_file import TableRecipeFile

    PeopleRecipe: TypeAlias = HistoryRecipe | RecordsRecipe
    AnyRecipe: TypeAlias = PeopleRecipe | TableRecipe


def read_recipe(
    path: Path, settings: Mapping[str, object] | None = None
) -> tuple[PeopleRecipe, RecipeFile] | tuple[TableRecipe, TableRecipeFile]:
    """Return the recipe in a file, and the file's own words with all paths beside it.

    Args:
        path: the file.
        settings: the keys of a recipe that would stand there; read from the file if None.

    Raises:
        SettingsError: keys, values, methods, adversaries, limits or the policy are wrong; all errors at once.
        InputError: the file, its rules or its preset cannot be read.
    """
    settings = read_toml(path) if settings is None else settings
    which = settings.get("preset")
    if isinstance(which, str) and which:
        try:
            settings = merge_keys(read_preset(which, path.parent), settings)
        except UnknownNameError as error:
            raise SettingsError(path, [name_unknown(error, "preset")]) from error
    if settings.get("shape") == Shape.TABLE:
        from sekisho.gate.tables.recipe import build_table_recipe

        return build_table_recipe(settings, path)
    return _PeopleReader(path=path, settings=settings).read()


def list_recipe_keys(settings: Mapping[str, object]) -> frozenset[str]:
    """Return the keys that a recipe of the shape that these settings name may have."""
    if settings.get("shape") == Shape.TABLE:
        from sekisho.gate.tables.recipe_file import TableRecipeFile

        return frozenset(item.name for item in fields(TableRecipeFile))
    return frozenset(item.name for item in fields(RecipeFile))


class _PeopleReader:
    """Reads a recipe for people; every fault is noted before one is raised."""

    def __init__(self, *, path: Path, settings: Mapping[str, object]) -> None:
        self.path = path
        self.file, self.faults = build_leniently(settings, RecipeFile, source=str(path))

    def read(self) -> tuple[PeopleRecipe, RecipeFile]:
        rules = self._read_rules()
        shape = self.file.shape if rules is None else rules.shape
        self.faults += self.file.list_faults(shape)
        if rules is not None and rules.layout.strict and self.file.write.format is FileKind.PARQUET:
            self.faults.append(
                make_fault("write.format", Said("be csv under a contest's rules"), FileKind.PARQUET.value)
            )
        if shape is not None:
            recipe = self._build(rules, shape)
            if recipe is not None and not self.faults:
                return recipe, self.file.place_beside(self.path.parent)
        raise SettingsError(self.path, self.faults)

    def _read_rules(self) -> Terms | None:
        """Return the rules; None where there are none, which is noted unless the columns of records can be found."""
        file = self.file
        if not file.book:
            if file.shape is Shape.RECORDS:
                return own_rules(schema_from_options(Shape.RECORDS), Path(file.original).stem or "records")
            if not any(fault.column in ("rules", "schema", "shape") for fault in self.faults):
                rule = Said("be given, or rules or a schema") if file.shape is None else Said("be given for a history")
                self.faults.append(make_fault("shape" if file.shape is None else "schema", rule, file.shape))
            return None
        try:
            rules = read_terms(str(self.path.parent / file.book) if file.book.endswith(".toml") else file.book)
        except UnknownNameError as error:
            self.faults.append(name_unknown(error, "rules"))
            return None
        except FaultsError as error:
            place = "rules" if file.rules else "schema"
            self.faults += [
                replace(fault, column=f"{place} ({fault.column})", message=f"{error.source}: {fault.message}")
                for fault in error.faults
            ]
            return None
        if file.shape not in (None, rules.shape):
            self.faults.append(
                make_fault("shape", Said("be {shape} under {name}", shape=rules.shape, name=rules.name), file.shape)
            )
        return rules

    def _build(self, rules: Terms | None, shape: Shape) -> PeopleRecipe | None:
        maker = Maker(
            folder=self.path.parent,
            source=str(self.path),
            shape=shape,
            parameters={} if rules is None else rules.parameters(),
            faults=self.faults,
        )
        keep = self._read_keep(rules)
        if shape is Shape.RECORDS and not self.file.tested:
            if isinstance(rules, RecordTerms) and rules.layout.strict:
                self.faults.append(make_fault("target", Said("be given for records under a contest's rules"), None))
                return None
            from sekisho.gate.recipe_files.keyed_file import build_keyed_recipe

            return build_keyed_recipe(self.file, rules if isinstance(rules, RecordTerms) else None, maker, keep=keep)
        from sekisho.gate.recipe_files.judged_file import build_judged_recipe

        return build_judged_recipe(self.file, rules, maker, keep=keep)

    def _read_keep(self, rules: Terms | None) -> tuple[Kept, ...]:
        """Return what must be kept; what cannot be is noted, as far as the columns are known already."""
        keep, faults = read_keep(self.file.keep, source=str(self.path))
        columns, coarser = list_described(rules), CoarserColumns(columns=self.file.coarser)
        self.faults += faults
        if columns is not None:
            self.faults += check_keep(keep, columns, left_out=coarser.left_out)
        return keep
