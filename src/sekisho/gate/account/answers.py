"""What closes an open column of an account: the answers that a person can give to it, or that a proposal can try out.

A reason (that a column is harmless, that a sensitive one may be learnt) is a person's word: no program proposes one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from sekisho.gate.account.account import UNSAID, Account, AccountEntry
from sekisho.gate.account.records import APART, OVERLOOKED, UNGUARDED, UNLEARNT
from sekisho.safety.cover import Coverage
from sekisho.words import Said


class AccountAnswer(StrEnum):
    """What somebody says of a column, or asks for, so that it is accounted for."""

    KEY = "key"
    """Others may know it: the guarantee over all keys speaks of it too."""
    SENSITIVE = "sensitive"
    """It must stay hidden: something must hold of what is learnt of it."""
    HARMLESS = "harmless"
    """Nothing need be promised of it, for a reason."""
    LEARNABLE = "learnable"
    """It is sensitive and may be learnt all the same, for a reason."""
    ALIKE = "k"
    """So many people are to be alike in all keys."""
    DIVERSE = "l"
    """So many different values are to stand in each class."""
    DROP = "drop"
    """It does not leave."""


SAY_WHAT_IT_IS = (AccountAnswer.KEY, AccountAnswer.SENSITIVE, AccountAnswer.HARMLESS, AccountAnswer.DROP)
ANSWERS: Mapping[Said, tuple[AccountAnswer, ...]] = {
    UNSAID: SAY_WHAT_IT_IS,
    OVERLOOKED: SAY_WHAT_IT_IS,
    UNLEARNT: (AccountAnswer.DIVERSE, AccountAnswer.LEARNABLE, AccountAnswer.DROP),
    UNGUARDED: (AccountAnswer.ALIKE, AccountAnswer.HARMLESS, AccountAnswer.DROP),
    APART: (AccountAnswer.SENSITIVE, AccountAnswer.HARMLESS, AccountAnswer.DROP),
}
"""By why a column is open what closes it."""
OTHERWISE = (AccountAnswer.HARMLESS, AccountAnswer.DROP)
ASKED = {AccountAnswer.ALIKE: "k-anonymity", AccountAnswer.DIVERSE: "l-diversity"}
"""The guarantee that an answer asks for."""


def list_answers(entry: AccountEntry, *, asked: Collection[str] = ()) -> tuple[AccountAnswer, ...]:
    """Return what closes an entry; nothing where it is covered.

    Args:
        entry: of a column.
        asked: the guarantees that are asked for already: where they are not kept, asking again closes nothing.
    """
    if entry.cover is not Coverage.OPEN:
        return ()
    answers = ANSWERS.get(entry.by, OTHERWISE)
    return tuple(answer for answer in answers if ASKED.get(answer) not in asked)


def list_open_answers(account: Account) -> dict[str, tuple[AccountAnswer, ...]]:
    """Return by open entry of an account what closes it: nothing that is said of a column closes an attacker's."""
    return {entry.subject: () if account.attackers else list_answers(entry) for entry in account.open_entries}
