"""Standings must follow from results and rules alone: who survives, who is ranked, who attacks best, rounds weighted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.event import Attacked, Created, Event, Opened, Registered, Scored, Submitted
from sekisho.contest.referee import replay
from sekisho.contest.rulebook import read_record_rules
from sekisho.contest.rules import ContestRules, PhaseKind, RankBy, RankingRules
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.standing import (
    RoundResults,
    TeamStanding,
    digest_standings,
    gather_round,
    rank_round,
    weigh_rounds,
)

RISK = read_record_rules("pwscup2021").contest.ranking
FINE, BROKEN = ReleaseScore(utility=0.05), ReleaseScore(utility=0.2, qualified=False, broken=("odds",))


def risk(value: float) -> AttackScore:
    return AttackScore(claimed=10, hits=3, effective=False, risk=value)


def hits(*, effective: bool) -> AttackScore:
    return AttackScore(claimed=24, hits=18 if effective else 17, effective=effective, threshold=18)


def by_team(standings: tuple[TeamStanding, ...]) -> dict[str, TeamStanding]:
    return {each.team: each for each in standings}


def test_only_survivors_are_ranked_and_equal_utilities_share_a_rank() -> None:
    releases = {team: ReleaseScore(utility=value) for team, value in (("a", 0.2), ("b", 0.1), ("c", 0.2), ("d", 0.3))}
    attacks = {("a", "b"): hits(effective=True), ("c", "b"): hits(effective=False), ("b", "a"): hits(effective=False)}
    standings = rank_round(RoundResults(releases={**releases, "e": None}, attacks=attacks), RankingRules())
    assert [(each.team, each.rank) for each in standings] == [("a", 1), ("c", 1), ("d", 3), ("b", None), ("e", None)]
    assert (by_team(standings)["b"].broken_by, by_team(standings)["a"].breaks) == (("a",), ("b",))
    assert all(each.risk is None for each in standings)


def test_the_risk_is_the_largest_over_attackers_and_an_attacker_is_worth_the_mean_over_the_best_three() -> None:
    risks = {
        ("a", "b"): 0.3, ("a", "c"): 0.1, ("a", "d"): 0.2, ("a", "e"): 0.9,
        ("b", "a"): 0.2, ("b", "c"): 0.2, ("b", "d"): 0.4, ("b", "e"): 0.9,
        ("c", "a"): 0.1, ("c", "b"): 0.1, ("c", "d"): 0.1,
        ("d", "a"): 0.1,
    }  # fmt: skip
    releases = {"a": FINE, "b": FINE, "c": FINE, "d": FINE, "e": BROKEN}
    results = RoundResults(releases=releases, attacks={pair: risk(value) for pair, value in risks.items()})
    standings = by_team(rank_round(results, RISK))
    # Largest by column: a 0.2, b 0.3, c 0.2, d 0.4; e broke a condition, so its risk is 1 whatever the attacks did.
    assert {team: each.risk for team, each in standings.items()} == {"a": 0.2, "b": 0.3, "c": 0.2, "d": 0.4, "e": 1.0}
    assert {team: each.rank for team, each in standings.items()} == {"a": 1, "c": 1, "b": 3, "d": 4, "e": None}
    # The best three releases of others, by risk then name: for a: c, b, d; for b: a, c, d; for c: a, b, d; for d: a, c, b.
    assert standings["a"].attack == pytest.approx((0.1 + 0.3 + 0.2) / 3)
    assert standings["b"].attack == pytest.approx((0.2 + 0.2 + 0.4) / 3)
    assert standings["c"].attack == pytest.approx((0.1 + 0.1 + 0.1) / 3)
    assert standings["d"].attack == pytest.approx(0.1 / 3)  # what he did not attack counts nothing
    assert standings["e"].attack == 0
    assert results.list_missing() == (
        ("c", "e"), ("d", "b"), ("d", "c"), ("d", "e"), ("e", "a"), ("e", "b"), ("e", "c"), ("e", "d"),
    )  # fmt: skip


def test_rounds_weigh_one_to_nine() -> None:
    weights = [each.weight for each in read_record_rules("pwscup2021").contest.rounds]
    assert weights == [1, 9]
    first = rank_round(RoundResults(releases={"a": FINE, "b": FINE}, attacks={("a", "b"): risk(0.4)}), RISK)
    second = rank_round(
        RoundResults(releases={"a": FINE, "b": FINE}, attacks={("a", "b"): risk(0.1), ("b", "a"): risk(0.2)}), RISK
    )
    whole = by_team(weigh_rounds([(1, first), (9, second)], RISK))
    assert whole["b"].risk == pytest.approx((1 * 0.4 + 9 * 0.1) / 10)
    assert whole["a"].risk == pytest.approx((1 * 0.0 + 9 * 0.2) / 10)
    assert whole["a"].attack == pytest.approx((1 * 0.4 + 9 * 0.1) / 10)
    assert (whole["b"].rank, whole["a"].rank) == (1, 2)
    late = by_team(
        weigh_rounds([(1, first), (9, rank_round(RoundResults(releases={"b": FINE}, attacks={}), RISK))], RISK)
    )
    assert late["a"].risk == pytest.approx((0.0 + 9 * 1.0) / 10)  # who is missing in a round has the risk 1 there
    assert late["a"].rank is None


SCORES = st.builds(ReleaseScore, utility=st.sampled_from([0.1, 0.2, 0.3]), qualified=st.booleans())
TEAMS = ["a", "b", "c", "d"]
PAIRS = st.sampled_from([(a, b) for a in TEAMS for b in TEAMS if a != b])


@given(
    releases=st.dictionaries(st.sampled_from(TEAMS), st.none() | SCORES),
    attacks=st.dictionaries(PAIRS, st.builds(hits, effective=st.booleans())),
    by=st.sampled_from([RankBy.UTILITY, RankBy.RISK]),
)
def test_standings_do_not_depend_on_the_order_of_results(
    releases: dict[str, ReleaseScore | None], attacks: dict[tuple[str, str], AttackScore], by: RankBy
) -> None:
    ranking = RankingRules(by=by)
    first = rank_round(RoundResults(releases=releases, attacks=attacks), ranking)
    turned = RoundResults(releases=dict(reversed(releases.items())), attacks=dict(reversed(attacks.items())))
    assert digest_standings(rank_round(turned, ranking)) == digest_standings(first)
    for each in first:
        assert (each.rank is not None) == each.survives
        better = [other for other in first if other.survives and each.survives and figure(other, by) < figure(each, by)]
        assert each.rank in (None, 1 + len(better))


def figure(standing: TeamStanding, by: RankBy) -> float:
    value = standing.utility if by is RankBy.UTILITY else standing.risk
    assert value is not None
    return value


def test_an_attack_on_a_release_that_was_replaced_does_not_count() -> None:
    """In practice a team may hand in another release after it was attacked."""
    contest, practice = ContestRules().settle_rounds("final"), "practice"
    at, files = "2026-01-01T00:00:00.000000Z", {"released": "ab" * 32}
    events: list[Event] = [
        Created(at=at, name="x", rules="ab" * 32, contest=contest, originals={"final": "ab" * 32}),
        Opened(at=at, phase=PhaseKind.REGISTER),
        Registered(at=at, team="a"),
        Registered(at=at, team="b"),
        Opened(at=at, phase=PhaseKind.PRACTICE),
        Submitted(at=at, team="a", round=practice, files=files),
        Scored(at=at, entry=1, scorer="s", release=FINE),
        Attacked(at=at, team="b", target="a", round=practice, files=files),
        Scored(at=at, entry=2, scorer="s", attack=hits(effective=True)),
    ]
    assert ("b", "a") in gather_round(replay(events), practice).attacks
    events += [
        Submitted(at=at, team="a", round=practice, files=files),
        Scored(at=at, entry=3, scorer="s", release=FINE),
    ]
    assert gather_round(replay(events), practice).attacks == {}
