"""A recipe for a history, or for records judged by test sets, made of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sekisho.attack import ADVERSARIES
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError, SekishoError, SettingsError
from sekisho.gate.account.reasons import list_reason_faults
from sekisho.gate.history.guarantees import read_history_guarantees
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.policy import Policy
from sekisho.gate.recipe_files.engine_keys import read_engine
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import make_fault
from sekisho.gate.recipes.making import Maker
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect import METHODS, Method
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.safety.terms import HistoryTerms, Terms
from sekisho.utility import MEASURES
from sekisho.utility.kept import Kept
from sekisho.words import Said, quote_words

R = TypeVar("R", HistoryRecipe, RecordsRecipe)


def build_judged_recipe(
    file: RecipeFile, rules: Terms | None, maker: Maker, *, keep: tuple[Kept, ...] = ()
) -> HistoryRecipe | RecordsRecipe | None:
    """Return the recipe; None where something is wrong, which is noted in the maker.

    Raises:
        SettingsError: method, adversaries and rules do not suit each other.
    """
    shape = maker.shape
    methods = maker.make(file.methods, METHODS, "methods")
    adversaries = maker.make(file.adversaries, ADVERSARIES, "adversaries")
    if file.find is not None and shape is Shape.HISTORY:
        methods |= maker.find(file.find, METHODS, {"name": "groups", "k": [2, 8]})
    choice = _read_engine(file, rules, maker, methods)
    guarantees, faults = read_history_guarantees(file.guarantees if shape is Shape.HISTORY else {}, source=maker.source)
    maker.faults.extend(faults)
    maker.faults.extend(
        make_fault(error.name, error.rule, error.value)
        for error in list_reason_faults("learnable", file.learnable if shape is Shape.HISTORY else {})
    )
    attacked = file.adversaries or any(_is_of_adversaries(fault) for fault in maker.faults)
    if not attacked and not (shape is Shape.HISTORY and (file.engine or file.memory)):
        maker.faults.append(make_fault("adversaries", Said("hold at least one"), []))
    maker.faults.extend(_list_unfit_limits(file.limits, shape))
    if shape is Shape.RECORDS and file.target is None:
        maker.faults.append(make_fault("target", Said("be given for records judged by test sets"), None))
    if rules is None or maker.faults:
        return None
    common = {
        "policy": Policy(verdicts=file.policy),
        "title": file.titled,
        "standards": file.standards,
        "allowed_columns": file.allowed_columns,
    }
    try:
        if isinstance(rules, HistoryTerms):
            history = HistoryRecipe(
                rules=rules,
                methods=methods,
                adversaries=adversaries,
                releases=file.place_beside(maker.folder).releases,
                keep=keep,
                limits=file.limits,
                coarser=CoarserColumns(columns=file.coarser),
                leave_out=file.leave_out,
                choice=choice,
                guarantees=guarantees,
                sensitive=file.sensitive,
                learnable={**rules.layout.described.learnable, **file.learnable},
            )
            return _replace_given(history, {"bound": file.bound, "claim": file.claim, **common})
        conditions = {"tests": file.tests, "round_name": file.round, "shuffled": file.shuffled, **common}
        records = RecordsRecipe(rules=rules, methods=methods, adversaries=adversaries, target=file.target or 0.0)
        return _replace_given(records, conditions)
    except SekishoError as error:
        raise _name_recipe(error, Path(maker.source)) from error


def _read_engine(
    file: RecipeFile, rules: Terms | None, maker: Maker, methods: Mapping[str, Method]
) -> EngineChoice | None:
    """Return the engine with which a history stays, if one is named; what has no way there is noted."""
    if maker.shape is not Shape.HISTORY:
        return None
    choice, faults = read_engine(file, maker.shape, methods)
    maker.faults.extend(faults)
    if choice is not None and rules is not None and rules.layout.strict:
        maker.faults.append(make_fault("engine", Said("be given for a file of one's own"), rules.name))
    return choice


def _list_unfit_limits(limits: Mapping[str, float], shape: Shape) -> Iterator[Fault]:
    for name, limit in limits.items():
        try:
            MEASURES.find_class(name, shape)
        except SekishoError as error:
            rule = Said("be a measure of {shape} ({error})", shape=shape, error=error)
            yield make_fault(f"limits.{name}", rule, limit)


def _is_of_adversaries(fault: Fault) -> bool:
    return fault.column.startswith("adversaries")


def _replace_given(recipe: R, values: Mapping[str, object]) -> R:
    return replace(recipe, **{name: value for name, value in values.items() if value is not None})


def _name_recipe(error: SekishoError, path: Path) -> SekishoError:
    name = getattr(error, "name", "")
    rule = error.rule if isinstance(error, ParameterError) else Said("be otherwise")
    fault = make_fault(str(name), rule, getattr(error, "value", None))
    return SettingsError(path, [replace(fault, message=quote_words(str(error)))])
