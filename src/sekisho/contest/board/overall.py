"""A whole contest from the boards of its rounds: scores or ranks, weighed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sekisho.contest.board.rules import AttackerRules, RoundsBy, WeighBy, make_exact
from sekisho.contest.board.tally import (
    BoardAttacker,
    BoardRelease,
    RoundBoard,
    give_ranks,
    rank_attackers,
    rank_releases,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedRound:
    """The boards of a round, how much it counts, and what its attackers' values are multiplied by."""

    name: str
    weight: Fraction
    board: RoundBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallBoard:
    """How a whole contest stands.

    Attributes:
        joined: where the two boards are one, the sum of their ranks; else empty.
    """

    releases: tuple[BoardRelease, ...]
    attackers: tuple[BoardAttacker, ...]
    joined: tuple[BoardRelease, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return the boards as plain data for JSON."""
        keys: dict[str, object] = {
            "releases": [line.as_dict() for line in self.releases],
            "attackers": [line.as_dict() for line in self.attackers],
        }
        return keys | ({"joined": [line.as_dict() for line in self.joined]} if self.joined else {})


def weigh_boards(
    rounds: Sequence[WeighedRound], by: RoundsBy, attackers: AttackerRules, house: frozenset[str]
) -> OverallBoard:
    """Return the boards of a contest from those of its rounds, in their order.

    Scores: the weighed sum, as the round's own board has it better. Ranks: the weighed sum, less is better, equal ones
    by the rank in the last round.
    """
    if by.weigh is WeighBy.RANK:
        releases = _weigh_ranks(rounds, {each.name: _rank_teams(each.board.releases) for each in rounds})
        hunters = _weigh_ranks(rounds, {each.name: _rank_teams(each.board.attackers) for each in rounds})
        found = tuple(BoardAttacker(team=line.team, value=line.total, rank=line.rank) for line in hunters)
        return OverallBoard(
            releases=releases, attackers=found, joined=_join_ranks(releases, found) if by.joined else ()
        )
    totals: dict[str, Fraction] = {}
    present: set[str] = set()
    values: dict[tuple[str, str], Fraction] = {}
    for each in rounds:
        factor = make_exact(by.attackers.get(each.name, 1.0))
        for line in each.board.releases:
            totals[line.team] = totals.get(line.team, Fraction(0)) + each.weight * line.total
            present |= {line.team} if line.present else set()
        for line in each.board.attackers:
            key = line.board, line.team
            values[key] = values.get(key, Fraction(0)) + each.weight * factor * line.value
    boards = dict.fromkeys(board for board, _ in values)
    lines = [
        rank_attackers(
            (BoardAttacker(team=team, value=value, board=name) for (name, team), value in values.items() if name == on),
            house,
            attackers,
        )
        for on in boards
    ]
    releases = rank_releases(
        BoardRelease(team=team, total=total, present=team in present) for team, total in totals.items()
    )
    return OverallBoard(releases=releases, attackers=tuple(line for each in lines for line in each))


def _rank_teams(lines: Sequence[BoardRelease] | Sequence[BoardAttacker]) -> dict[str, int]:
    return {line.team: line.rank for line in lines if line.rank is not None}


def _weigh_ranks(rounds: Sequence[WeighedRound], ranks: Mapping[str, Mapping[str, int]]) -> tuple[BoardRelease, ...]:
    """Return who has the least weighed sum of ranks; who has none in a round is last there."""
    teams = sorted({team for each in ranks.values() for team in each})
    last = ranks[rounds[-1].name]

    def place(name: str, team: str) -> int:
        return ranks[name].get(team, len(teams))

    lines = [
        BoardRelease(team=team, total=sum((each.weight * place(each.name, team) for each in rounds), Fraction(0)))
        for team in teams
    ]
    return give_ranks(lines, lambda line: (line.total, Fraction(last.get(line.team, len(teams)))))


def _join_ranks(releases: Sequence[BoardRelease], attackers: Sequence[BoardAttacker]) -> tuple[BoardRelease, ...]:
    """Return the sum of the two ranks, less is better; equal ones by the board of releases."""
    ours, theirs = _rank_teams(releases), _rank_teams(attackers)
    lines = [BoardRelease(team=team, total=Fraction(ours[team] + theirs.get(team, len(theirs) + 1))) for team in ours]
    return give_ranks(lines, lambda line: (line.total, Fraction(ours[line.team])))
