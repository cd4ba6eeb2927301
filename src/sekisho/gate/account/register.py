"""What left before, as an entry of the account: held off by a promise, or not considered.

A release whose recipe names a register is read beside what it holds. That is promised under what the register cannot
know (that nothing has left outside of it, and what an adversary knows of people), never proven. Where people may be the
same and nothing says so, where nothing links two releases, or where people are few among the rows that two files do not
share, it is not considered, and the account does not close.
"""

from __future__ import annotations

from sekisho.gate.account.account import AccountEntry
from sekisho.safety.cover import Coverage
from sekisho.words import Said

EARLIER_RELEASES = Said("earlier releases")
UNSAFE = Said("what left before makes it unsafe")
UNCONSIDERED = Said("what left before tells more than was considered")


def account_for_earlier(told: Said, *, unsafe: bool, doubted: bool) -> AccountEntry:
    """Return the entry of what left before.

    Args:
        told: what was counted, in words; under which assumptions, the statement beside it says.
        unsafe: whether it is refuted.
        doubted: whether a reason that the recipe's policy does not set aside speaks against it.
    """
    if unsafe:
        return AccountEntry(subject=EARLIER_RELEASES, cover=Coverage.OPEN, by=UNSAFE)
    if doubted:
        return AccountEntry(subject=EARLIER_RELEASES, cover=Coverage.NOT_CONSIDERED, by=UNCONSIDERED)
    return AccountEntry(subject=EARLIER_RELEASES, cover=Coverage.PROMISED, by=told)
