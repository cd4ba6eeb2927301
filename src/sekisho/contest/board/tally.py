"""Totals of releases and values of attackers in one round: a pure function of what was measured and of the rules.

Everything is an exact fraction, so that equal figures are equal and share a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from sekisho.contest.board.rules import (
    PENALTY,
    UTILITY,
    AbsentRank,
    AnswerBoards,
    AttackerRules,
    AttackerTies,
    BetterValue,
    BoardRules,
    Combine,
    OwnRelease,
    ProtectionRules,
    WorstAttack,
    make_exact,
    name_figure,
)

PublishedSet = tuple[str, str]
"""Whose it is, and which of the team's sets; empty where a team has one."""
AttackKey = tuple[str, str, PublishedSet]
"""By which protection it counts, who attacked, and what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardResults:
    """What was measured in a round.

    Attributes:
        releases: by team the measured figures of its release, ``utility`` and ``penalty`` (of one of several sets
            ``utility 01``); None where it has none.
        sets: what was published, also by the committee.
        attacks: the figure of every attack that was made, as it counts against the release.
        values: what an attack gives its attacker, where that is another figure.
    """

    releases: Mapping[str, Mapping[str, Fraction] | None]
    sets: frozenset[PublishedSet]
    attacks: Mapping[AttackKey, Fraction]
    values: Mapping[AttackKey, Fraction] = field(default_factory=dict[AttackKey, Fraction])

    def find_value(self, key: AttackKey) -> Fraction | None:
        """Return what an attack gives its attacker; None where it was not made."""
        return self.values.get(key, self.attacks.get(key))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRelease:
    """How a team's release stands: more is better.

    Attributes:
        rank: equal totals share one; None only before ranks are given.
        figures: utility and what each protection came to.
        present: whether the team has a release.
    """

    team: str
    total: Fraction
    rank: int | None = None
    figures: Mapping[str, Fraction] = field(default_factory=dict[str, Fraction])
    present: bool = True

    def as_dict(self) -> dict[str, object]:
        """Return the line as plain data for JSON."""
        figures = {name: float(value) for name, value in self.figures.items()}
        return {"team": self.team, "total": float(self.total), "rank": self.rank, **figures}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAttacker:
    """How an attacker stands.

    Attributes:
        rank: None of an attacker of the house.
        board: which kind of answer; empty where there is one board for all.
        figures: his single figures, least first, by which equal values may be told apart.
    """

    team: str
    value: Fraction
    rank: int | None = None
    board: str = ""
    figures: tuple[Fraction, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return the line as plain data for JSON."""
        keys: dict[str, object] = {"team": self.team, "value": float(self.value), "rank": self.rank}
        return keys | ({"board": self.board} if self.board else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundBoard:
    """The two boards of a round."""

    releases: tuple[BoardRelease, ...]
    attackers: tuple[BoardAttacker, ...]


def tally_round(
    results: BoardResults,
    board: BoardRules,
    attackers: AttackerRules,
    *,
    ties: Sequence[str] = (),
    absent: AbsentRank = AbsentRank.LAST,
) -> RoundBoard:
    """Return the boards of a round.

    Args:
        results: what was measured.
        board: how figures become totals.
        attackers: how they become attackers' values.
        ties: figures by which equal totals of releases are told apart, more being better.
        absent: the rank of a team without a release.
    """
    releases = rank_releases([_total(team, results, board) for team in results.releases], ties=ties, absent=absent)
    return RoundBoard(releases=releases, attackers=_rank_every_attacker(results, board, attackers, releases))


def combine_figures(combine: Combine, figures: Sequence[Fraction]) -> Fraction:
    """Return the sum, mean or least of some figures; 0 of none."""
    if not figures:
        return Fraction(0)
    if combine is Combine.LEAST:
        return min(figures)
    total = sum(figures, Fraction(0))
    return total / len(figures) if combine is Combine.MEAN else total


def _total(team: str, results: BoardResults, board: BoardRules) -> BoardRelease:
    measured = results.releases[team]
    if measured is None:
        return BoardRelease(team=team, total=Fraction(0), present=False)
    figures = {UTILITY: measured[UTILITY]} if UTILITY in measured else {}
    figures |= {rules.name: _protect(team, measured, results, rules) for rules in board.protection}
    total = combine_figures(board.total.combine, [figures[name] for name in board.figures])
    for name, (limit, slope) in board.total.floors.items():
        total -= make_exact(slope) * max(Fraction(0), make_exact(limit) - figures[name])
    return BoardRelease(team=team, total=_clip(total, board.total.least, board.total.most), figures=figures)


def _protect(team: str, measured: Mapping[str, Fraction], results: BoardResults, rules: ProtectionRules) -> Fraction:
    """Return what a release keeps from its attackers; 0 where there is no such set, or it is of too little use."""
    target = (team, rules.part)
    utility = measured.get(name_figure(UTILITY, rules.part))
    gated = rules.gate is not None and utility is not None and utility < make_exact(rules.gate)
    if target not in results.sets or gated:
        return Fraction(0)
    figures = [figure for (name, _, on), figure in results.attacks.items() if (name, on) == (rules.name, target)]
    most, per = make_exact(rules.most), make_exact(rules.per)
    if rules.worst is WorstAttack.LEAST:
        kept = min(figures, default=most)
    else:
        kept = (most - max(figures, default=Fraction(0))) / per
    if rules.penalty is not None:
        kept -= measured.get(PENALTY, Fraction(0))
    return _clip(kept, rules.least, None)


def _clip(value: Fraction, least: float | None, most: float | None) -> Fraction:
    value = value if least is None else max(make_exact(least), value)
    return value if most is None else min(make_exact(most), value)


def rank_releases(
    lines: Iterable[BoardRelease], *, ties: Sequence[str] = (), absent: AbsentRank = AbsentRank.LAST
) -> tuple[BoardRelease, ...]:
    """Return releases with their ranks, the best first; those who have none last."""

    def order(line: BoardRelease) -> tuple[Fraction, ...]:
        return (-line.total, *(-line.figures.get(name, Fraction(0)) for name in ties))

    every = list(lines)
    present = give_ranks([line for line in every if line.present], order)
    last = len(present) + 1 if absent is AbsentRank.LAST else 0
    missing = [replace(line, rank=last) for line in every if not line.present]
    return (*present, *sorted(missing, key=lambda line: line.team))


def _rank_every_attacker(
    results: BoardResults, board: BoardRules, rules: AttackerRules, releases: Sequence[BoardRelease]
) -> tuple[BoardAttacker, ...]:
    targets = _list_targets(results, rules, releases)
    boards = [_value_attackers(each, results, board, rules, targets) for each in board.protection]
    if rules.boards is AnswerBoards.SUM:
        boards = [_add_boards(boards)]
    single = len(boards) == 1
    ranked = [rank_attackers(lines, board.house, rules) for lines in boards]
    return tuple(replace(line, board="" if single else line.board) for lines in ranked for line in lines)


def _list_targets(
    results: BoardResults, rules: AttackerRules, releases: Sequence[BoardRelease]
) -> tuple[PublishedSet, ...]:
    """Return the sets that count for attackers: all, or those of the best releases, by total and then by name."""
    if rules.over is None:
        absent = () if rules.no_release is None else [(line.team, "") for line in releases if not line.present]
        return tuple(sorted({*results.sets, *absent}))
    present = sorted((line for line in releases if line.present), key=lambda line: (-line.total, line.team))
    best = {line.team for line in present[: rules.over]}
    return tuple(sorted(each for each in results.sets if each[0] in best))


def _value_attackers(
    protection: ProtectionRules,
    results: BoardResults,
    board: BoardRules,
    rules: AttackerRules,
    targets: Sequence[PublishedSet],
) -> list[BoardAttacker]:
    """Return what everybody who could attack came to for one kind of answer."""
    made = {attacker for name, attacker, _ in results.attacks if name == protection.name}
    own = {target: _find_best(protection, results, rules, board.house, target) for target in targets}

    def tell(attacker: str) -> BoardAttacker:
        figures: list[Fraction] = []
        for target in targets:
            if target[0] == attacker:
                figures += _value_own(rules, own[target], present=target in results.sets)
            elif target not in results.sets:
                figures.append(make_exact(rules.no_release or 0.0))
            else:
                value = results.find_value((protection.name, attacker, target))
                figures.append(make_exact(rules.not_attacked) if value is None else value)
        total = combine_figures(rules.combine, figures)
        return BoardAttacker(team=attacker, value=total, board=protection.name, figures=tuple(sorted(figures)))

    return [tell(team) for team in sorted({*results.releases, *made})]


def _find_best(
    protection: ProtectionRules,
    results: BoardResults,
    rules: AttackerRules,
    house: frozenset[str],
    target: PublishedSet,
) -> Fraction:
    """Return the best attack by a team on a set, which its owner is given."""
    figures = [
        results.values.get(key, figure)
        for key, figure in results.attacks.items()
        if (key[0], key[2]) == (protection.name, target) and key[1] not in house
    ]
    best = max if rules.better is BetterValue.MORE else min
    return best(figures, default=make_exact(rules.not_attacked))


def _value_own(rules: AttackerRules, best: Fraction, *, present: bool) -> list[Fraction]:
    if rules.own is OwnRelease.LEFT_OUT or not present:
        return []
    return [best if rules.own is OwnRelease.BEST_ATTACK else Fraction(0)]


def _add_boards(boards: Sequence[Sequence[BoardAttacker]]) -> list[BoardAttacker]:
    """Return one board whose values are the sums over all kinds of answers."""
    joined: dict[str, BoardAttacker] = {}
    for line in (line for lines in boards for line in lines):
        held = joined.get(line.team, BoardAttacker(team=line.team, value=Fraction(0)))
        figures = tuple(sorted((*held.figures, *line.figures)))
        joined[line.team] = replace(held, value=held.value + line.value, figures=figures)
    return list(joined.values())


def rank_attackers(
    lines: Iterable[BoardAttacker], house: frozenset[str], rules: AttackerRules
) -> tuple[BoardAttacker, ...]:
    """Return attackers with their ranks, the best first; attackers of the house, who have none, last."""
    sign = -1 if rules.better is BetterValue.MORE else 1
    depth = None if AttackerTies.NEXT_LEAST in rules.ties else len(rules.ties)

    def order(line: BoardAttacker) -> tuple[Fraction, ...]:
        return (sign * line.value, *(sign * figure for figure in line.figures[:depth]))

    every = list(lines)
    ranked = give_ranks([line for line in every if line.team not in house], order)
    return (*ranked, *(line for line in every if line.team in house))


Line = TypeVar("Line", BoardRelease, BoardAttacker)


def give_ranks(lines: Sequence[Line], order: Callable[[Line], tuple[Fraction, ...]]) -> tuple[Line, ...]:
    """Return lines in their order, with ranks; equal ones share a rank and stand by their names."""
    ranked: list[Line] = []
    before: tuple[Fraction, ...] | None = None
    for place, line in enumerate(sorted(lines, key=lambda line: (order(line), line.team)), 1):
        rank = ranked[-1].rank if order(line) == before else place
        ranked.append(replace(line, rank=rank))
        before = order(line)
    return tuple(ranked)
