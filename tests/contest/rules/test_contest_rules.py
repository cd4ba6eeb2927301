"""Rules of a contest are data: what they cannot mean is refused, all at once, and days are those of the contest's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sekisho.contest.rulebook import RULEBOOKS, builtin_rules, read_record_rules, read_rulebook
from sekisho.contest.rules import (
    ContestRules,
    Feedback,
    PhaseKind,
    PhaseRules,
    RankBy,
    RankingRules,
    RoundWeight,
    begin_day,
    parse_moment,
    read_moment,
    show_moment,
    write_moment,
)
from sekisho.errors import ParameterError, SettingsError

BAD = """
[contest]
zone = "Mars/Olympus"
[contest.ranking]
by = "luck"
[[contest.rounds]]
name = "final"
weight = -1
[[contest.phases]]
kind = "anonymise"
days = 0
[[contest.phases]]
kind = "attack"
round = "final"
feedback = "some"
surprise = 1
"""


def test_every_rulebook_that_ships_has_rounds_and_phases() -> None:
    assert builtin_rules() == (
        "ipwscup2024",
        "membership",
        "pwscup2018",
        "pwscup2019",
        "pwscup2021",
        "pwscup2023",
        "pwscup2024",
        "pwscup2025",
        "pwscup2026",
    )
    for name in builtin_rules():
        contest = read_rulebook(name).settle_contest()
        assert contest.rounds
        assert {phase.kind for phase in contest.phases} == set(PhaseKind)


def test_what_rules_cannot_mean_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    text = (RULEBOOKS / "pwscup2018.toml").read_text()
    path.write_text(text[: text.index("# Phases as in table 1")] + BAD)
    (tmp_path / "pwscup2018-R.csv").write_bytes((RULEBOOKS / "pwscup2018-R.csv").read_bytes())
    with pytest.raises(SettingsError) as caught:
        read_rulebook(str(path))
    assert {fault.column for fault in caught.value.faults} >= {
        "contest.ranking.by",
        "contest.rounds.1.weight",
        "contest.phases.1.round",
        "contest.phases.2.feedback",
        "contest.phases.2.surprise",
    }


def test_rules_that_say_nothing_of_a_contest_have_one_round_and_the_usual_phases() -> None:
    settled = ContestRules().settle_rounds("final")
    assert settled.round_names == ("final",)
    assert [phase.name for phase in settled.phases] == [
        "register", "practice", "anonymise final", "publish final", "attack final", "evaluate final", "reveal",
    ]  # fmt: skip
    assert [phase.feedback for phase in settled.phases].count(Feedback.FULL) == 2


def test_a_round_of_records_must_have_conditions(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    text = (RULEBOOKS / "membership.toml").read_text()
    path.write_text(
        text.replace('[[contest.rounds]]\nname = "final"', '[[contest.rounds]]\nname = "semi"')
        .replace('round = "final"', 'round = "semi"', 9)
        .replace('round = "semi"', 'round = "final"', 1)
    )
    with pytest.raises(ParameterError, match="round must be one of practice-run, final"):
        read_record_rules(str(path)).settle_contest()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: ContestRules(zone="nowhere"), "zone must be a zone"),
        (lambda: ContestRules(bands=(0.3, 0.2)), "bands must be numbers that rise"),
        (lambda: ContestRules(digits=99), "digits must lie"),
        (lambda: ContestRules(rounds=(RoundWeight(name="a"), RoundWeight(name="a"))), "each have a name"),
        (lambda: ContestRules(rounds=(RoundWeight(name="a", weight=0),)), "a weight above 0"),
        (lambda: ContestRules(phases=(PhaseRules(kind=PhaseKind.ATTACK, round="a"),)), "phases must be of the rounds"),
        (lambda: ContestRules(phases=(PhaseRules(kind=PhaseKind.REVEAL),) * 2), "each be listed once"),
        (lambda: RoundWeight(name="practice"), "name must be a word other than practice"),
        (lambda: PhaseRules(kind=PhaseKind.REGISTER, round="a"), "round must not be named"),
        (lambda: PhaseRules(kind=PhaseKind.REGISTER, days=0), "days must lie"),
        (lambda: RankingRules(by=RankBy.RISK, best=0), "best must lie"),
        (lambda: RankingRules(limit=-1), "limit must lie"),
    ],
)
def test_a_part_that_cannot_be_is_refused(build: object, words: str) -> None:
    assert callable(build)
    with pytest.raises(ParameterError, match=words):
        build()


def test_days_begin_where_the_contest_is() -> None:
    assert begin_day(date(2018, 8, 24), 13, "Asia/Tokyo") == "2018-09-05T15:00:00.000000Z"
    # In New York the clocks went back on 4 November 2018: the day before is four hours behind UTC, the day after five.
    assert begin_day(date(2018, 11, 3), 0, "America/New_York") == "2018-11-03T04:00:00.000000Z"
    assert begin_day(date(2018, 11, 3), 2, "America/New_York") == "2018-11-05T05:00:00.000000Z"
    with pytest.raises(ParameterError, match="leave room"):
        begin_day(date(9999, 12, 31), 1, "UTC")


def test_a_moment_is_read_in_the_contests_zone_unless_it_says_its_own() -> None:
    assert read_moment("2018-09-06", "Asia/Tokyo") == "2018-09-05T15:00:00.000000Z"
    assert read_moment("2018-09-06T12:00+02:00", "Asia/Tokyo") == "2018-09-06T10:00:00.000000Z"
    assert show_moment("2018-09-05T15:00:00.000000Z", "Asia/Tokyo") == "2018-09-06 00:00:00 JST"
    moment = datetime(2018, 9, 6, 1, 2, 3, 4, tzinfo=UTC)
    assert parse_moment(write_moment(moment)) == moment
    for text in ("soon", "0999-01-01", "2018-02-30"):
        with pytest.raises(ParameterError, match="moment must"):
            read_moment(text, "UTC")
    with pytest.raises(ParameterError, match="say its zone"):
        write_moment(moment.replace(tzinfo=None))
