"""Boards of random contests against plain programs of single cups, which share nothing with the engine."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.board.rules import AttackerRules
from sekisho.contest.board.tally import BoardResults, RoundBoard, tally_round
from sekisho.contest.rulebook import read_tables_rules

TEAMS = ("01", "02", "03", "04", "05", "06", "07")
Hits = dict[tuple[str, str], int]
Utilities = dict[str, int | None]

utilities = st.fixed_dictionaries(dict.fromkeys(TEAMS, st.none() | st.integers(1, 100)))
hits = st.dictionaries(
    st.tuples(st.sampled_from(TEAMS), st.sampled_from(TEAMS)).filter(lambda pair: pair[0] != pair[1]),
    st.integers(0, 100),
)


def tally(rules: str, used: Utilities, found: Hits, scale: int, penalties: dict[str, int] | None = None) -> RoundBoard:
    book = read_tables_rules(rules)
    releases = {
        team: None
        if value is None
        else {"utility": Fraction(value, scale), "penalty": Fraction((penalties or {}).get(team, 0))}
        for team, value in used.items()
    }
    present = {team for team, value in used.items() if value is not None}
    attacks = {
        ("protection", by, (on, "")): Fraction(value, scale) for (by, on), value in found.items() if on in present
    }
    results = BoardResults(releases=releases, sets=frozenset((team, "") for team in present), attacks=attacks)
    ranking = book.contest.ranking
    rules_of_attackers = (book.contest.attackers or AttackerRules()).in_round("final")
    return tally_round(results, book.board, rules_of_attackers, ties=ranking.ties or ())


def rank(values: dict[str, tuple[Fraction, ...]]) -> dict[str, int]:
    """Return 1 + how many are better, more being better."""
    return {team: 1 + sum(other > value for other in values.values()) for team, value in values.items()}


@given(used=utilities, found=hits)
def test_2023(used: Utilities, found: Hits) -> None:
    board = tally("pwscup2023", used, found, 100)
    safety, value, single = dict[str, Fraction](), dict[str, tuple[Fraction, ...]](), dict[str, list[Fraction]]()
    for team, utility in used.items():
        if utility is not None:
            most = max([found.get((by, team), 0) for by in TEAMS])
            safety[team] = 1 - Fraction(most, 100)
            value[team] = ((Fraction(utility, 100) + safety[team]) / 2, safety[team])
    for by in TEAMS:
        figures = [
            Fraction(1) if used[on] is None else Fraction(found.get((by, on), 0), 100) for on in TEAMS if on != by
        ]
        single[by] = sorted(figures)
    means = {by: (sum(figures, Fraction(0)) / (len(TEAMS) - 1), *figures) for by, figures in single.items()}
    ranks = rank(value) | {team: len(value) + 1 for team, utility in used.items() if utility is None}
    assert {line.team: line.rank for line in board.releases} == ranks
    assert {line.team: line.total for line in board.releases if line.present} == {
        team: total for team, (total, _) in value.items()
    }
    assert {line.team: (line.value, line.rank) for line in board.attackers} == {
        by: (mean[0], rank(means)[by]) for by, mean in means.items()
    }


def plain_five(totals: dict[str, Fraction], found: Hits, most: int) -> dict[str, int]:
    """Return the sums of hits on the best releases by total and then by name; one's own is the best attack on it."""
    best = sorted(totals, key=lambda team: (-totals[team], team))[:most]
    return {
        by: sum(
            max([found.get((other, on), 0) for other in TEAMS]) if on == by else found.get((by, on), 0) for on in best
        )
        for by in TEAMS
    }


@given(used=utilities, found=hits)
def test_2024(used: Utilities, found: Hits) -> None:
    board = tally("pwscup2024", used, found, 1)
    totals: dict[str, Fraction] = {}
    for team, utility in used.items():
        if utility is not None:
            anonymity = 100 - max([found.get((by, team), 0) for by in TEAMS])
            lost = 2 * max(0, 50 - anonymity) + 2 * max(0, 50 - utility)
            totals[team] = Fraction(max(0, anonymity + utility - lost))
    assert {line.team: line.total for line in board.releases if line.present} == totals
    assert {line.team: line.value for line in board.attackers} == plain_five(totals, found, 5)


@given(used=utilities, found=hits, penalties=st.fixed_dictionaries(dict.fromkeys(TEAMS, st.integers(0, 90))))
def test_2025(used: Utilities, found: Hits, penalties: dict[str, int]) -> None:
    many = {pair: 100 * value for pair, value in found.items()}
    board = tally("pwscup2025", used, many, 1, penalties)
    totals: dict[str, Fraction] = {}
    for team, utility in used.items():
        if utility is not None:
            most = max([many.get((by, team), 0) for by in TEAMS])
            totals[team] = utility + max(Fraction(0), Fraction(10_000 - most, 100) - penalties[team])
    assert {line.team: line.total for line in board.releases if line.present} == totals
    assert {line.team: line.value for line in board.attackers} == plain_five(totals, many, 10)
