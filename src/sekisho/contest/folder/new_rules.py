"""A rulebook of one's own from the building blocks of another, with what the organiser chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sekisho.contest.board.rules import AttackFigure, Combine, OwnRelease
from sekisho.contest.rulebook import read_tables_rules, rules_path
from sekisho.data.files.settings import read_toml
from sekisho.data.files.toml_text import write_key, write_value
from sekisho.errors import ParameterError
from sekisho.words import Said

PAIR_TABLES, MARKS = "pair-tables", "mark"
"""The measure and the kind of answer whose figures are counts of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChoices:
    """What an organiser chose; None where it stays as it is.

    Attributes:
        rounds: by name their weights.
        combine: how figures become the total.
        floors: by figure a limit and a slope.
        over: how many of the best releases count for attackers; 0 for all.
        own: what an attacker's own release counts.
        choices: among how many originals a team picks.
        rows: how many rows an original has; figures that count rows are put in proportion.
    """

    name: str
    title: str = ""
    zone: str = ""
    rounds: Mapping[str, float] | None = None
    combine: Combine | None = None
    floors: Mapping[str, tuple[float, float]] | None = None
    over: int | None = None
    own: OwnRelease | None = None
    choices: int | None = None
    rows: int | None = None


def write_new_rules(like: str, choices: RuleChoices) -> bytes:
    """Return a rulebook like another one, as TOML.

    Raises:
        ParameterError: the other one is not of a contest whose releases are tables.
    """
    book = read_tables_rules(like)
    table = read_toml(rules_path(like))
    table["name"] = choices.name
    if choices.title:
        table["title"] = {"en": choices.title, "ja": choices.title}
    table.pop("results", None)
    contest = _enter(table, "contest")
    if choices.zone:
        contest["zone"] = choices.zone
    _set_board(_enter(_enter(table, "score"), "total"), _enter(contest, "attackers"), choices)
    if choices.choices is not None:
        _set_choices(table, choices.choices)
    if choices.rounds is not None:
        _set_rounds(contest, choices.rounds)
    if choices.rows is not None:
        _fit_rows(table, choices.rows)
    head = [f"# {choices.name}: rules like those of {book.name}. What each key means: docs/methods/contest.md.", ""]
    return ("\n".join([*head, *_write_table(table, "")]) + "\n").encode()


def write_fitted_rules(rules: str, rows: int) -> bytes:
    """Return a rulebook as it is for originals of so many rows, as TOML."""
    table = read_toml(rules_path(rules))
    _fit_rows(table, rows)
    return ("\n".join(_write_table(table, "")) + "\n").encode()


def _fit_rows(table: dict[str, object], rows: int) -> None:
    """Put in proportion what counts rows: distances of pair tables, and hits of marks, of which each row is one."""
    score = _enter(table, "score")
    for use in cast("list[dict[str, object]]", score.get("utility", [])):
        settings = _enter(use, "settings") if use["measure"] == PAIR_TABLES else {}
        settings |= {"normaliser": 2 * rows} if "normaliser" in settings else {}
    for each in cast("list[dict[str, object]]", score.get("protection", [])):
        if each.get("answer") == MARKS and each.get("figure") == AttackFigure.HITS:
            before = cast("float", each.get("most", 1))
            each |= {"most": rows, "per": cast("float", each.get("per", 1)) * rows / before}


def _set_board(total: dict[str, object], attackers: dict[str, object], choices: RuleChoices) -> None:
    if choices.combine is not None:
        total["combine"] = str(choices.combine)
    if choices.floors is not None:
        total["floors"] = {name: list(floor) for name, floor in choices.floors.items()}
    if choices.over is not None:
        attackers |= {"over": choices.over}
        if not choices.over:
            attackers.pop("over")
    if choices.own is not None:
        attackers["own"] = str(choices.own)


def _set_choices(table: dict[str, object], choices: int) -> None:
    _enter(table, "original")["choices"] = choices
    release = _enter(table, "release")
    parts = cast("list[dict[str, object]]", release.get("parts", [{"name": "released"}]))
    named = [part for part in parts if part["name"] != "choice"]
    release["parts"] = [{"name": "choice"}, *named] if choices > 1 else named


def _set_rounds(contest: dict[str, object], rounds: Mapping[str, float]) -> None:
    """Put other rounds in place of those that there are, with the usual phases, opened by hand."""
    if not rounds:
        raise ParameterError("--round", Said("be given"), None)
    contest["rounds"] = [{"name": name, "weight": weight} for name, weight in rounds.items()]
    contest.pop("phases", None)
    _enter(contest, "attackers").pop("over_in", None)
    by = cast("dict[str, object]", contest.get("rounds_by", {}))
    by.pop("attackers", None)


def _enter(table: dict[str, object], name: str) -> dict[str, object]:
    return cast("dict[str, object]", table.setdefault(name, {}))


def _write_table(table: Mapping[str, object], place: str) -> list[str]:
    """Return a table as lines of TOML: its own values first, then tables, then lists of tables."""
    plain = {name: value for name, value in table.items() if not _is_section(value)}
    lines = [f"{write_key(name)} = {write_value(value)}" for name, value in plain.items()]
    for name, value in table.items():
        path = f"{place}.{write_key(name)}" if place else write_key(name)
        if isinstance(value, Mapping) and _is_section(value):
            lines += ["", f"[{path}]", *_write_table(cast("Mapping[str, object]", value), path)]
        elif _is_section(value):
            for each in cast("list[Mapping[str, object]]", value):
                lines += ["", f"[[{path}]]", *_write_table(each, path)]
    return lines


def _is_section(value: object) -> bool:
    """Tell whether a value is written below a head of its own: a table of more than plain pairs, or a list of such."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, dict) for each in cast("list[object]", value))
    return isinstance(value, Mapping)
