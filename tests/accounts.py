"""An account that closes, for candidates that tests make up."""

from __future__ import annotations

from sekisho.gate.account.account import Account, Entry, Unit, UnitOrigin
from sekisho.safety.cover import Cover
from sekisho.words import Said

CLOSED = Account(
    unit=Unit(origin=UnitOrigin.SAID, people=1, rows=1),
    entries=(Entry(subject="a", cover=Cover.GONE, by=Said("it does not leave")),),
)
"""Nothing leaves but what somebody accounts for."""
