"""What an answer to an open column of the account writes: roles in the schema, reasons and guarantees in the recipe."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from sekisho.data.frame.dataset import Role
from sekisho.gate.account.answers import AccountAnswer
from sekisho.server.desk.edits import SCHEMA, DeskEdit, Files, read_keys, set_coarser, set_guarantee, set_role
from sekisho.words import Said

LEAST_ALIKE, LEAST_VALUES = 5, 2
"""The k and the l that are asked for by one click."""
ANSWER_WORDS: Mapping[AccountAnswer, Said] = {
    AccountAnswer.KEY: Said("others may know it (key)"),
    AccountAnswer.SENSITIVE: Said("chip|must stay hidden"),
    AccountAnswer.HARMLESS: Said("harmless, because …"),
    AccountAnswer.LEARNABLE: Said("may be learnt, because …"),
    AccountAnswer.ALIKE: Said("ask for k = {least}", least=LEAST_ALIKE),
    AccountAnswer.DIVERSE: Said("ask for l = {least}", least=LEAST_VALUES),
    AccountAnswer.DROP: Said("answer|leave it out"),
}
"""What the buttons say."""
REASONED = (AccountAnswer.HARMLESS, AccountAnswer.LEARNABLE)
"""Answers that are a person's word, and need a reason."""
ROLES: Mapping[AccountAnswer, Role] = {
    AccountAnswer.KEY: Role.QUASI,
    AccountAnswer.SENSITIVE: Role.SENSITIVE,
    AccountAnswer.HARMLESS: Role.OTHER,
}
"""The role that an answer gives a column."""
LISTS = {AccountAnswer.KEY: "keys", AccountAnswer.SENSITIVE: "sensitive"}
GUARANTEES = {AccountAnswer.ALIKE: ("k", LEAST_ALIKE), AccountAnswer.DIVERSE: ("l", LEAST_VALUES)}
OUT = "out"
OFFERED = "\n# [harmless]\n"
"""Where a proposed schema offers reasons."""


def list_answer_edits(files: Files, column: str, answer: AccountAnswer, reason: str = "") -> tuple[DeskEdit, ...]:
    """Return what an answer to a column changes.

    Args:
        files: of the version.
        column: as the release calls it.
        answer: what somebody said.
        reason: of one that needs it.
    """
    if answer in GUARANTEES:
        name, least = GUARANTEES[answer]
        return set_guarantee(files, name, least)
    reasons = (DeskEdit(file="recipe", place=(answer.value, column), value=reason.strip()),) * (answer in REASONED)
    role = ROLES.get(answer)
    if role is None and answer is AccountAnswer.LEARNABLE:
        return reasons
    if role is None:
        return set_role(files, (), column, None) if column in _list_roles(files) else set_coarser(column, OUT)
    return (*set_role(files, (), column, role), *reasons)


def find_given(files: Files, column: str, answers: tuple[AccountAnswer, ...]) -> AccountAnswer | None:
    """Return which of the answers that would close a column the files of a version give; None if they give none."""
    return next((answer for answer in answers if _is_given(files, column, answer)), None)


def _is_given(files: Files, column: str, answer: AccountAnswer) -> bool:
    recipe, roles = read_keys(files, "recipe"), _list_roles(files)
    if answer in GUARANTEES:
        return GUARANTEES[answer][0] in recipe.get("guarantees", {})
    if answer in REASONED:
        return any(column in read_keys(files, file).get(answer.value, {}) for file in ("recipe", "schema"))
    if answer in LISTS:
        named = recipe.get(LISTS[answer], [])
        return column in named if named else roles.get(column) == ROLES[answer]
    return column not in roles or recipe.get("coarser", {}).get(column) == OUT


def list_offered_reasons(files: Files) -> dict[str, str]:
    """Return by column the reason that its proposed schema offers for it, behind a mark that nobody took away yet."""
    offered = dict[str, str]()
    for line in files.get(SCHEMA, b"").decode().partition(OFFERED)[2].splitlines():
        try:
            keys = tomllib.loads(line.removeprefix("# "))
        except tomllib.TOMLDecodeError:
            break
        offered |= {name: reason for name, reason in keys.items() if isinstance(reason, str)}
    return offered


def _list_roles(files: Files) -> dict[str, str]:
    """Return by column that the schema lists its role."""
    columns = read_keys(files, "schema").get("columns", [])
    return {str(column.get("name") or column.get("source")): str(column.get("role", Role.OTHER)) for column in columns}
