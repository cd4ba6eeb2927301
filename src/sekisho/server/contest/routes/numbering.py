"""Which number an entry has for whoever asks: the ledger's for the referee, a team's own count for a team.

The ledger numbers the files of all teams in one row, so that its numbers would tell a team how many files the others
have handed in. Whatever the server takes from or shows to a team passes here; everything behind it speaks of the
ledger's numbers alone.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from fastapi import HTTPException

from sekisho.contest.state import ContestEntry, ContestState
from sekisho.server.contest.auth.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """The entries that somebody may ask for, in the order of the ledger; each has its place in them as its number.

    Attributes:
        entries: all of them for the referee, for a team its own, for others none.
        is_referee: whether somebody is told that there is nothing, and not merely that it is not theirs.
    """

    entries: tuple[ContestEntry, ...]
    is_referee: bool

    def find(self, number: int) -> ContestEntry:
        """Return the entry of a number; a team is not told whether another team has one."""
        if number > len(self.entries):
            raise HTTPException(404 if self.is_referee else 403)
        return self.entries[number - 1]

    def show(self, entry: ContestEntry) -> int:
        """Return the number of an entry that one may ask for."""
        return bisect_left(self.entries, entry.number, key=lambda each: each.number) + 1

    def show_final(self, state: ContestState, round_name: str, team: str, target: str = "") -> int | None:
        """Return the number of the entry of a team that counts now, if one does."""
        final = state.find_final(round_name, team, target)
        return None if final is None else self.show(final)


def number_entries(state: ContestState, who: Principal) -> Numbering:
    """Return how the entries are numbered for somebody."""
    if who.is_referee:
        return Numbering(entries=state.entries, is_referee=True)
    own = tuple(entry for entry in state.entries if who.is_of(entry.team))
    return Numbering(entries=own, is_referee=False)
