"""Web and worker of a contest's server killed with SIGKILL at random moments under load, and what is left of it.

Teams hand releases and attacks in over HTTP, each upload under an idempotency key and again until it has a receipt,
while `sekisho serve` and two `sekisho worker` are killed some random time after they began to work, and started again.
Then everything is left alone, and counted: acknowledged uploads that are lost, what was counted twice, what is stuck.
A fresh contest is made after every 50 kills. Run it with PYTHONPATH=.; PostgreSQL by

``python tests/server/run_postgres.py python verify/server_kills.py --kills 300``

or by ``--database URL`` of a server in which databases may be made. With ``--slots R`` instead: fifty uploads at once
for one remaining slot, R times, over two web processes on one database; exactly one is accepted each time. With
``--kill-postgres`` a PostgreSQL of its own is killed instead, which waits for the disk, and web and workers go on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event as Signal

from tests.server.run_postgres import PostgresServer, find_programs, start_server

from crash.clients import Notebook, Team
from crash.counting import Count, await_quiet, count_all
from crash.place import Materials, Place, make_materials, make_place
from crash.processes import DatabaseVictim, Tally, Victim, find_port, make_web, make_worker
from crash.slots import contend
from sekisho.seeds import Seed
from sekisho.server.contest.client import Remote
from sekisho.server.contest.database.jobs import MOST_ATTEMPTS

PART = 50
WORKERS, TEAMS, CUSTOMERS = 2, 24, 150
LEASE, PAUSE = 1.0, 1.0
LONGEST = {"web": 2.0, "worker": 0.8, "postgres": 4.0}
TIME_OUT = 60.0
VARIABLE = "SEKISHO_TEST_POSTGRES"


def run_part(
    place: Place, materials: Materials, kills: int, seed: Seed, until: float, server: PostgresServer | None = None
) -> Count:
    """Kill under load, then leave alone and count; the processes, or only the database's server if one is given."""
    port, tally, notebook = find_port(), Tally(most=kills), Notebook()
    victims = [make_web(place, port), *(make_worker(place, number, LEASE) for number in range(WORKERS))]
    try:
        for victim in victims:
            victim.start()
        hunted = victims if server is None else [DatabaseVictim(server=server, others=victims)]
        _hunt_under_load(place, materials, hunted, tally, notebook, seed, f"http://127.0.0.1:{port}", until)
        await_quiet(place, LEASE * MOST_ATTEMPTS + TIME_OUT)
        for victim in victims:
            if victim.has_died():
                tally.died.append(victim.kind)
    finally:
        for victim in victims:
            victim.stop()
    for told in tally.died:
        print(told, file=sys.stderr)
    print(dict(notebook.refused), file=sys.stderr)
    return count_all(place, notebook, tally)


def _hunt_under_load(
    place: Place,
    materials: Materials,
    victims: Sequence[Victim | DatabaseVictim],
    tally: Tally,
    notebook: Notebook,
    seed: Seed,
    url: str,
    until: float,
) -> None:
    loading, hunting = Signal(), Signal()
    names = sorted(place.tokens)
    with ThreadPoolExecutor(len(names) + len(victims)) as pool:
        for name in names:
            others = [other for other in names if other != name]
            team = Team(
                name=name,
                remote=Remote(url=url, token=place.tokens[name]),
                materials=materials,
                others=others,
                notebook=notebook,
                stop=loading,
            )
            pool.submit(team.play, seed.child(name).rng(), PAUSE)
        hunts = [
            pool.submit(victim.hunt, tally, hunting, seed.child(f"victim {number}").rng(), LONGEST[victim.kind])
            for number, victim in enumerate(victims)
        ]
        while not all(hunt.done() for hunt in hunts) and time.monotonic() < until:
            hunting.wait(0.2)
        hunting.set()
        loading.set()
        for hunt in hunts:
            hunt.result()


def run_kills(options: Namespace, materials: Materials, folder: Path, url: str, server: PostgresServer | None) -> Count:
    """Run a campaign in parts, each in a contest of its own."""
    total, seed, until = Count(), Seed(options.seed), time.monotonic() + 60 * options.minutes
    part = 0
    while (left := options.kills - total.kills) > 0 and time.monotonic() < until:
        part += 1
        with make_place(folder / f"part-{part}", url, materials, TEAMS) as place:
            count = run_part(place, materials, min(PART, left), seed.child(f"part {part}"), until, server)
        total.add(count)
        print(f"part {part}: {json.dumps(count.as_dict())}", file=sys.stderr, flush=True)
    return total


def _start_postgres() -> AbstractContextManager[PostgresServer]:
    programs = find_programs()
    if programs is None:
        sys.exit("there is no PostgreSQL here (Debian's package is called postgresql)")
    return start_server(programs, durable=True)


def main() -> int:
    """Run a campaign and tell its figures; status 1 if anything was lost, doubled or stuck, or a process died."""
    parser = ArgumentParser(description="Kill the contest's server under load.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=60.0, help="no kills after so many minutes")
    parser.add_argument("--database", default=os.environ.get(VARIABLE, ""), help="a PostgreSQL; SQLite if not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slots", type=int, default=0, help="contend for one slot so many times instead")
    parser.add_argument("--kill-postgres", action="store_true", help="kill a PostgreSQL of its own instead")
    options = parser.parse_args()
    materials = make_materials(Seed(options.seed).child("materials"), CUSTOMERS)
    begun = time.monotonic()
    with TemporaryDirectory(prefix="sekisho-kills-") as place, ExitStack() as stack:
        server = stack.enter_context(_start_postgres()) if options.kill_postgres else None
        url = options.database if server is None else server.url
        kind = "PostgreSQL" if url else "SQLite"
        if options.slots:
            with make_place(Path(place) / "slots", url, materials, options.slots) as made:
                answers = contend(made, options.slots)
            keys = {"database": kind, **answers}
            good = answers["exactly_one"] == options.slots
            words = f"{answers['exactly_one']} of {options.slots} times one of 50 uploads was accepted on {kind}"
        else:
            count = run_kills(options, materials, Path(place), url, server)
            keys = {"database": kind, **count.as_dict()}
            good = not (count.lost or count.doubled or count.stuck or count.died or count.answers_5xx)
            words = (
                f"{count.kills} kills on {kind}: {count.acknowledged} uploads acknowledged, "
                f"{count.lost} lost, {count.doubled} doubled, {count.stuck} stuck; {count.interrupted} jobs interrupted"
            )
    seconds = round(time.monotonic() - begun, 1)
    load = round(os.getloadavg()[1], 1)
    print(json.dumps({**keys, "seconds": seconds, "processors": os.cpu_count(), "load": load, "seed": options.seed}))
    print(words)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
