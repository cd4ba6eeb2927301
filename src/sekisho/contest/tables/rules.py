"""Rules of a contest whose releases are only tables: parts, what they are measured by, answers of attackers, totals.

::

    [original]
    header = false
    secret = 10                 # so many columns more follow from a number that the team chose, in its part "seed"
    [release]
    others = { values = ["0", "1", "*"] }
    [[release.parts]]
    name = "released"
    sorted = true               # published with its lines sorted bytewise
    [[score.utility]]
    measure = "equal-cells"
    [answers.cells]             # what the kind of answer must be told

Three names of parts mean something of their own: ``seed`` and ``choice`` are a number, ``model`` is a model of trees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sekisho.contest.board.rules import BoardRules, Combine, ProtectionRules, TotalRules
from sekisho.contest.rules import ContestRules, FinalEntry, RankBy
from sekisho.contest.scoring import RELEASED
from sekisho.data.files.part_table import ANYTHING, CellRules
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.words import Said

TABLES = "tables"
"""The kind of these contests."""


SEED, CHOICE, MODEL = "seed", "choice", "model"
PART = re.compile(r"[0-9A-Za-z]{1,20}")
MODEL_ACCURACY = "model-accuracy"
"""The measure of a model, on rows that nobody is shown."""
MOST_CHOICES = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalRules:
    """What teams are given.

    Attributes:
        header: whether the first line names the columns.
        secret: how many columns follow from the number in a team's part ``seed``.
        choices: of how many originals a team picks one, by the number in its part ``choice``.
        members: the column that says by 0 or 1 which rows are the team's; all others are only candidates.
        sets: the sets that a team is given and hands in, each a part of its release: TEAM-01.csv, TEAM-02.csv.
        given: tables that everybody is given, beside the teams' own: background.csv.
    """

    header: bool = True
    secret: int = 0
    choices: int = 1
    members: str = ""
    sets: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.secret <= 1000:
            raise ParameterError("secret", Said("lie between {least} and {most:,}", least=0, most=1000), self.secret)
        if not 1 <= self.choices <= MOST_CHOICES:
            rule = Said("lie between {least} and {most:,}", least=1, most=MOST_CHOICES)
            raise ParameterError("choices", rule, self.choices)
        if self.sets and (self.choices > 1 or self.secret or self.members):
            raise ParameterError("sets", Said("not be given together with choices, secret or members"), list(self.sets))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRules:
    """One file of a release.

    Attributes:
        name: ``released`` where there is but one table.
        columns: of a table, in order; those of the original if none are listed.
        sorted: whether its lines are published in their bytewise order.
        people: the column of the original that says whose a row is: people are published in an order of their own.
    """

    name: str = RELEASED
    columns: tuple[str, ...] = ()
    sorted: bool = False
    people: str = ""

    def __post_init__(self) -> None:
        if PART.fullmatch(self.name) is None:
            raise ParameterError("name", Said("be of letters and digits, at most 20"), self.name)

    @property
    def is_table(self) -> bool:
        """Whether it is a table, and not a number or a model."""
        return self.name not in (SEED, CHOICE, MODEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesReleaseRules:
    """The files of a release, and what their cells may hold.

    Attributes:
        parts: in their order.
        header: whether the first line of a table names its columns.
        cells: by column what its cells may hold.
        others: what those of all other columns may hold.
        exclusive: columns of which at most one may be 1 in a row.
    """

    parts: tuple[PartRules, ...] = (PartRules(),)
    header: bool = True
    cells: Mapping[str, CellRules] = field(default_factory=dict[str, CellRules])
    others: CellRules = ANYTHING
    exclusive: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        names = [each.name for each in self.parts]
        if not any(each.is_table for each in self.parts) or len(set(names)) < len(names):
            raise ParameterError("parts", Said("have a table, and each a name of its own"), names)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureUse:
    """A measure of a release, and what it counts.

    Attributes:
        measure: its name.
        parts: whether each table is measured on its own; else the first one.
        combine: what becomes of several.
        points: what a perfect value gives, where a measure says how far it is from 0 or from 1; None as it is.
        hidden: of a model, how many rows of members, and as many of others, it is tried on.
        facet: of which facet of the utility it is a part; a facet of its own if empty.
        settings: what the measure must be told.
    """

    measure: str
    parts: bool = False
    combine: Combine = Combine.LEAST
    points: float | None = None
    hidden: int = 0
    facet: str = ""
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRules:
    """What releases and attacks are worth.

    Attributes:
        combine: how several measures, or their facets, become the utility.
        facets: by name how the measures of a facet become one figure.
    """

    utility: tuple[MeasureUse, ...] = ()
    combine: Combine = Combine.SUM
    facets: Mapping[str, Combine] = field(default_factory=dict[str, Combine])
    protection: tuple[ProtectionRules, ...] = ()
    total: TotalRules = field(default_factory=TotalRules)

    def __post_init__(self) -> None:
        unknown = sorted({use.facet for use in self.utility if use.facet} - self.facets.keys())
        if unknown:
            raise ParameterError("facets", Said("say how each facet's measures become one"), unknown)


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
    original: OriginalRules = field(default_factory=OriginalRules)
    release: TablesReleaseRules = field(default_factory=TablesReleaseRules)
    answers: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    house: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
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
        if self.contest.final_entry is FinalEntry.BEST_VALID:
            rule = Said("be last-valid or chosen: a total is known only after the attacks")
            raise ParameterError("contest.final_entry", rule, self.contest.final_entry)
        lacking = sorted(set(self.original.sets) - set(self.release_files))
        if self.release.parts and self.original.sets and lacking:
            raise ParameterError("original.sets", Said("each be a part of a release"), lacking)
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
    def is_dealt(self) -> bool:
        """Whether every team has originals of its own, in a folder."""
        return bool(self.original.sets or self.original.given or self.original.choices > 1)

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return tuple(each.name for each in self.release.parts)

    @property
    def usual_round(self) -> str:
        """The round that is meant where none is named."""
        return self.contest.rounds[-1].name if self.contest.rounds else "final"

    def settle_contest(self) -> ContestRules:
        """Return the contest's own rules, with what its standings hang on."""
        return replace(self.contest, board=self.board).settle_rounds(self.usual_round)
