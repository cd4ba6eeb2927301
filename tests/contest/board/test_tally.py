"""Totals and attackers' values by hand: floors, gates, penalties, own releases, ties, rounds by score and by rank."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.board.overall import WeighedRound, weigh_boards
from sekisho.contest.board.rules import (
    AbsentRank,
    AttackerRules,
    AttackerTies,
    BoardRules,
    Combine,
    OwnRelease,
    PenaltyKind,
    ProtectionRules,
    RoundsBy,
    TotalRules,
    WeighBy,
)
from sekisho.contest.board.tally import BoardRelease, BoardResults, rank_releases, tally_round
from sekisho.errors import ParameterError

OF_100 = ProtectionRules(most=100)
FLOORED = BoardRules(
    protection=(OF_100,),
    total=TotalRules(least=0, floors={"utility": (50, 2), "protection": (50, 2)}),
)


def gather(utilities: dict[str, int | None], attacks: dict[tuple[str, str], int]) -> BoardResults:
    return BoardResults(
        releases={team: None if value is None else {"utility": Fraction(value)} for team, value in utilities.items()},
        sets=frozenset((team, "") for team, value in utilities.items() if value is not None),
        attacks={("protection", by, (on, "")): Fraction(value) for (by, on), value in attacks.items()},
    )


def test_points_below_a_floor_cost_two_more() -> None:
    # 2024: a = 46, u = 29.38: 75.38 - 2 * 4 - 2 * 20.62 = 26.14
    results = gather({"18": 0, "20": None}, {("20", "18"): 54})
    results = replace(results, releases={**results.releases, "18": {"utility": Fraction("29.38")}})
    board = tally_round(results, FLOORED, AttackerRules(), absent=AbsentRank.ZERO)
    assert [(line.team, line.total, line.rank) for line in board.releases] == [
        ("18", Fraction("26.14"), 1),
        ("20", Fraction(0), 0),
    ]


def test_a_total_does_not_fall_below_its_least() -> None:
    board = tally_round(gather({"a": 4, "b": 60}, {("b", "a"): 90}), FLOORED, AttackerRules())
    # 4 + 10 - 2 * 46 - 2 * 40 < 0; nobody attacked b: 60 + 100
    assert {line.team: line.total for line in board.releases} == {"a": 0, "b": 160}


def test_a_penalty_and_a_scale() -> None:
    # 2025, team 18: (10,000 - 1,072) / 100 - 10 = 79.28, and with 91.55 170.83; team 24: 10.46 - 20 < 0
    marks = ProtectionRules(most=10_000, per=100, penalty=PenaltyKind.HIT_BY_MANY, least=0)
    results = BoardResults(
        releases={
            "18": {"utility": Fraction("91.55"), "penalty": Fraction(10)},
            "24": {"utility": Fraction("69.59"), "penalty": Fraction(20)},
        },
        sets=frozenset({("18", ""), ("24", "")}),
        attacks={("protection", "24", ("18", "")): Fraction(1072), ("protection", "18", ("24", "")): Fraction(8954)},
    )
    board = tally_round(results, BoardRules(protection=(marks,)), AttackerRules())
    assert [(line.team, line.total) for line in board.releases] == [
        ("18", Fraction("170.83")),
        ("24", Fraction("69.59")),
    ]


@pytest.mark.parametrize(
    ("own", "expected"),
    [(OwnRelease.LEFT_OUT, {"a": 30, "b": 7, "c": 16}), (OwnRelease.BEST_ATTACK, {"a": 39, "b": 37, "c": 16})],
)
def test_an_attacker_over_the_two_best_releases(own: OwnRelease, expected: dict[str, int]) -> None:
    # totals: a 90 + 91, b 95 + 70, c 60 + 100, so a and b count; a hit 30 of b, b 7 of a, c 9 of a and 7 of b
    results = gather(
        {"a": 90, "b": 95, "c": 60}, {("a", "b"): 30, ("b", "a"): 7, ("c", "a"): 9, ("c", "b"): 7, ("a", "c"): 0}
    )
    rules = AttackerRules(over=2, own=own)
    board = tally_round(results, BoardRules(protection=(OF_100,)), rules)
    assert {line.team: line.value for line in board.attackers} == expected


def test_who_has_no_release_gives_everybody_something() -> None:
    # 2023, preliminary round: teams without a release are worth 1 to each other team, which has nothing else here
    rules = AttackerRules(combine=Combine.MEAN, no_release=1)
    board = tally_round(gather({"a": 1, "b": None, "c": None}, {}), BoardRules(protection=(OF_100,)), rules)
    assert {line.team: line.value for line in board.attackers} == {
        "a": Fraction(2, 2),
        "b": Fraction(1, 2),  # nothing on a, 1 on c
        "c": Fraction(1, 2),
    }


def test_equal_values_by_the_least_figure_and_then_the_next() -> None:
    attacks = {("a", "c"): 2, ("a", "d"): 4, ("b", "c"): 3, ("b", "d"): 3, ("e", "c"): 2, ("e", "d"): 4}
    results = gather({"a": None, "b": None, "c": 1, "d": 1, "e": None}, attacks)
    ties = (AttackerTies.LEAST, AttackerTies.NEXT_LEAST)
    plain, told = (
        {line.team: line.rank for line in tally_round(results, BoardRules(protection=(OF_100,)), rules).attackers}
        for rules in (AttackerRules(), AttackerRules(ties=ties))
    )
    assert (plain["a"], plain["b"], plain["e"]) == (1, 1, 1)
    assert (told["b"], told["a"], told["e"]) == (1, 2, 2)


def test_a_gate_closes_one_set_only() -> None:
    # 2019: what is below 0.7 keeps nothing; the other set of the same team counts
    board = BoardRules(
        protection=(
            ProtectionRules(name="id", part="01", gate=0.7),
            ProtectionRules(name="trace", part="02", gate=0.7),
        ),
        total=TotalRules(of=("id", "trace")),
    )
    results = BoardResults(
        releases={"a": {"utility 01": Fraction("0.69"), "utility 02": Fraction("0.7")}},
        sets=frozenset({("a", "01"), ("a", "02")}),
        attacks={("trace", "T1", ("a", "02")): Fraction(1, 4)},
    )
    assert tally_round(results, board, AttackerRules()).releases[0].total == Fraction(3, 4)


def test_ranks_are_weighed_and_the_boards_joined() -> None:
    # ranks of releases: final a 1, b 2; preliminary a 2, b 1: 9 + 2 = 11 and 18 + 1 = 19
    board = BoardRules(protection=(OF_100,))
    first = tally_round(gather({"a": 1, "b": 2}, {("a", "b"): 0, ("b", "a"): 0}), board, AttackerRules())
    final = tally_round(gather({"a": 5, "b": 4}, {("b", "a"): 0}), board, AttackerRules())
    rounds = [
        WeighedRound(name="preliminary", weight=Fraction(1), board=first),
        WeighedRound(name="final", weight=Fraction(9), board=final),
    ]
    overall = weigh_boards(rounds, RoundsBy(weigh=WeighBy.RANK, joined=True), AttackerRules(), frozenset())
    assert [(line.team, line.total, line.rank) for line in overall.releases] == [("a", 11, 1), ("b", 19, 2)]
    assert [(line.team, line.total, line.rank) for line in overall.joined] == [("a", 2, 1), ("b", 3, 2)]


def test_attackers_of_an_early_round_may_count_twice() -> None:
    board = BoardRules(protection=(OF_100,))
    first = tally_round(gather({"a": 1, "b": 1}, {("a", "b"): 10}), board, AttackerRules())
    rounds = [
        WeighedRound(name="preliminary", weight=Fraction(1, 10), board=first),
        WeighedRound(name="final", weight=Fraction(9, 10), board=first),
    ]
    overall = weigh_boards(rounds, RoundsBy(attackers={"preliminary": 2}), AttackerRules(), frozenset())
    assert {line.team: line.value for line in overall.attackers} == {"a": 11, "b": 0}


@given(st.lists(st.integers(0, 5), max_size=8), st.integers(0, 3))
def test_a_rank_is_one_more_than_the_number_of_better_ones(totals: list[int], absent: int) -> None:
    lines = [BoardRelease(team=str(n), total=Fraction(total)) for n, total in enumerate(totals)]
    lines += [BoardRelease(team=f"x{n}", total=Fraction(0), present=False) for n in range(absent)]
    for line in rank_releases(lines):
        better = sum(other > line.total for other in totals) if line.present else len(totals)
        assert line.rank == better + 1


def test_what_a_board_cannot_mean_is_refused() -> None:
    for wrong in (
        lambda: BoardRules(protection=()),
        lambda: BoardRules(protection=(OF_100, OF_100)),
        lambda: BoardRules(protection=(OF_100,), total=TotalRules(of=("luck",))),
        lambda: TotalRules(floors={"utility": (1,)}),
        lambda: TotalRules(least=2, most=1),
        lambda: AttackerRules(combine=Combine.LEAST),
        lambda: AttackerRules(ties=(AttackerTies.NEXT_LEAST,)),
        lambda: ProtectionRules(per=0),
        lambda: ProtectionRules(name="utility"),
    ):
        with pytest.raises(ParameterError):
            wrong()
