"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AccountRole(StrEnum):
    """What somebody may do. Whoever has not logged in is a spectator."""

    REFEREE = "referee"
    CAPTAIN = "captain"
    MEMBER = "member"
    SPECTATOR = "spectator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks.

    Attributes:
        role: what they may do.
        team: whose they are; empty for none.
        actor: how the audit calls them; not by name.
        session: the cookie's secret, where they came by one; their requests that change something need its token.
    """

    role: AccountRole = AccountRole.SPECTATOR
    team: str = ""
    actor: str = "spectator"
    session: str = ""

    @property
    def is_referee(self) -> bool:
        """Whether they are the referee."""
        return self.role is AccountRole.REFEREE

    def is_of(self, team: str) -> bool:
        """Tell whether they are of a team."""
        return bool(team) and self.team == team
