"""A contest's server on this machine at its deadline: 30 teams, 300 uploads of 5 MB within 60 seconds.

One web process and as many workers as there are cores, started as people start them; the sender is a process of its own
and sends every upload at its planned moment, whether earlier ones are answered or not. Then everything is counted: what
was acknowledged must be there and reach a final state. At last a contest of fourteen teams is brought in, its revealed
standings are asked for 100 times, and it is backed up and restored. ``make bench-server`` runs it on SQLite and on a
PostgreSQL of its own that waits for the disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from contextlib import ExitStack, redirect_stdout
from http.client import HTTPConnection
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np

from crash.clients import Acknowledged, Notebook
from crash.counting import await_quiet, count_all
from crash.place import Place, make_database, make_place
from crash.processes import Tally, find_port
from load.files import make_release, write_releases
from load.processes import call, count_cpu_seconds, run_command, serve
from load.sender import Answered
from sekisho.contest.state import EntryStatus
from sekisho.seeds import Seed
from sekisho.server.contest.backup import find_digest
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database

VARIABLE = "SEKISHO_TEST_POSTGRES"
SCORED_SECONDS = 1800.0
ASKED, CUSTOMERS, EFFORT = 100, 60, 0.05
AIMS = {"upload, 95 %": 2.0, "standings, 95 %": 0.3}
PERCENT = (50, 95, 99, 100)
Figures = dict[str, object]


def measure_uploads(options: Namespace, folder: Path) -> Figures:
    """Hand everything in at its time, wait until it is scored, and count."""
    folder.mkdir()
    seed = Seed(options.seed)
    materials, lines = make_release(seed, options.bytes)
    paths = write_releases(lines, folder / "files", options.uploads, seed)
    with make_place(folder / "place", options.database, materials, options.teams) as place, ExitStack() as stack:
        port = find_port()
        web = stack.enter_context(serve(place.url, place.store, port, place.folder / "web.log"))
        words = ["worker", "--database", place.url, "--store", str(place.store), "--vault", str(place.vault)]
        workers = [
            stack.enter_context(run_command(words, place.folder / f"worker-{number}.log"))
            for number in range(options.workers)
        ]
        sent = _send(place, paths, port, options.seconds)
        cpu_web = count_cpu_seconds(web)
        begun = time.monotonic()
        await_quiet(place, SCORED_SECONDS)
        scored_after = time.monotonic() - begun
        return {
            "bytes": sum(path.stat().st_size for path in paths) // len(paths),
            **_count(place, sent),
            "cpu_seconds_web": cpu_web,
            "cpu_seconds_workers": [count_cpu_seconds(worker) for worker in workers],
            "seconds_until_all_scored": round(scored_after, 1),
        }


def _send(place: Place, paths: list[Path], port: int, seconds: float) -> list[Answered]:
    teams = sorted(place.tokens)
    uploads = [
        {
            "team": teams[number % len(teams)],
            "token": place.tokens[teams[number % len(teams)]],
            "key": f"upload-{number}",
            "path": str(path),
            "after": seconds * number / len(paths),
        }
        for number, path in enumerate(paths)
    ]
    plan = json.dumps({"url": f"http://127.0.0.1:{port}", "uploads": uploads})
    words = [sys.executable, str(Path(__file__).parent / "load" / "sender.py")]
    said = subprocess.run(words, input=plan, text=True, stdout=subprocess.PIPE, check=True).stdout
    return [Answered(**each) for each in json.loads(said)]


def _count(place: Place, sent: list[Answered]) -> Figures:
    held = [each for each in sent if each.status == "201"]
    receipts = [Acknowledged(team=each.team, key=each.key, entry=each.entry, files=each.files) for each in held]
    count = count_all(place, Notebook(receipts=receipts), Tally(most=0))
    database = Database(place.url)
    entries = ContestBook(database, "cup").read().state.entries
    database.close()
    return {
        "uploads": len(sent),
        "acknowledged": count.acknowledged,
        "other_answers": dict(Counter(each.status for each in sent if each.status != "201")),
        "lost": count.lost,
        "doubled": count.doubled,
        "not_final": count.stuck,
        "valid": sum(entry.status is EntryStatus.VALID for entry in entries),
        "faulted": count.faulted,
        "seconds": _show_percent([each.seconds for each in held]),
        "latest_sending": round(max(each.late for each in sent), 3),
    }


def measure_standings(options: Namespace, folder: Path) -> Figures:
    """Bring a revealed contest of fourteen teams in, ask for its standings, back it up and restore it."""
    folder.mkdir()
    with redirect_stdout(StringIO()):
        cup = import_module("contest_of_fourteen").play(folder, CUSTOMERS, Seed(2018), effort=EFFORT)
    call("contest", "export", cup, "--out", folder / "cup.zip")
    with make_database(folder, options.database) as url, ExitStack() as stack:
        store, port = folder / "store", find_port()
        places = ("--database", url, "--store", store)
        call("worker", "--import", folder / "cup.zip", *places, "--vault", folder / "vault", "--name", "cup")
        web = stack.enter_context(serve(url, store, port, folder / "web.log"))
        seconds = [_ask(port, ("en", "ja")[number % 2]) for number in range(ASKED)]
        cpu = count_cpu_seconds(web)
        begun = time.monotonic()
        call("serve", "--backup", folder / "backup.zip", *places)
        backed_up = time.monotonic()
        (folder / "restored").mkdir()
        again = stack.enter_context(make_database(folder / "restored", options.database))
        created = time.monotonic()
        call("serve", "--restore", folder / "backup.zip", "--database", again, "--store", folder / "restored" / "store")
        restored = time.monotonic()
        return {
            "standings_first": round(seconds[0], 3),
            "standings_seconds": _show_percent(seconds),
            "cpu_seconds_web": cpu,
            "backup_bytes": (folder / "backup.zip").stat().st_size,
            "backup_seconds": round(backed_up - begun, 2),
            "restore_seconds": round(restored - created, 2),
            "same_digest": _find_digest(url) == _find_digest(again),
        }


def _ask(port: int, language: str) -> float:
    begun = time.monotonic()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/standings?language={language}")
    answer = connection.getresponse()
    page = answer.read()
    connection.close()
    if answer.status != 200 or page.count(b"team14") < 1:
        raise RuntimeError(f"{answer.status}: the standings are not shown")
    return time.monotonic() - begun


def _find_digest(url: str) -> str:
    database = Database(url)
    try:
        return find_digest(database, "cup")
    finally:
        database.close()


def _find_95(seconds: object) -> float:
    return cast("dict[str, float]", seconds).get("95 %", float("inf"))


def _show_percent(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    return {f"{percent} %": round(float(np.percentile(seconds, percent)), 3) for percent in PERCENT}


def main() -> int:
    """Measure and print; status 1 if anything acknowledged is lost, doubled or not final. Times decide nothing."""
    parser = ArgumentParser(description="Measure the contest's server under the load of a deadline.")
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--uploads", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--bytes", type=int, default=5_000_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--database", default=os.environ.get(VARIABLE, ""), help="a PostgreSQL; SQLite if not given")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kind = "PostgreSQL" if options.database else "SQLite"
    with TemporaryDirectory(prefix="sekisho-load-") as place:
        loaded = measure_uploads(options, Path(place) / "load")
        shown = measure_standings(options, Path(place) / "standings")
    load = round(os.getloadavg()[1], 1)
    machine = {"processors": os.cpu_count(), "load": load, "workers": options.workers, "seed": options.seed}
    print(json.dumps({"database": kind, "machine": machine, "uploads": loaded, "standings": shown}, indent=1))
    times = dict(zip(AIMS, (_find_95(loaded["seconds"]), _find_95(shown["standings_seconds"])), strict=True))
    for name, aim in AIMS.items():
        print(f"{name}: {times[name]} s, the aim is {aim} s on a machine of two cores that has nothing else to do")
    wrong = [loaded["uploads"] != loaded["acknowledged"], *(loaded[name] for name in ("lost", "doubled", "not_final"))]
    return 1 if any(wrong) or not shown["same_digest"] else 0


if __name__ == "__main__":
    sys.exit(main())
