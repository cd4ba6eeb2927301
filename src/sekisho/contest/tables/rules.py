"""Rules of a contest whose releases are only tables: parts, what they are measured by, answers of attackers, totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sekisho.contest.board.rules import BoardRules, ProtectionRules, TotalRules
from sekisho.contest.rules import ContestRules, RankBy
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.words import Said

TABLES = "tables"
"""The kind of these contests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRules:
    """What releases and attacks are worth."""

    protection: tuple[ProtectionRules, ...]
    total: TotalRules = field(default_factory=TotalRules)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsRules:
    """How tables of published results name what was measured.

    Attributes:
        rounds: by round what the names of its tables begin with, such as ``main`` of ``main_release.csv``.
        releases: what the table of releases is called: a line a team, or a line a team and ``data``.
        attacks: by protection what the table of its attacks is called; its last column is the figure.
        house: by attacker of the house the column of releases that says what is kept from him.
        committee: a target that is no team's.
        earlier: by round the column of releases that holds the totals of that round.
        earlier_attackers: the same of attackers' values, in the table ``attacker``.
    """

    rounds: Mapping[str, str] = field(default_factory=dict[str, str])
    releases: str = "release"
    attacks: Mapping[str, str] = field(default_factory=dict[str, str])
    house: Mapping[str, str] = field(default_factory=dict[str, str])
    committee: str = ""
    earlier: Mapping[str, str] = field(default_factory=dict[str, str])
    earlier_attackers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class TablesRules:
    """A contest whose releases are only tables, as its file has it."""

    kind: str
    name: str
    title: Title
    score: ScoreRules
    contest: ContestRules = field(default_factory=ContestRules)
    results: ResultsRules = field(default_factory=ResultsRules)

    def __post_init__(self) -> None:
        if self.kind != TABLES:
            raise ParameterError("kind", Said("be one of {choices}", choices=f"history, records, {TABLES}"), self.kind)
        if self.contest.ranking.by is not RankBy.TOTAL:
            raise ParameterError(
                "contest.ranking.by", Said("be total where releases are tables"), self.contest.ranking.by
            )
        if self.contest.attackers is None:
            raise ParameterError("contest.attackers", Said("be given"), None)
        if self.contest.board is not None:
            raise ParameterError("contest.board", Said("not be given: it follows from [score]"), "")
        board = self.board
        unknown = sorted(set(self.contest.ranking.ties or ()) - set(board.figures))
        if unknown:
            rule = Said("speak of the figures {figures}", figures=", ".join(board.figures))
            raise ParameterError("contest.ranking.ties", rule, unknown)

    @property
    def board(self) -> BoardRules:
        """How figures become totals."""
        return BoardRules(protection=self.score.protection, total=self.score.total)

    @property
    def usual_round(self) -> str:
        """The round that is meant where none is named."""
        return self.contest.rounds[-1].name if self.contest.rounds else "final"

    def settle_contest(self) -> ContestRules:
        """Return the contest's own rules, with what its standings hang on."""
        return replace(self.contest, board=self.board).settle_rounds(self.usual_round)
