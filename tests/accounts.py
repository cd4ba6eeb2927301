"""An account that closes, for candidates that tests make up."""

from __future__ import annotations

from sekisho.gate.account.account import Account, AccountEntry, Unit, UnitOrigin
from sekisho.safety.cover import Coverage
from sekisho.words import Said

CLOSED = Account(
    unit=Unit(origin=UnitOrigin.SAID, people=1, rows=1),
    entries=(AccountEntry(subject="a", cover=Coverage.GONE, by=Said("it does not leave")),),
)
"""Nothing leaves but what somebody accounts for."""
