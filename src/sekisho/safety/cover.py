"""What can cover a column that leaves, or stand against an attacker: the words of an account.

A column is covered by what holds of the file that is written: it is gone, keyed (one joint guarantee of who somebody
is), secret (a guarantee of what is learnt of them), noised or sampled (a promise of the mechanism), or harmless by the
word of a person who says why. Of a table it is told against each attacker whether he is held off by proof, under an
assumption, or was not considered. Everything else is open, and what is open does not leave without a person's decision.

A guarantee declares in its own file what it covers, as ``covers``; one that declares nothing covers nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol, runtime_checkable


class Coverage(StrEnum):
    """What covers one column, or what is known against one attacker."""

    GONE = "gone"
    KEYED = "keyed"
    SECRET = "secret"
    NOISED = "noised"
    SAMPLED = "sampled"
    HARMLESS = "harmless"
    PROVEN = "proven"
    PROMISED = "promised"
    NOT_CONSIDERED = "not considered"
    OPEN = "open"

    @property
    def is_open(self) -> bool:
        """Whether nothing covers it."""
        return self in {Coverage.OPEN, Coverage.NOT_CONSIDERED}

    @property
    def is_promise(self) -> bool:
        """Whether it keeps people from being singled out, by proof or under an assumption that is named."""
        return self in {
            Coverage.KEYED,
            Coverage.NOISED,
            Coverage.SAMPLED,
            Coverage.PROVEN,
            Coverage.PROMISED,
        }


@runtime_checkable
class Covers(Protocol):
    """A guarantee that says what it covers: who somebody is (``KEYED``), or what is learnt of them (``SECRET``)."""

    @property
    def covers(self) -> Coverage:
        """What it covers; a demand that hardly asks for anything may cover nothing."""
        ...


def read_cover(guarantee: object) -> Coverage:
    """Return what a guarantee covers; nothing if it does not say."""
    return guarantee.covers if isinstance(guarantee, Covers) else Coverage.OPEN
