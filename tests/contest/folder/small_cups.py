"""Small contests in folders, played to the end without the command line: of a history, and of records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases

from sekisho.contest.event import Opened, Registered
from sekisho.contest.folder.desk import (
    find_answers,
    list_release_files,
    publish_round,
    submit_attack,
    submit_release,
    write_final_guesses,
)
from sekisho.contest.folder.live import LiveContest, create_contest
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.contest.rules import PhaseKind
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import write_original, write_release
from sekisho.data.records.files import write_number_lines, write_records
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed

SECRET = Seed(90210)


def moment(day: int) -> str:
    """Return a moment of a day."""
    return f"2026-01-{day:02}T00:00:00.000000Z"


def begin(folder: Path, rules: str, original: Path, rounds: tuple[str, ...], teams: tuple[str, ...]) -> LiveContest:
    """Begin a contest that takes releases of its final round."""
    originals = dict.fromkeys(rounds, original)
    contest = create_contest(folder, rules, originals, at=moment(1), first_day="", secret=SECRET)
    contest, _ = contest.send(Opened(at=moment(1), phase=PhaseKind.REGISTER))
    for team in teams:
        contest, _ = contest.send(Registered(at=moment(1), team=team))
    return contest.send(Opened(at=moment(2), phase=PhaseKind.ANONYMISE, round="final"))[0]


def finish(contest: LiveContest) -> None:
    """Evaluate and reveal."""
    contest, _ = contest.send(Opened(at=moment(5), phase=PhaseKind.EVALUATE, round="final"))
    write_final_guesses(contest, "final")
    contest.send(Opened(at=moment(6), phase=PhaseKind.REVEAL))


def play_history(folder: Path) -> Path:
    """Play a contest over a history between two teams; return its folder."""
    data, work, cup = draw_history(), folder / "work", folder / "cup"
    work.mkdir()
    (work / "T.csv").write_bytes(write_original(data, RULES))
    releases = {team: release for team, release in make_releases(data).items() if team in ("pairs", "more")}
    contest = begin(cup, "pwscup2018", work / "T.csv", RULES.contest.round_names, tuple(releases))
    for team, release in releases.items():
        (work / f"{team}.csv").write_bytes(write_release(release, RULES))
        files = list_release_files(work / f"{team}.csv", None)
        contest = submit_release(contest, team, "final", files, at=moment(2)).contest
    contest = publish_round(contest, "final", at=moment(3))
    contest, _ = contest.send(Opened(at=moment(4), phase=PhaseKind.ATTACK, round="final"))
    for team, target in (("pairs", "more"), ("more", "pairs")):
        (work / "F.csv").write_bytes(attack_release(releases[target], data))
        contest = submit_attack(contest, team, target, "final", work / "F.csv", at=moment(4)).contest
    finish(contest)
    return cup


def play_records(folder: Path) -> Path:
    """Play a contest over records between two teams, each with a test set of its own; return its folder."""
    work, cup = folder / "work", folder / "cup"
    work.mkdir()
    text = (RULEBOOKS / "pwscup2021.toml").read_text()
    for mark, small in (("members = 50", "members = 5"), ("others = 50", "others = 4"), ("odds = 0.1", "odds = 9000")):
        text = text.replace(mark, small)
    for mark, loose in (("rate = 0.05", "rate = 0.9"), ("cor = 0.1", "cor = 1.9"), ("uniqrt = 0.5", "uniqrt = 1")):
        text = text.replace(mark, loose)
    (work / "small.toml").write_text(text)
    rules = read_record_rules(str(work / "small.toml"))
    data = health_records(120, rng=Seed(4).rng())
    (work / "B.csv").write_bytes(write_records(data, rules))
    names, teams = rules.contest.round_names, ("ann", "bob")
    contest = begin(cup, str(work / "small.toml"), work / "B.csv", names, teams)
    for place, team in enumerate(teams):
        gone = np.arange(len(data)) % 7 == place
        kept = Dataset(data.frame.filter(pl.Series(~gone)), data.schema)
        (work / f"{team}.csv").write_bytes(write_records(kept, rules))
        (work / f"{team}-deleted.csv").write_bytes(write_number_lines(np.flatnonzero(gone)))
        files = list_release_files(work / f"{team}.csv", work / f"{team}-deleted.csv")
        contest = submit_release(contest, team, "final", files, at=moment(2)).contest
    contest = publish_round(contest, "final", at=moment(3))
    contest, _ = contest.send(Opened(at=moment(4), phase=PhaseKind.ATTACK, round="final"))
    for team, target in (("ann", "bob"), ("bob", "ann")):
        answers = find_answers(contest, "final", team, target).read_text().split()
        (work / "E.csv").write_text("".join(f"{answer},{answer},{answer}\n" for answer in answers))
        contest = submit_attack(contest, team, target, "final", work / "E.csv", at=moment(4)).contest
    finish(contest)
    return cup
