"""The keys of a recipe whose rows stay with an engine, and what has no way there: each is told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.shape import Place, Shape, read_abilities
from sekisho.errors import Fault, ParameterError
from sekisho.gate.fit import name_method
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import make_fault, refuse_in_memory
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.protect import METHODS, Method
from sekisho.protect.beyond_memory import ENGINE_METHODS
from sekisho.safety.terms import USUAL_MEASURE
from sekisho.words import Said

COUNTED = ("k-anonymity", "l-diversity", "t-closeness")
"""The guarantees that an engine counts."""
MEASURED = ("ncp", "marginals", "earth-mover")
"""What is measured of records without one beside its release."""
NO_WAY = Said("not be given where rows stay with an engine")


def list_engine_methods(shape: Shape) -> tuple[str, ...]:
    """Return the methods of a shape that say that they work where rows stay with an engine."""
    able = {name: METHODS[name] for name in ENGINE_METHODS if name in METHODS}
    return tuple(
        name for name, one in able.items() if shape in one.shapes and Place.ENGINE in read_abilities(one).runs_on
    )


def read_engine(
    file: RecipeFile, shape: Shape, methods: Mapping[str, Method], guarantees: RecordGuarantees | None = None
) -> tuple[EngineChoice | None, list[Fault]]:
    """Return the engine that a recipe asks for, None where none is, and all that has no way there."""
    choice, faults = file.read_choice()
    if choice is None:
        return None, faults
    of_records = () if guarantees is None else _list_guaranteed(guarantees)
    return choice, [*_list_methods(shape, methods), *_list_faults(file, shape), *of_records]


def _list_methods(shape: Shape, methods: Mapping[str, Method]) -> Iterator[Fault]:
    """Give the methods that have no way there, and of the others what they say that has none."""
    known = list_engine_methods(shape)
    for label, method in methods.items():
        name = name_method(method)
        if name not in known:
            yield refuse_in_memory(label, known)
            continue
        try:
            ENGINE_METHODS.make(name, method=method)
        except ParameterError as error:
            yield make_fault(f"methods ({label}) {error.name}", error.rule, error.value)


def _list_faults(file: RecipeFile, shape: Shape) -> Iterator[Fault]:
    if file.adversaries:
        rule = (
            Said("not be given where rows stay with an engine: attacks need every row beside its release")
            if shape is Shape.HISTORY
            else Said("not be given where rows stay with an engine: attacks need every record beside its release")
        )
        yield make_fault("adversaries", rule, ", ".join(str(each.get("name")) for each in file.adversaries))
    unsuited = {
        "keep": list(file.keep),
        "releases": [each.name for each in file.own_releases],
        "weights": file.weights,
        "controls": file.controls,
        "coarser": list(file.coarser),
        "leave_out": file.leave_out,
        "guarantees": list(file.guarantees) if shape is Shape.HISTORY else [],
        "register": "" if file.register is None else file.register.folder,
        "write.original": file.write.original,
    }
    for name, value in unsuited.items():
        if value:
            yield make_fault(name, NO_WAY, value)
    measured = list_measured(shape)
    for name, limit in file.limits.items():
        if name not in measured:
            yield make_fault(f"limits.{name}", _say_measured(measured), limit)
    if file.utility and file.utility not in measured:
        yield make_fault("utility", _say_measured(measured), file.utility)


def _list_guaranteed(guarantees: RecordGuarantees) -> Iterator[Fault]:
    """Give the guarantees of records that an engine does not count."""
    unsuited = {
        "guarantees.individual": guarantees.individual,
        "guarantees.leave_out": guarantees.leave_out,
        **{f"guarantees.{name}": name for name in guarantees.wanted if name not in COUNTED},
    }
    for name, value in unsuited.items():
        if value:
            yield make_fault(name, NO_WAY, value)


def list_measured(shape: Shape) -> tuple[str, ...]:
    """Return the measures of a shape that need no row beside its release."""
    return (USUAL_MEASURE,) if shape is Shape.HISTORY else MEASURED


def _say_measured(measured: Sequence[str]) -> Said:
    return Said("be one of {known} where rows stay with an engine", known=", ".join(measured))
