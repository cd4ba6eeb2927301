"""Random contests under the rules of 2023, 2024, iPWS 2024 and 2025 against plain programs that read the same files.

Each contest is held to its end, with some attacks left out; what every attack hit and what every release came to is
counted again from the files with loops over cells, and the ledger is replayed and every file scored again. Called with
``--quick`` it holds one contest of each.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import ModuleType

from sekisho.contest.folder.desk import recheck_scores
from sekisho.contest.folder.live import LiveContest, read_contest
from sekisho.contest.standing import digest_standings, gather_round, rank_contest, rank_round_of
from sekisho.data.synthetic.secret_cells import draw_secret_cells
from sekisho.seeds import Seed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]


def read_lines(path: Path) -> list[list[str]]:
    """Return the cells of a file."""
    return [line.split(",") for line in path.read_text().splitlines()]


def count_equal(one: list[list[str]], two: list[list[str]]) -> int:
    """Return how many cells are the same."""
    return sum(a == b for row, other in zip(one, two, strict=True) for a, b in zip(row, other, strict=True))


def count_hits(live: LiveContest, name: str, attacker: str, target: str) -> tuple[int, list[int]]:
    """Return how many answers of an attack are right, and at which rows where rows are marked."""
    guess = read_lines(live.folder / "rounds" / name / "guesses" / f"{attacker}-on-{target}.csv")
    truth = read_lines(live.folder / "truth" / name / "maps" / f"{target}.csv")
    if len(guess[0]) == 1:
        rows = [row for row, (one, two) in enumerate(zip(guess, truth, strict=True)) if one == two == ["1"]]
        return len(rows), rows
    return count_equal(guess, truth), []


def total_2023(live: LiveContest, name: str, team: str, hits: dict[str, tuple[int, list[int]]]) -> float:
    """Return (u + s) / 2, everything counted from the files."""
    place = live.folder / "rounds" / name
    public = read_lines(place / "original.csv")
    seed = int((place / "releases" / f"{team}-part-seed.txt").read_text())
    secret = draw_secret_cells(seed, rows=len(public)).astype(str).tolist()
    whole = [one + two for one, two in zip(public, secret, strict=True)]
    released = read_lines(place / "releases" / f"{team}.csv")
    utility = count_equal(whole, released) / (len(whole) * len(whole[0]))
    most = max((count for count, _ in hits.values()), default=0)
    return (utility + 1 - most / (len(secret) * len(secret[0]))) / 2


def total_2024(live: LiveContest, name: str, team: str, hits: dict[str, tuple[int, list[int]]]) -> float:
    """Return the sum with floors; these sheets are only shuffled, so their utility is 100."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    assert entry.release.utility == 100
    most = max([count for count, _ in hits.values()] + [int(entry.release.detail["house sample-2024"])])
    return max(0.0, 100 + (100 - most) - 2 * max(0, 50 - (100 - most)))


def total_2025(live: LiveContest, name: str, team: str, hits: dict[str, tuple[int, list[int]]]) -> float:
    """Return utility and anonymity, with the penalty counted row by row; of 60 members, 0.6 to a point."""
    entry = live.state.find_final(name, team)
    assert entry is not None
    assert entry.release is not None
    struck = [row for _, rows in hits.values() for row in rows]
    most = max((count for count, _ in hits.values()), default=0)
    penalty = max((struck.count(row) - 1 for row in struck), default=0)
    return (entry.release.utility or 0.0) + max(0.0, (60 - most) / 0.6 - penalty)


PLAIN = {"pwscup2023": total_2023, "pwscup2024": total_2024, "ipwscup2024": total_2024, "pwscup2025": total_2025}


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
            hits = {pair: count_hits(live, name, *pair) for pair in results.attacks}
            assert {pair: score.hits for pair, score in results.attacks.items()} == {p: h[0] for p, h in hits.items()}
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
    count, begun, attacks = 1 if "--quick" in sys.argv else 25, perf_counter(), 0
    for rules in PLAIN:
        for number in range(count):
            attacks += hold(cups, rules, number)
    print(f"{count * len(PLAIN)} contests, {attacks} attacks, no difference, {perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
