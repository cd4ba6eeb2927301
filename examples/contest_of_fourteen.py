"""A contest of fourteen teams by the rules of PWS Cup 2018, from its first day to the revealed standings, in seconds.

Our own methods and adversaries play, on a shop whose customers do not exist; the days are those of table 1 of the
report.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from sekisho.attack import ADVERSARIES
from sekisho.attack.history.guess_files import write_guess
from sekisho.cli import status_of
from sekisho.contest.folder.desk import submit_attack, submit_release
from sekisho.contest.folder.live import hold_contest, read_contest
from sekisho.contest.history.classify import classify_release, count_kinds
from sekisho.contest.rulebook import read_history_rules
from sekisho.contest.rules import PhaseKind, read_moment
from sekisho.contest.standing import gather_round, rank_round
from sekisho.data.history.files import read_original, read_published, read_release, write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect import METHODS
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
Recipe = tuple[str, dict[str, float], int]
TEAMS: dict[str, Recipe] = {
    "team01": ("groups", {"k": 2, "effort": 1}, 0),
    "team02": ("similar-length", {"k": 3}, 0),
    "team03": ("erase", {"cells": 0.3}, 0),
    "team04": ("pseudonymise", {}, 0),
    "team05": ("similar-length", {"k": 2}, 0),
    "team06": ("similar-length", {"k": 2}, 2),
    "team07": ("similar-length", {"k": 4}, 0),
    "team08": ("similar-length", {"k": 2}, 0),
    "team09": ("coarsen", {"width": 0.3}, 0),
    "team10": ("groups", {"k": 2, "effort": 1}, 2),
    "team11": ("groups", {"k": 2, "effort": 1}, 0),
    "team12": ("erase", {"cells": 0.6}, 0),
    "team13": ("similar-length", {"k": 2}, 0),
    "team14": ("groups", {"k": 3, "effort": 5}, 0),
}
"""Each team's method, its parameters, and how many customers it leaves raw."""
ATTACKS: tuple[tuple[str, dict[str, bool]], ...] = (
    ("maximum-knowledge", {}),
    ("maximum-knowledge", {"everyone": True}),
    ("containment", {}),
    ("unique-rows", {}),
    ("chance", {}),
)


def leave_raw(original: bytes, released: bytes, count: int) -> bytes:
    """Return a release in which the customers of some whole classes are published as they were."""
    rows, lines = ([line.split(",") for line in data.decode().splitlines()] for data in (original, released))
    shown: dict[str, list[str]] = defaultdict(list)
    alias: dict[str, str] = {}
    for row, line in zip(rows, lines, strict=True):
        if line[0] != "*":
            alias[row[0]] = line[0]
            shown[row[0]].append(",".join(line[1:]))
    classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for customer, cells in shown.items():
        classes[tuple(sorted(cells))].append(customer)
    raw: set[str] = set()
    for people in sorted(classes.values(), key=lambda people: (len(people), people)):
        if len(raw) + len(people) <= count:
            raw |= set(people)
    pairs = zip(rows, lines, strict=True)
    whole = [[alias[row[0]], *row[1:]] if row[0] in raw else line for row, line in pairs]
    return ("\n".join(",".join(line) for line in whole) + "\n").encode()


def run(*words: object) -> None:
    """Make a call of the command line, which must succeed."""
    status = status_of([str(word) for word in words])
    assert status == 0, (status, words)


def play(folder: Path, customers: int, seed: Seed, *, effort: float = 1.0) -> Path:
    """Play the final of a contest; return its folder."""
    data = SyntheticHistory(customers=customers, items=200, median_rows=6).draw(rng=seed.child("shop").rng())
    text = write_original(data, RULES)
    (folder / "T.csv").write_bytes(text)
    cup = folder / "cup"
    start = ("--start", "2018-08-24", "--at", "2018-08-01", "--seed", seed.value)
    run("contest", "new", cup, "--rules", "pwscup2018", "--original", folder / "T.csv", *start)
    run("contest", "register", cup, *TEAMS, "--at", "2018-09-03T12:00")
    hand_in_releases(folder, cup, text, seed, effort)
    run("contest", "open", cup, "publish", "--round", "final", "--at", "2018-10-10T09:00")
    hand_in_attacks(folder, cup, seed)
    run("contest", "open", cup, "evaluate", "--round", "final", "--at", "2018-10-17")
    return cup  # the results are revealed on the day that the schedule says


def hand_in_releases(folder: Path, cup: Path, text: bytes, seed: Seed, effort: float) -> None:
    """Have every team protect the history and hand its release in."""
    data = read_original(folder / "T.csv", RULES)
    at = read_moment("2018-10-01T10:00", RULES.contest.zone)
    with hold_contest(cup) as held:
        contest = held
        for team, (name, parameters, raw) in TEAMS.items():
            given = {key: value * effort if key == "effort" else value for key, value in parameters.items()}
            method = fit(METHODS.make(name, **given), RULES.parameters())
            release = method.apply(data, rng=seed.child(team).rng())
            path = folder / f"{team}.csv"
            path.write_bytes(leave_raw(text, write_release(release, RULES), raw))
            receipt = submit_release(contest, team, "final", {"released": path}, at=at)
            assert receipt.entry.release is not None, receipt.faults
            contest = receipt.contest


def hand_in_attacks(folder: Path, cup: Path, seed: Seed) -> None:
    """Have every team attack every other release with one of our adversaries."""
    data = read_original(folder / "T.csv", RULES)
    at = read_moment("2018-10-15T18:00", RULES.contest.zone)
    tables = {
        team: read_published(cup / "rounds" / "final" / "published" / f"{team}.csv", RULES, data) for team in TEAMS
    }
    guess_path = folder / "F1.csv"
    with hold_contest(cup) as held:
        contest = held
        for place, attacker in enumerate(TEAMS):
            name, parameters = ATTACKS[place % len(ATTACKS)]
            adversary = fit(ADVERSARIES.make(name, **parameters), RULES.parameters(RULES.contest.bound))
            for target, table in tables.items():
                if target == attacker:
                    continue
                guess = adversary.guess(table, data, rng=seed.child(f"{attacker} on {target}").rng())
                guess_path.write_bytes(write_guess(guess, RULES))
                contest = submit_attack(contest, attacker, target, "final", guess_path, at=at).contest


def show_kinds(folder: Path, cup: Path) -> None:
    """Print the kinds of release as table 5 of the report does, and how many of each survive."""
    data = read_original(folder / "T.csv", RULES)
    releases = {team: read_release(folder / f"{team}.csv", RULES, data) for team in TEAMS}
    many = len(data.domain("customer")) // 10  # a tenth, as the report's 100 of 1,000
    kinds = {team: classify_release(data, release, many=many).name.en for team, release in releases.items()}
    state = read_contest(cup).state
    survivors = [each.team for each in rank_round(gather_round(state, "final"), RULES.contest.ranking) if each.survives]
    print(f"\n{'kind':<28} releases  survive")
    for kind, count, alive in sorted(count_kinds(kinds, survivors)):
        print(f"{kind:<28} {count:>8} {alive:>8}")


def main() -> None:
    """Play, show the standings, and replay the ledger."""
    customers = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with TemporaryDirectory() as place:
        folder = Path(place)
        cup = play(folder, customers, Seed(2018))
        run("contest", "standings", cup)
        show_kinds(folder, cup)
        run("contest", "replay", cup)
        state = read_contest(cup).state
        assert len(gather_round(state, "final").attacks) == len(TEAMS) * (len(TEAMS) - 1)
        assert state.has_begun(PhaseKind.REVEAL, read_moment("2018-10-22", RULES.contest.zone))


if __name__ == "__main__":
    main()
