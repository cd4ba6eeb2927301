"""What rules are built from: measures, kinds of answers, programs of the house, each with what it must be told.

A rulebook may name a block that there is not, tell it what it does not know, or leave out what it asks for. All of that
is looked at before a contest begins, so that no team's file is blamed for the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from typing import cast

from sekisho.contest.board.rules import UTILITY
from sekisho.contest.tables.examination import PROGRAM, Settings, find_program
from sekisho.contest.tables.examiners import EXAMINERS
from sekisho.contest.tables.rules import CHOICE, MODEL, MODEL_ACCURACY, SEED, TablesRules
from sekisho.data.files.settings import build_settings
from sekisho.errors import Fault, SettingsError, say_rule, shorten
from sekisho.utility.tables import TABLE_MEASURES, TableMeasure
from sekisho.utility.tables.tree_model import ModelAccuracy
from sekisho.words import Said

RULES = "rules"


def make_measure(name: str, settings: Settings, place: str = "settings") -> TableMeasure:
    """Return a measure with what the rules tell it.

    Raises:
        SettingsError: it does not know what it is told, or is not told what it asks for; all at once.
    """
    kind = TABLE_MEASURES[name]
    return build_settings(settings, kind, source=RULES, place=place) if is_dataclass(kind) else kind(**settings)


def require_held(rules: TablesRules) -> None:
    """Refuse rules of which boards can be made, but under which no contest can be held here.

    Raises:
        SettingsError: they name blocks that there are not, or tell them what they do not know; all at once.
    """
    table = {
        "original": {
            "secret": rules.original.secret,
            "choices": rules.original.choices,
            "members": rules.original.members,
            "sets": rules.original.sets,
            "given": rules.original.given,
        },
        "release": {"parts": [{"name": name} for name in rules.release_files]},
        "score": {
            UTILITY: [{"measure": use.measure, "settings": use.settings} for use in rules.score.utility],
            "protection": [
                {"answer": each.answer, "part": each.part, "house": each.house} for each in rules.score.protection
            ],
        },
        "answers": rules.answers,
        "house": rules.house,
    }
    faults = list(find_block_faults(table))
    if faults:
        raise SettingsError(rules.name, faults)


def find_block_faults(table: Mapping[str, object]) -> Iterator[Fault]:
    """Return everything that is wrong with the blocks that a rulebook names; what is no block is passed over."""
    original, score = _enter(table, "original"), _enter(table, "score")
    parts = {str(part.get("name", "")) for part in _list(_enter(table, "release"), "parts")} or {"released"}
    measures, asked = _list(score, UTILITY), _list(score, "protection")
    if cast("int", original.get("secret") or 0) and SEED not in parts:
        yield _blame("release.parts", Said("have a part {name}", name=SEED), sorted(parts))
    if cast("int", original.get("choices") or 1) not in (0, 1) and CHOICE not in parts:
        yield _blame("release.parts", Said("have a part {name}", name=CHOICE), sorted(parts))
    for number, use in enumerate(measures, 1):
        yield from _check_measure(use, f"score.{UTILITY}.{number}", parts)
    for number, each in enumerate(asked, 1):
        yield from _check_answer(each, f"score.protection.{number}", original)
    for kind in dict.fromkeys(str(each.get("answer", "")) for each in asked):
        if kind in EXAMINERS:
            yield from _check_settings(
                _enter(_enter(table, "answers"), kind), EXAMINERS[kind].settings, f"answers.{kind}"
            )
    yield from _check_house(asked, _enter(table, "house"))


def _check_measure(use: Settings, place: str, parts: set[str]) -> Iterator[Fault]:
    name = use.get("measure")
    if name == MODEL_ACCURACY:
        if MODEL not in parts:
            yield _blame("release.parts", Said("have a part {name}", name=MODEL), sorted(parts))
        yield from _check_settings(_enter(use, "settings"), ModelAccuracy, f"{place}.settings")
    elif name not in TABLE_MEASURES:
        names = ", ".join(sorted([*TABLE_MEASURES, MODEL_ACCURACY]))
        yield _blame(f"{place}.measure", Said("be one of {choices}", choices=names), name)
    else:
        yield from _check_settings(_enter(use, "settings"), TABLE_MEASURES[str(name)], f"{place}.settings")


def _check_answer(each: Settings, place: str, original: Settings) -> Iterator[Fault]:
    kind, part = each.get("answer"), each.get("part", "")
    sets = cast("list[str]", original.get("sets") or [])
    if part and part not in sets:
        yield _blame(f"{place}.part", Said("be one of {choices}", choices=", ".join(sets) or "–"), part)
    if kind not in EXAMINERS:
        yield _blame(f"{place}.answer", Said("be one of {choices}", choices=", ".join(sorted(EXAMINERS))), kind)
        return
    needed = EXAMINERS[str(kind)].needs
    if needed and not original.get(needed):
        rule = Said("be given, for the kind of answer {kind} asks for it", kind=kind)
        yield _blame(f"original.{needed}", rule, original.get(needed))


def _check_house(asked: list[Settings], house: Settings) -> Iterator[Fault]:
    for each in asked:
        kind = EXAMINERS.get(str(each.get("answer")))
        for name in cast("list[str]", each.get("house", [])) if kind is not None else []:
            program = _enter(house, name)
            known = {} if kind is None else kind.programs
            if find_program(program) not in known:
                names = ", ".join(sorted(known)) or "–"
                rule = Said("be a program for this kind of answer ({names})", names=names)
                yield _blame(f"house.{name}.{PROGRAM}", rule, program.get(PROGRAM))
            else:
                told = {key: value for key, value in program.items() if key != PROGRAM}
                yield from _check_settings(told, known[find_program(program)], f"house.{name}")


def _check_settings(settings: Settings, kind: type, place: str) -> Iterator[Fault]:
    if is_dataclass(kind):
        try:
            build_settings(settings, kind, source=RULES, place=place)
        except SettingsError as error:
            yield from error.faults


def _blame(place: str, rule: Said, value: object) -> Fault:
    return Fault(row=0, column=place, rule=rule, value=shorten(value), message=say_rule(place, rule, value))


def _enter(table: Mapping[str, object], name: str) -> Settings:
    value = table.get(name, {})
    return cast("Settings", value) if isinstance(value, Mapping) else {}


def _list(table: Mapping[str, object], name: str) -> list[Settings]:
    value = table.get(name, [])
    given = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Settings", each) for each in given if isinstance(each, Mapping)]
