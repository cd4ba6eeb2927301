"""The keys of a recipe whose rows stay with an engine, and what has no way there: each is told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.shape import Place, Shape, read_abilities
from sekisho.errors import Fault
from sekisho.gate.fit import name_method
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import make_fault, refuse_in_memory
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.protect import METHODS, Method
from sekisho.protect.beyond_memory import ENGINE_METHODS
from sekisho.words import Said

COUNTED = ("k-anonymity", "l-diversity", "t-closeness")
"""The guarantees that an engine counts."""
MEASURED = ("ncp", "marginals", "earth-mover")
"""What is measured without a record beside its release."""
NO_WAY = Said("not be given where rows stay with an engine")


def list_engine_methods(shape: Shape) -> tuple[str, ...]:
    """Return the methods of a shape that say that they work where rows stay with an engine."""
    able = {name: METHODS[name] for name in ENGINE_METHODS if name in METHODS}
    return tuple(
        name for name, one in able.items() if shape in one.shapes and Place.ENGINE in read_abilities(one).runs_on
    )


def read_engine(
    file: RecipeFile, methods: Mapping[str, Method], guarantees: RecordGuarantees
) -> tuple[EngineChoice | None, list[Fault]]:
    """Return the engine that a recipe asks for, None where none is, and all that has no way there."""
    choice, faults = file.read_choice()
    return choice, faults if choice is None else list(_list_faults(file, methods, guarantees))


def _list_faults(file: RecipeFile, methods: Mapping[str, Method], guarantees: RecordGuarantees) -> Iterator[Fault]:
    known = list_engine_methods(Shape.RECORDS)
    for label, method in methods.items():
        if name_method(method) not in known:
            yield refuse_in_memory(label, known)
    if file.adversaries:
        rule = Said("not be given where rows stay with an engine: attacks need every record beside its release")
        yield make_fault("adversaries", rule, ", ".join(str(each.get("name")) for each in file.adversaries))
    unsuited = {
        "keep": list(file.keep),
        "releases": [each.name for each in file.own_releases],
        "weights": file.weights,
        "controls": file.controls,
        "coarser": list(file.coarser),
        "register": "" if file.register is None else file.register.folder,
        "write.original": file.write.original,
        "guarantees.individual": guarantees.individual,
        "guarantees.leave_out": guarantees.leave_out,
        **{f"guarantees.{name}": name for name in guarantees.wanted if name not in COUNTED},
    }
    for name, value in unsuited.items():
        if value:
            yield make_fault(name, NO_WAY, value)
    for name, limit in file.limits.items():
        if name not in MEASURED:
            yield make_fault(f"limits.{name}", _say_measured(), limit)
    if file.utility and file.utility not in MEASURED:
        yield make_fault("utility", _say_measured(), file.utility)


def _say_measured() -> Said:
    return Said("be one of {known} where rows stay with an engine", known=", ".join(MEASURED))
