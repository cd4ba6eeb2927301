"""How totals, attackers' values and standings follow from what was measured: a small closed set of operations, as data.

::

    [[score.protection]]
    name = "protection"
    answer = "match"            # which kind of answer an attacker gives
    figure = "hits"             # what of it counts: hits, share, risk
    worst = "most"              # the attack that found most; "least": the least that an attack left
    most = 100                  # protection = (most - worst) / per
    house = ["sample-2024"]     # attackers of the house: they count, and have no rank
    [score.total]
    combine = "sum"             # sum, mean, least
    least = 0
    floors = { utility = [50, 2], protection = [50, 2] }     # below 50 each point costs two more
    [contest.attackers]
    over = 5
    own = "best-attack"         # best-attack, left-out, zero
    combine = "sum"
    [contest.rounds_by]
    weigh = "score"             # or "rank"

Numbers stand in ledgers as they are written in the rules, and are counted with as exact fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from math import isfinite

from sekisho.errors import ParameterError
from sekisho.words import Said

UTILITY, PENALTY = "utility", "penalty"
"""Figures of a release that are measured, beside what attacks leave."""


class Combine(StrEnum):
    """How several figures become one."""

    SUM = "sum"
    MEAN = "mean"
    LEAST = "least"


class AttackFigure(StrEnum):
    """What of an attack counts: how many answers are right, their share, or a figure of the answer's own."""

    HITS = "hits"
    SHARE = "share"
    RISK = "risk"


class WorstAttack(StrEnum):
    """Which attack decides: the one that found most, or the one that left least."""

    MOST = "most"
    LEAST = "least"


class PenaltyKind(StrEnum):
    """What is taken off for what several attackers found together."""

    HIT_BY_MANY = "hit-by-many"
    """One less than the largest number of attackers who hit one and the same member."""


class OwnRelease(StrEnum):
    """What an attacker is given for his own release among those that count."""

    BEST_ATTACK = "best-attack"
    LEFT_OUT = "left-out"
    ZERO = "zero"


class BetterValue(StrEnum):
    """Which attackers' values are better."""

    MORE = "more"
    LESS = "less"


class AttackerTies(StrEnum):
    """How equal values of attackers are told apart: by their least single figure, then by the next ones."""

    LEAST = "least"
    NEXT_LEAST = "next-least"


class AnswerBoards(StrEnum):
    """Whether attackers are ranked for each kind of answer, or by the sum over all of them."""

    APART = "apart"
    SUM = "sum"


class WeighBy(StrEnum):
    """What of a round is weighed."""

    SCORE = "score"
    RANK = "rank"


class AbsentRank(StrEnum):
    """Which rank a team without an entry has in a round: 0, or the last one."""

    ZERO = "zero"
    LAST = "last"


def name_figure(name: str, part: str) -> str:
    """Return what a figure of one of several sets is called."""
    return f"{name} {part}".strip()


def make_exact(number: float) -> Fraction:
    """Return a number of the rules as it is written there."""
    return Fraction(repr(number))


def _check_finite(name: str, *numbers: float | None) -> None:
    wrong = [number for number in numbers if number is not None and not isfinite(number)]
    if wrong:
        raise ParameterError(name, Said("be of finite numbers"), wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionRules:
    """What a release keeps from its attackers.

    Attributes:
        name: of the figure.
        answer: the kind of answer that attackers give.
        figure: what of an attack counts.
        worst: which attack decides.
        most: what an attack can come to; protection is (most - worst) / per where ``worst`` is ``most``.
        per: of how many one point is.
        part: of which set of a team, where teams hand in several; empty where they hand in one.
        gate: the utility that the set must reach; below, its protection is 0.
        penalty: what is taken off.
        least: below which it does not fall.
        house: attackers of the house, who count and have no rank.
    """

    name: str = "protection"
    answer: str = ""
    figure: AttackFigure = AttackFigure.SHARE
    worst: WorstAttack = WorstAttack.MOST
    most: float = 1.0
    per: float = 1.0
    part: str = ""
    gate: float | None = None
    penalty: PenaltyKind | None = None
    least: float | None = None
    house: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_finite("protection", self.most, self.per, self.gate, self.least)
        if not self.name or self.name in (UTILITY, PENALTY):
            raise ParameterError("name", Said("be a word other than utility and penalty"), self.name)
        if self.most <= 0:
            raise ParameterError("most", Said("be above 0"), self.most)
        if self.per <= 0:
            raise ParameterError("per", Said("be above 0"), self.per)
        if self.penalty is not None and self.worst is WorstAttack.LEAST:
            raise ParameterError("penalty", Said("be taken off where the attack that found most decides"), self.penalty)


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalRules:
    """How a release's figures become its total, of which more is better.

    Attributes:
        combine: sum, mean or least.
        of: the figures; utility and every protection where none are listed.
        floors: by figure a limit and a slope: below the limit each point costs so many more.
        least: below which the total does not fall.
        most: above which it does not rise.
    """

    combine: Combine = Combine.SUM
    of: tuple[str, ...] = ()
    floors: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    least: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        _check_finite("total", self.least, self.most)
        for name, floor in self.floors.items():
            if len(floor) != 2 or not all(map(isfinite, floor)) or floor[1] < 0:
                raise ParameterError(f"floors.{name}", Said("be a limit and a slope of 0 or more"), list(floor))
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ParameterError("most", Said("be {least} or more", least=self.least), self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackerRules:
    """What an attacker's value is.

    Attributes:
        over: how many of the best releases, by total and then by name, count; all where none is said.
        over_in: the same in rounds in which it is another.
        own: what he is given for his own release among them.
        combine: sum or mean of his figures.
        better: whether more or less is better.
        not_attacked: his figure on a release that he did not attack.
        no_release: everybody's figure on a team that has no release; without it such a team does not count.
        ties: how equal values are told apart.
        boards: whether each kind of answer has a board of its own.
    """

    over: int | None = None
    over_in: Mapping[str, int] = field(default_factory=dict[str, int])
    own: OwnRelease = OwnRelease.LEFT_OUT
    combine: Combine = Combine.SUM
    better: BetterValue = BetterValue.MORE
    not_attacked: float = 0.0
    no_release: float | None = None
    ties: tuple[AttackerTies, ...] = ()
    boards: AnswerBoards = AnswerBoards.APART

    def __post_init__(self) -> None:
        _check_finite("attackers", self.not_attacked, self.no_release)
        for over in (self.over, *self.over_in.values()):
            if over is not None and over < 1:
                raise ParameterError("over", Said("be 1 or more"), over)
        if self.combine is Combine.LEAST:
            raise ParameterError("combine", Said("be sum or mean"), self.combine)
        if self.ties not in ((), (AttackerTies.LEAST,), (AttackerTies.LEAST, AttackerTies.NEXT_LEAST)):
            raise ParameterError("ties", Said("be least, or least and next-least"), list(self.ties))

    def in_round(self, name: str) -> AttackerRules:
        """Return what holds in a round."""
        return replace(self, over=self.over_in.get(name, self.over), over_in={})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsBy:
    """How the rounds of a contest become one.

    Attributes:
        weigh: scores, more being better, or ranks, less being better.
        attackers: by round, a factor on attackers' values before they are weighed.
        joined: whether the ranks of the two boards are added to one, equal ones by the board of releases.
    """

    weigh: WeighBy = WeighBy.SCORE
    attackers: Mapping[str, float] = field(default_factory=dict[str, float])
    joined: bool = False

    def __post_init__(self) -> None:
        _check_finite("attackers", *self.attackers.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRules:
    """All that standings hang on, so that a ledger stands alone.

    Attributes:
        protection: figures that attacks decide, in their order.
        total: how they and the utility become one.
    """

    protection: tuple[ProtectionRules, ...]
    total: TotalRules = field(default_factory=TotalRules)

    def __post_init__(self) -> None:
        names = [each.name for each in self.protection]
        if not names or len(set(names)) < len(names):
            raise ParameterError("protection", Said("be listed, each with a name of its own"), names)
        unknown = sorted({*self.total.of, *self.total.floors} - {UTILITY, *names})
        if unknown:
            raise ParameterError(
                "total", Said("speak of the figures {figures}", figures=", ".join((UTILITY, *names))), unknown
            )

    @property
    def figures(self) -> tuple[str, ...]:
        """What the total is made of."""
        return self.total.of or (UTILITY, *(each.name for each in self.protection))

    @property
    def questions(self) -> tuple[tuple[ProtectionRules, str], ...]:
        """What attackers are asked about a release: every kind of answer about every set that a team hands in."""
        parts = sorted({each.part for each in self.protection})
        return tuple((each, part) for each in self.protection for part in parts)

    @property
    def house(self) -> frozenset[str]:
        """Every attacker of the house."""
        return frozenset(name for each in self.protection for name in each.house)
