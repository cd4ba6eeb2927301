"""A worker over a bad disk: readings of the store and the vault fail at random, and no file is ever judged by that.

Valid and invalid releases and attacks are handed in to a server in this process. While a worker scores them, a share
of all readings finds no file, is refused, breaks off, or (of the store) gives half of a file or other bytes. Files on
which the worker gives up are requeued by the referee, as often as it takes; in the end the disk is mended. Each file
must then have the verdict that it has on a good disk, and must never have had another one. Run it with PYTHONPATH=.;
PostgreSQL by ``python tests/server/run_postgres.py python verify/server_store_faults.py``.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases
from tests.server.contest.conftest import make_database
from tests.server.contest.cup_site import TEAMS, CupSite, open_site, prepare_site
from tests.server.contest.vault.bad_disk import BadDisk, spoil_readings

from sekisho.contest.event import Scored
from sekisho.contest.ledger import read_event
from sekisho.contest.state import EntryStatus
from sekisho.data.history.files import write_original, write_release
from sekisho.seeds import Seed

BAD = b"1,2010/1/1,A,1,1\n"
MOST_ROUNDS = 12


@dataclass(kw_only=True)
class Figures:
    """What became of files over a bad disk.

    Attributes:
        failures: readings that failed, by kind.
        faulted: how often a file was given up and requeued.
        wrong: verdicts that are not those of a good disk.
    """

    contests: int = 0
    files: int = 0
    failures: Counter[str] = field(default_factory=Counter[str])
    faulted: int = 0
    wrong: list[str] = field(default_factory=list[str])


def make_materials() -> dict[str, bytes]:
    """Return releases and attacks by name."""
    data = draw_history()
    releases = make_releases(data)
    written = {team: write_release(release, RULES) for team, release in releases.items()}
    written |= {f"attack on {team}": attack_release(release, data) for team, release in releases.items()}
    return written | {"original": write_original(data, RULES)}


def hand_in(cup: CupSite) -> dict[int, EntryStatus]:
    """Hand releases in, valid ones and one that is not; return what each must come to."""
    cup.open("practice")
    for team in TEAMS:
        cup.submit(team, cup.materials[team], round_name="practice")
    cup.submit("raw", BAD, round_name="practice")
    return dict.fromkeys(range(1, len(TEAMS) + 1), EntryStatus.VALID) | {len(TEAMS) + 1: EntryStatus.INVALID}


def work(cup: CupSite, disk: BadDisk, expected: dict[int, EntryStatus], figures: Figures) -> None:
    """Score over a bad disk until every file has its verdict."""
    rate = disk.rate
    for round_number in range(MOST_ROUNDS):
        disk.rate = rate if round_number < MOST_ROUNDS - 1 else 0.0
        with spoil_readings(disk):
            cup.worker.drain()
        faulted = [entry.number for entry in cup.site.book.read().state.faulted]
        figures.faulted += len(faulted)
        if not faulted:
            break
        for number in faulted:
            cup.call("referee", "POST", f"/api/v1/submissions/{number}/requeue")
    for line in cup.site.book.export_lines().splitlines():
        event = read_event(json.loads(line)["event"], "ledger")
        if isinstance(event, Scored) and bool(event.faults) != (expected[event.entry] is EntryStatus.INVALID):
            figures.wrong.append(f"entry {event.entry} was judged {'invalid' if event.faults else 'valid'}")
    for entry in cup.site.book.read().state.entries:
        if entry.status is not expected[entry.number]:
            figures.wrong.append(f"entry {entry.number} is {entry.status}")


def run_campaign(folder: Path, contests: int, rate: float, seed: Seed) -> Figures:
    """Run so many contests, each with a disk of its own."""
    figures, materials = Figures(), make_materials()
    for number in range(contests):
        place = folder / f"contest-{number}"
        with make_database(place) as url:
            tokens = prepare_site(place, url, materials)
            with open_site(place, url, materials, tokens) as cup:
                expected = hand_in(cup)
                rng = seed.child(f"disk {number}").rng()
                disk = BadDisk(store=cup.site.store.folder, vault=cup.vault, rng=rng, rate=rate)
                for _ in range(2):
                    work(cup, disk, expected, figures)
                    if len(expected) > len(TEAMS) + 1:
                        break
                    disk.rate = rate
                    for target in ("raw", "pairs"):
                        attack = materials[f"attack on {target}"]
                        answer = cup.attack("more", target, attack, round_name="practice")
                        expected[int(answer.json()["entry"])] = EntryStatus.VALID
                figures.files += len(expected)
                figures.failures += disk.counts
        figures.contests += 1
    return figures


def main() -> int:
    """Run the campaign and print its figures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--contests", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        figures = run_campaign(Path(folder), options.contests, options.rate, Seed(options.seed))
    print(
        json.dumps(
            {
                "contests": figures.contests,
                "files": figures.files,
                "failed readings": dict(figures.failures),
                "given up and requeued": figures.faulted,
                "wrong": figures.wrong,
            }
        )
    )
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
