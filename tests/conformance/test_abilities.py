"""What something can do is declared by a value, and asked of it: nobody asks a class for an attribute by its name."""

from __future__ import annotations

import ast
from inspect import signature
from pathlib import Path

import pytest

import sekisho.data.shape
from sekisho.attack import ADVERSARIES
from sekisho.data.shape import Abilities, Declares, Place, Reads, read_abilities
from sekisho.protect import METHODS, TakesTrees
from sekisho.protect.beyond_memory import ENGINE_METHODS
from sekisho.registry import Registry
from sekisho.utility import MEASURES

SOURCE = Path(sekisho.data.shape.__file__).parents[1]
ASKED = {
    *("abilities", "beyond_memory", "spreads", "generalises", "reads", "reads_text", "reads_cells", "writes_cells"),
    *("known_columns", "list_known_columns", "uses_order", "keeps_attacks", "tree", "runs_on"),
}


def test_no_ability_is_asked_for_by_its_name() -> None:
    asked = [
        f"{path.relative_to(SOURCE)}: {node.args[1].value}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"getattr", "hasattr"}
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) and node.args[1].value in ASKED
    ]
    assert not asked


def test_a_stranger_who_declares_nothing_can_do_what_everybody_can() -> None:
    class Stranger:
        reads_text = True  # an attribute of that name says nothing

    assert read_abilities(Stranger()) == Abilities()
    assert Abilities().runs_on == {Place.MEMORY}
    assert Abilities().reads is Reads.VALUES


@pytest.mark.parametrize("registry", [METHODS, ADVERSARIES, MEASURES], ids=lambda registry: registry.kind)
def test_what_is_declared_is_a_value(registry: Registry[object]) -> None:
    for name in registry.builtin:
        declared = read_abilities(registry[name])
        assert isinstance(declared, Abilities)
        assert Place.MEMORY in declared.runs_on, name


def test_abilities_of_our_own() -> None:
    able = {name: read_abilities(METHODS[name]) for name in METHODS.builtin if isinstance(METHODS[name], Declares)}
    assert {name for name, one in able.items() if one.reads_text} == {"pram", "sample"}
    assert {name for name, one in able.items() if Place.ENGINE in one.runs_on} == {
        *("code", "groups", "partition", "pram", "sample")
    }
    assert {name for name, one in able.items() if Place.CLUSTER in one.runs_on} == {"groups"}
    assert {name for name, one in able.items() if one.writes_cells} >= {"code", "lattice", "partition", "suppress"}
    assert isinstance(METHODS["partition"], TakesTrees)
    assert not isinstance(METHODS["code"], TakesTrees)


def test_whoever_declares_an_engine_has_a_way_there() -> None:
    places = {name: read_abilities(METHODS[name]).runs_on for name in METHODS.builtin}
    assert {name for name, runs_on in places.items() if runs_on - {Place.MEMORY}} == {*ENGINE_METHODS.builtin}
    for name in ENGINE_METHODS.builtin:
        assert list(signature(ENGINE_METHODS[name]).parameters) == ["method"]


def test_no_door_asks_which_method_it_has() -> None:
    """What a method can do it declares: a door that asks for its class gives it a way of its own."""
    classes = {METHODS[name].__name__ for name in METHODS.builtin}
    asked = [
        f"{path.relative_to(SOURCE)}: {ast.unparse(node)}"
        for room in ("cli", "server", "journey")
        for path in (SOURCE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        if classes & {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
    ]
    assert not asked
