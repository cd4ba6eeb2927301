"""Random contests under the rules of 2019 and 2023 to 2026 against plain programs that read the same files.

Each contest is held to its end, with some attacks left out; what every attack hit and what every release came to is
counted again from the files with loops over cells, and the ledger is replayed and every file scored again. Called with
``--quick`` it holds one contest of each, with ``--count N`` so many, with ``--rules NAME`` only of that rulebook.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from importlib import import_module
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from types import ModuleType
from zipfile import ZipFile

from sekisho.contest.folder.desk import recheck_scores
from sekisho.contest.folder.live import LiveContest, read_contest
from sekisho.contest.standing import digest_standings, gather_round, rank_contest, rank_round_of
from sekisho.data.synthetic.secret_cells import draw_secret_cells
from sekisho.seeds import Seed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]


HOSPITALS = {
    *(2, 43, 50, 147, 150, 152, 174, 183, 186, 205, 237, 296, 303, 326, 331, 344, 358, 420, 434),
    *(449, 471, 491, 497, 507, 522, 535, 550, 561, 628, 631, 708, 771, 782, 821, 871, 883, 995),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainAttack:
    """What an attack came to: hits, at which rows where rows are marked, or the figure of each question."""

    hits: int = 0
    rows: list[int] = field(default_factory=list[int])
    figures: dict[str, float] = field(default_factory=dict[str, float])


def read_lines(path: Path) -> list[list[str]]:
    """Return the cells of a file."""
    return [line.split(",") for line in path.read_text().splitlines()]


def count_equal(one: list[list[str]], two: list[list[str]]) -> int:
    """Return how many cells are the same."""
    return sum(a == b for row, other in zip(one, two, strict=True) for a, b in zip(row, other, strict=True))


def read_answers(path: Path) -> dict[str, list[list[str]]]:
    """Return the answers of an attack, or what they are judged by, by question."""
    if path.suffix == ".csv":
        return {"": read_lines(path)}
    with ZipFile(path) as archive:
        texts = {name.removesuffix(".csv"): archive.read(name).decode() for name in archive.namelist()}
    return {name: [line.split(",") for line in text.splitlines()] for name, text in texts.items()}


def judge_plainly(live: LiveContest, name: str, attacker: str, target: str) -> PlainAttack:
    """Return what an attack came to, counted cell by cell."""
    place = live.folder / "rounds" / name
    guesses = read_answers(next((place / "guesses").glob(f"{attacker}-on-{target}.*")))
    truths = read_answers(next((live.folder / "truth" / name / "maps").glob(f"{target}.*")))
    if "" in guesses:
        guess, truth = guesses[""], truths[""]
        if len(guess[0]) == 1:
            rows = [row for row, (one, two) in enumerate(zip(guess, truth, strict=True)) if one == two == ["1"]]
            return PlainAttack(hits=len(rows), rows=rows)
        return PlainAttack(hits=count_equal(guess, truth))
    own = read_lines(live.find_original(name, attacker)) if "attribute" in truths else []
    parts = {question: judge_question(question, told, truths[question], own) for question, told in guesses.items()}
    return PlainAttack(figures=parts)


def judge_question(question: str, told: list[list[str]], truth: list[list[str]], own: list[list[str]]) -> float:
    """Return how much of one answer is right: as it is given to the attacker."""
    if question.startswith("id"):
        return count_equal(told[1:], truth[1:]) / (len(truth) - 1)
    if question.startswith("trace"):
        return near_plainly([int(row[0]) for row in told[1:]], [int(row[0]) for row in truth[1:]])
    if question == "attribute":
        right = {row[0]: abs(float(row[1]) - float(truth[1 + int(row[0])][0])) <= 0.5 for row in told[1:]}
        groups = [[right[str(place)] for place, row in enumerate(truth[1:]) if row[1] == kind] for kind in "10"]
        shares = [sum(group) / len(group) for group in groups]
        most = max(0.0, (shares[0] - shares[1]) / (1 - shares[1])) if shares[1] < 1 else 0.0
        few = [
            [right[str(place)] for place, row in enumerate(truth[1:]) if row[1] == kind and row[2] == "1"]
            for kind in "10"
        ]
        if not all(few):
            return most
        one, two = (sum(group) / len(group) for group in few)
        error = (one * (1 - one) / len(few[0]) + two * (1 - two) / len(few[1])) ** 0.5
        return max(most, min(1.0, max(0.0, (one - two - 1.64 * error) / max(1 - two, 1e-9))))
    members = {row[0] for row in truth[1:]}
    person, rare = own[0].index("record_id"), own[0].index("is_rare")
    sure = {row[0]: float(row[1]) for row in told[1:]}
    everybody = [(sure[row[person]], row[person] in members, row[rare] == "1") for row in own[1:]]
    shares = [share_plainly([(one, two) for one, two, _ in everybody])]
    if any(two and three for _, two, three in everybody):
        shares.append(share_plainly([(one, two) for one, two, three in everybody if three]))
    return max(shares)


def share_plainly(people: list[tuple[float, bool]]) -> float:
    """Return the share of members named when one in a hundred of the others is."""
    members = sum(member for _, member in people)
    others = len(people) - members
    if not members or not others:
        return 0.0
    before = (0.0, 0.0)
    for level in sorted({sure for sure, _ in people}, reverse=True):
        named = [member for sure, member in people if sure >= level]
        after = ((len(named) - sum(named)) / others, sum(named) / members)
        if after[0] > 0.01:
            return before[1] + (0.01 - before[0]) / (after[0] - before[0]) * (after[1] - before[1])
        before = after
    return before[1]


def near_plainly(told: list[int], truth: list[int]) -> float:
    """Return the mean nearness of regions of the grid of 2019, hospitals ten times."""
    total = weights = 0.0
    for one, two in zip(told, truth, strict=True):
        up = ((one - 1) // 32 - (two - 1) // 32) * 0.1 / 32 * 111
        along = ((one - 1) % 32 - (two - 1) % 32) * (139.8 - 139.68) / 32 * 91
        weight = 10 if two in HOSPITALS else 1
        total += weight * max(0.0, 1 - (up * up + along * along) ** 0.5 / 2)
        weights += weight
    return total / weights


def total_2023(live: LiveContest, name: str, team: str, hits: dict[str, PlainAttack]) -> float:
    """Return (u + s) / 2, everything counted from the files."""
    place = live.folder / "rounds" / name
    public = read_lines(place / "original.csv")
    seed = int((place / "releases" / f"{team}-part-seed.txt").read_text())
    secret = draw_secret_cells(seed, rows=len(public)).astype(str).tolist()
    whole = [one + two for one, two in zip(public, secret, strict=True)]
    released = read_lines(place / "releases" / f"{team}.csv")
    utility = count_equal(whole, released) / (len(whole) * len(whole[0]))
    most = max((each.hits for each in hits.values()), default=0)
    return (utility + 1 - most / (len(secret) * len(secret[0]))) / 2


def total_2024(live: LiveContest, name: str, team: str, hits: dict[str, PlainAttack]) -> float:
    """Return the sum with floors; these sheets are only shuffled, so their utility is 100."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    assert entry.release.utility == 100
    most = max([each.hits for each in hits.values()] + [int(entry.release.detail["house sample-2024"])])
    return max(0.0, 100 + (100 - most) - 2 * max(0, 50 - (100 - most)))


def total_2025(live: LiveContest, name: str, team: str, hits: dict[str, PlainAttack]) -> float:
    """Return utility and anonymity, with the penalty counted row by row; of 60 members, 0.6 to a point."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    struck = [row for each in hits.values() for row in each.rows]
    most = max((each.hits for each in hits.values()), default=0)
    penalty = max((struck.count(row) - 1 for row in struck), default=0)
    return (entry.release.utility or 0.0) + max(0.0, (60 - most) / 0.6 - penalty)


def total_2019(live: LiveContest, name: str, team: str, hits: dict[str, PlainAttack]) -> float:
    """Return sec_i of set 01 and sec_t of set 02, those of a set of utility below 0.7 being 0."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    total = 0.0
    for question, part, house in (("id", "01", "I"), ("trace", "02", "T")):
        original = read_lines(live.folder / "rounds" / name / "originals" / f"{team}-{part}.csv")
        released = read_lines(live.folder / "rounds" / name / "releases" / f"{team}-part-{part}.csv")
        place = original[0].index("reg_id")
        near = [keep_plainly(row[place], cell[0]) for row, cell in zip(original[1:], released[1:], strict=True)]
        found = [each.figures[f"{question}-{part}"] for each in hits.values() if f"{question}-{part}" in each.figures]
        found += [entry.release.detail[f"house {house}{number}"] for number in (1, 2, 3)]
        total += 1 - max(found) if sum(near) / len(near) >= 0.7 else 0.0
    return total


def keep_plainly(region: str, cell: str) -> float:
    """Return the mean nearness of a cell's regions."""
    if cell == "*":
        return 0.0
    up, along = 0.1 / 32 * 111, (139.8 - 139.68) / 32 * 91
    told, (row, column) = [divmod(int(each) - 1, 32) for each in cell.split()], divmod(int(region) - 1, 32)
    gaps = [(((a - row) * up) ** 2 + ((b - column) * along) ** 2) ** 0.5 for a, b in told]
    return sum(1 - min(1.0, gap / 2) for gap in gaps) / len(gaps)


def total_2026(live: LiveContest, name: str, team: str, hits: dict[str, PlainAttack]) -> float:
    """Return the least of utility and of what both kinds of attacks leave; luck is taken as the ledger has it."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    worst = entry.release.detail["house reference"]
    for attacker, each in hits.items():
        attack = live.state.find_final(name, attacker, team)
        assert attack is not None
        assert attack.attack is not None
        told = attack.attack.detail
        worst = max(worst, each.figures["attribute"], told.get("membership", 0.0))
        if "membership" in each.figures:
            assert abs(told["membership value"] - each.figures["membership"]) < 1e-9
    return min(entry.release.utility or 0.0, 1 - worst)


PLAIN = {
    "pwscup2019": total_2019,
    "pwscup2023": total_2023,
    "pwscup2024": total_2024,
    "ipwscup2024": total_2024,
    "pwscup2025": total_2025,
    "pwscup2026": total_2026,
}


def hold(cups: ModuleType, rules: str, number: int) -> int:
    """Hold a contest and compare; return how many attacks were compared."""
    seed = Seed(number).child(rules)
    rng, compared = seed.rng(), 0
    with TemporaryDirectory() as place:
        work = Path(place)
        cup = cups.MAKERS[rules](seed.child("cup").rng())
        live = cups.begin_cup(cup, work)
        for place_of, name in enumerate(live.state.contest.round_names):
            skipped = frozenset(pair for pair in permutations(cups.TEAMS, 2) if rng.random() < 0.3)
            live = cups.run_round(live, cup, name, 3 + 5 * place_of, work, skipped)
            results = gather_round(live.state, name)
            hits = {pair: judge_plainly(live, name, *pair) for pair in results.attacks}
            for pair, score in results.attacks.items():
                assert hits[pair].figures or score.hits == hits[pair].hits
                for question, figure in hits[pair].figures.items():
                    told = question.replace("-", " ")
                    assert abs(score.detail.get(f"{told} value", score.detail[told]) - figure) < 1e-9, (pair, question)
            compared += len(hits)
            for each in rank_round_of(live.state.contest, results, name):
                mine = {by: hit for (by, on), hit in hits.items() if on == each.team}
                plain = PLAIN[rules](live, name, each.team, mine)
                assert each.total is not None
                assert abs(each.total - plain) < 1e-9, (rules, number, name, each, plain)
        again = read_contest(live.folder)
        assert digest_standings(rank_contest(again.state)) == digest_standings(rank_contest(live.state))
        assert recheck_scores(again) == ()
    return compared


def main() -> None:
    """Hold the contests."""
    cups = import_module("tests.contest.tables.table_cups")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one contest of each")
    parser.add_argument("--count", type=int, default=25, help="how many of each")
    parser.add_argument("--rules", choices=sorted(PLAIN), action="append", help="only these")
    options = parser.parse_args()
    count = 1 if options.quick else options.count
    for rules in options.rules or PLAIN:
        begun = process_time()
        attacks = sum(hold(cups, rules, number) for number in range(count))
        spent = process_time() - begun
        print(f"{rules}: {count} contests, {attacks} attacks, no difference, {spent:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
