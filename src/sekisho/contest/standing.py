"""Standings: a pure function of results and rules, so that anybody can compute them again, to the byte.

Only releases that survive are ranked: valid, with every condition met, and not broken by any attack. They are ranked by
utility or by risk, less is better; equal figures share a rank. A release's risk is the largest over its attackers; it
is 1 where a condition is broken or there is no release. An attacker's value is the mean of his risks over the best
releases of others (three in 2021); a release that he did not attack counts 0. Rounds are weighted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sekisho.contest.board.overall import OverallBoard, WeighedRound, weigh_boards
from sekisho.contest.board.rules import (
    PENALTY,
    UTILITY,
    AbsentRank,
    AttackerRules,
    AttackFigure,
    BoardRules,
    ProtectionRules,
    RoundsBy,
    WorstAttack,
    make_exact,
    name_figure,
)
from sekisho.contest.board.tally import AttackKey, BoardResults, RoundBoard, tally_round
from sekisho.contest.ledger import digest_text, write_canonical
from sekisho.contest.rules import ContestRules, RankBy, RankingRules
from sekisho.contest.scoring import HOUSE, VALUE, AttackScore, ReleaseScore, unpack_bits
from sekisho.contest.state import ContestState

DISQUALIFIED = 1.0
"""The risk of a release that breaks a condition, or is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamStanding:
    """How a team stands.

    Attributes:
        rank: from 1; None where the release does not survive.
        utility: of its release; None where there is none.
        survives: whether no attack broke its release, and every condition is met.
        broken_by: who broke it.
        breaks: whose releases it broke.
        risk: of records, the largest over its attackers.
        attack: of records and totals, its value as an attacker.
        total: of totals, what its release comes to; more is better.
        attack_rank: of totals, its rank as an attacker.
        boards: of totals, where kinds of answers have boards of their own, by kind its value and rank as an attacker.
    """

    team: str
    rank: int | None
    utility: float | None
    survives: bool
    broken_by: tuple[str, ...]
    breaks: tuple[str, ...] = ()
    risk: float | None = None
    attack: float | None = None
    total: float | None = None
    attack_rank: int | None = None
    boards: Mapping[str, tuple[float, int | None]] | None = None

    def find_board(self, name: str) -> tuple[float | None, int | None]:
        """Return value and rank as an attacker on a board; the only one has no name."""
        return (self.attack, self.attack_rank) if self.boards is None else self.boards.get(name, (None, None))

    def as_dict(self) -> dict[str, object]:
        """Return the standing as plain data for JSON."""
        keys: dict[str, object] = {
            "team": self.team,
            "rank": self.rank,
            "utility": self.utility,
            "survives": self.survives,
            "broken_by": list(self.broken_by),
            "breaks": list(self.breaks),
        }
        if self.total is not None:
            boards = {} if self.boards is None else {"boards": {name: list(each) for name, each in self.boards.items()}}
            return keys | {"total": self.total, "attack": self.attack, "attack_rank": self.attack_rank, **boards}
        return keys | ({} if self.risk is None else {"risk": self.risk, "attack": self.attack})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResults:
    """What the files of a round were worth.

    Attributes:
        releases: by team; None where a team has no valid one.
        attacks: by attacker and target.
    """

    releases: Mapping[str, ReleaseScore | None]
    attacks: Mapping[tuple[str, str], AttackScore]

    def list_missing(self) -> tuple[tuple[str, str], ...]:
        """Return the attacks that were not made: every team on every release of another."""
        targets = [team for team, release in self.releases.items() if release is not None]
        pairs = [(attacker, target) for attacker in self.releases for target in targets if attacker != target]
        return tuple(sorted(pair for pair in pairs if pair not in self.attacks))


def gather_round(state: ContestState, round_name: str) -> RoundResults:
    """Return the results of a round: of each team the release that counts, of each attack the last valid file."""
    final = {team: state.find_final(round_name, team) for team in sorted(state.teams)}
    attacks: dict[tuple[str, str], AttackScore] = {}
    for attacker in final:
        for target, release in final.items():
            entry = state.find_final(round_name, attacker, target)
            judged = entry is not None and release is not None and entry.against == release.number
            if entry is not None and judged and entry.attack is not None:
                attacks[attacker, target] = entry.attack
    releases = {team: None if entry is None else entry.release for team, entry in final.items()}
    return RoundResults(releases=releases, attacks=attacks)


def rank_round(results: RoundResults, ranking: RankingRules) -> tuple[TeamStanding, ...]:
    """Return the standings of one round."""
    measured = ranking.by is RankBy.RISK or any(score.risk is not None for score in results.attacks.values())
    teams = sorted({*results.releases, *(attacker for attacker, _ in results.attacks)})
    standings = [_stand(team, results, measured=measured) for team in teams]
    if measured:
        standings = [
            replace(each, attack=_value_attacker(each.team, results, standings, ranking)) for each in standings
        ]
    return _rank(standings, ranking)


def rank_round_of(contest: ContestRules, results: RoundResults, name: str) -> tuple[TeamStanding, ...]:
    """Return the standings of one round of a contest."""
    if contest.board is None:
        return rank_round(results, contest.ranking)
    return stand_by_totals(results, tally_results(contest, contest.board, results, name))


def weigh_rounds(
    rounds: Sequence[tuple[float, tuple[TeamStanding, ...]]], ranking: RankingRules
) -> tuple[TeamStanding, ...]:
    """Return the standings of a contest from those of its rounds, each with its weight."""
    counted = [(weight, {each.team: each for each in standings}) for weight, standings in rounds if weight > 0]
    if len(counted) == 1:
        return _rank(list(counted[0][1].values()), ranking)
    teams = sorted({team for _, standings in counted for team in standings})
    return _rank([_weigh(team, counted) for team in teams], ranking)


def rank_contest(state: ContestState) -> tuple[TeamStanding, ...]:
    """Return how a whole contest stands."""
    contest, ranking = state.contest, state.contest.ranking
    if contest.board is not None:
        return _weigh_totals(state, contest.board)
    rounds = [(each.weight, rank_round(gather_round(state, each.name), ranking)) for each in state.contest.rounds]
    return weigh_rounds(rounds, ranking)


def tally_results(contest: ContestRules, board: BoardRules, results: RoundResults, name: str) -> RoundBoard:
    """Return the boards of a round from what its files were worth."""
    return tally_round(
        gather_figures(board, results),
        board,
        (contest.attackers or AttackerRules()).in_round(name),
        ties=contest.ranking.ties or (),
        absent=contest.ranking.absent or AbsentRank.LAST,
    )


def gather_figures(board: BoardRules, results: RoundResults) -> BoardResults:
    """Return what was measured in a round, as exact figures."""
    parts = sorted({part for _, part in board.questions})
    releases: dict[str, dict[str, Fraction] | None] = dict.fromkeys(results.releases)
    attacks: dict[AttackKey, Fraction] = {}
    values: dict[AttackKey, Fraction] = {}
    for team, score in results.releases.items():
        if score is None:
            continue
        named = {name_figure(UTILITY, part): score.detail.get(name_figure(UTILITY, part)) for part in parts if part}
        measured = {name: make_exact(value) for name, value in named.items() if value is not None}
        measured |= {UTILITY: make_exact(score.utility or 0.0), PENALTY: _count_penalty(results, team)}
        releases[team] = measured
        for each in board.protection:
            house = {by: score.detail.get(f"{HOUSE}{by}") for by in each.house}
            attacks |= {
                (each.name, by, (team, each.part)): _count_figure(each, make_exact(found))
                for by, found in house.items()
                if found is not None
            }
    for (attacker, target), score in results.attacks.items():
        for each, part in board.questions:
            key, figures = (each.name, attacker, (target, part)), _find_figures(board, each, part, score)
            attacks |= dict.fromkeys([key], figures[0]) if figures else {}
            values |= dict.fromkeys([key], figures[1]) if figures[1:] else {}
    sets = frozenset((team, part) for team, figures in releases.items() if figures is not None for part in parts)
    return BoardResults(releases=releases, sets=sets, attacks=attacks, values=values)


def _find_figures(board: BoardRules, rules: ProtectionRules, part: str, score: AttackScore) -> list[Fraction]:
    """Return what an attack is worth against a release, and to its attacker where that differs; nothing if not asked.

    Where there are several questions, the detail of an attack holds the figure of each by its name.
    """
    if len(board.questions) > 1:
        name = name_figure(rules.name, part)
        told = [score.detail.get(key) for key in (name, f"{name} {VALUE}")]
        return [_count_figure(rules, make_exact(each)) for each in told if each is not None]
    if rules.figure is AttackFigure.HITS:
        return [_count_figure(rules, Fraction(score.hits))]
    share = rules.figure is AttackFigure.SHARE
    found = Fraction(score.hits, max(1, score.claimed)) if share else make_exact(score.risk or 0.0)
    return [_count_figure(rules, found)]


def _count_figure(rules: ProtectionRules, found: Fraction) -> Fraction:
    """Return what counts of an attack: what it found, or what it left."""
    return make_exact(rules.most) - found if rules.worst is WorstAttack.LEAST else found


def _count_penalty(results: RoundResults, team: str) -> Fraction:
    """Return one less than the largest number of attackers who hit one and the same member."""
    struck = [score.struck for (_, target), score in results.attacks.items() if target == team]
    bits = [unpack_bits(each) for each in struck if each is not None]
    return Fraction(max(0, int(np.sum(bits, axis=0).max(initial=0)) - 1) if bits else 0)


def stand_by_totals(results: RoundResults, board: RoundBoard | OverallBoard) -> tuple[TeamStanding, ...]:
    """Return the two boards as standings of teams, in the order of the board of releases."""
    single = len({line.board for line in board.attackers}) == 1
    attackers = {line.team: line for line in board.attackers} if single else {}
    lines: list[TeamStanding] = []
    for line in board.releases:
        score, attacker = results.releases.get(line.team), attackers.get(line.team)
        own = {each.board: (float(each.value), each.rank) for each in board.attackers if each.team == line.team}
        lines.append(
            TeamStanding(
                team=line.team,
                rank=line.rank,
                utility=None if score is None else score.utility,
                survives=line.present,
                broken_by=(),
                total=float(line.total),
                attack=None if attacker is None else float(attacker.value),
                attack_rank=None if attacker is None else attacker.rank,
                boards=None if single else own,
            )
        )
    return tuple(lines)


def _weigh_totals(state: ContestState, board: BoardRules) -> tuple[TeamStanding, ...]:
    """Return the standings of a whole contest; the utility beside them is that of the last round."""
    contest = state.contest
    results = {each.name: gather_round(state, each.name) for each in contest.rounds}
    if len(results) == 1:
        name, only = next(iter(results.items()))
        return rank_round_of(contest, only, name)
    rounds = [
        WeighedRound(
            name=each.name,
            weight=make_exact(each.weight),
            board=tally_results(contest, board, results[each.name], each.name),
        )
        for each in contest.rounds
    ]
    attackers = contest.attackers or AttackerRules()
    overall = weigh_boards(rounds, contest.rounds_by or RoundsBy(), attackers, board.house)
    return stand_by_totals(results[contest.rounds[-1].name], overall)


def list_standings(standings: Sequence[TeamStanding]) -> list[dict[str, object]]:
    """Return standings as plain data for JSON."""
    return [each.as_dict() for each in standings]


def digest_standings(standings: Sequence[TeamStanding]) -> str:
    """Return the digest of standings: equal standings have equal digests, wherever they were computed."""
    return digest_text(write_canonical(list_standings(standings)))


def _stand(team: str, results: RoundResults, *, measured: bool) -> TeamStanding:
    release = results.releases.get(team)
    against = {attacker: score for (attacker, target), score in results.attacks.items() if target == team}
    broken_by = tuple(sorted(attacker for attacker, score in against.items() if score.effective))
    breaks = tuple(sorted(on for (by, on), score in results.attacks.items() if by == team and score.effective))
    qualified = release is not None and release.qualified
    risk = max((score.risk or 0.0 for score in against.values()), default=0.0) if qualified else DISQUALIFIED
    return TeamStanding(
        team=team,
        rank=None,
        utility=None if release is None else release.utility,
        survives=qualified and not broken_by,
        broken_by=broken_by,
        breaks=breaks,
        risk=risk if measured else None,
    )


def _value_attacker(
    attacker: str, results: RoundResults, standings: Sequence[TeamStanding], ranking: RankingRules
) -> float:
    """Return the mean of an attacker's risks over the best releases of others; equal risks by the teams' names."""
    others = [
        each.team
        for each in sorted(standings, key=lambda each: (each.risk or 0.0, each.team))
        if each.team != attacker and _is_qualified(results.releases.get(each.team))
    ]
    best = others[: ranking.best]
    risks = [results.attacks[attacker, target].risk or 0.0 for target in best if (attacker, target) in results.attacks]
    return sum(risks) / len(best) if best else 0.0


def _is_qualified(release: ReleaseScore | None) -> bool:
    return release is not None and release.qualified


def _weigh(team: str, counted: Sequence[tuple[float, Mapping[str, TeamStanding]]]) -> TeamStanding:
    total = sum(weight for weight, _ in counted)
    each = [(weight, standings.get(team)) for weight, standings in counted]
    present = [(weight, standing) for weight, standing in each if standing is not None]
    utilities = [(weight, one.utility) for weight, one in present if one.utility is not None]
    measured = any(standing.risk is not None for _, standing in present)
    risks = [weight * (DISQUALIFIED if one is None or one.risk is None else one.risk) for weight, one in each]
    values = [weight * (one.attack or 0.0) for weight, one in present]
    return TeamStanding(
        team=team,
        rank=None,
        utility=sum(w * u for w, u in utilities) / total if len(utilities) == len(counted) else None,
        survives=len(present) == len(counted) and all(standing.survives for _, standing in present),
        broken_by=tuple(sorted({name for _, standing in present for name in standing.broken_by})),
        breaks=tuple(sorted({name for _, standing in present for name in standing.breaks})),
        risk=sum(risks) / total if measured else None,
        attack=sum(values) / total if measured else None,
    )


def _rank(standings: Sequence[TeamStanding], ranking: RankingRules) -> tuple[TeamStanding, ...]:
    """Return standings with ranks, those that have one first; the others by utility, then by name."""

    def figure(standing: TeamStanding) -> float | None:
        value = standing.risk if ranking.by is RankBy.RISK else standing.utility
        return value if standing.survives else None

    figures = sorted(value for value in map(figure, standings) if value is not None)
    ranked = [
        replace(each, rank=None if (value := figure(each)) is None else figures.index(value) + 1) for each in standings
    ]
    return tuple(sorted(ranked, key=_place))


def _place(standing: TeamStanding) -> tuple[bool, int, bool, float, str]:
    rank, utility = standing.rank, standing.utility
    return rank is None, rank or 0, utility is None, utility or 0.0, standing.team
