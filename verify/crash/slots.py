"""Fifty uploads at once for one remaining slot, again and again, over two web processes on one database."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from crash.place import CONTEST, Place
from crash.processes import answers, find_port
from sekisho.contest.event import Submitted
from sekisho.errors import InputError
from sekisho.server.contest.client import RefusedRequestError, Remote
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.site import read_clock

AT_ONCE, ALLOWED = 50, 10
START_SECONDS = 120.0
# as `sekisho serve`, but without the limit of uploads in a minute, which would answer most of the fifty
WEB = """
import sys, uvicorn
from pathlib import Path
from sekisho.server.contest.app import create_app
from sekisho.server.contest.settings import RequestLimits, WebSettings
limits = RequestLimits(team_requests=100_000, team_uploads=100_000)
settings = WebSettings(database=sys.argv[1], store=Path(sys.argv[2]), secure=False, limits=limits)
uvicorn.run(create_app(settings), host="127.0.0.1", port=int(sys.argv[3]), log_config=None, access_log=False)
"""


def contend(place: Place, times: int) -> dict[str, int]:
    """Let fifty uploads of a team contend for its last slot, with another team each time.

    Returns:
        How often exactly one was accepted, how many were accepted and refused in all, and what else was answered.
    """
    ports = [find_port(), find_port()]
    webs = [_start_web(place, port) for port in ports]
    try:
        until = time.monotonic() + START_SECONDS
        while not all(answers(port) for port in ports) and time.monotonic() < until:
            time.sleep(0.1)
        _fill_slots(place)
        total, exactly = Counter[str](), 0
        for team in sorted(place.tokens)[:times]:
            statuses = _contend_once(place, team, ports)
            total += statuses
            exactly += statuses == Counter({"201": 1, "409 scored-quota": AT_ONCE - 1})
    finally:
        for web in webs:
            web.kill()
            web.wait()
    entries = _count_entries(place)
    beyond = sum(count != ALLOWED for count in entries.values())
    refused = total["409 scored-quota"]
    other = total.total() - total["201"] - refused
    return {
        "times": times,
        "exactly_one": exactly,
        "accepted": total["201"],
        "refused": refused,
        "other_answers": other,
        "teams_with_other_counts": beyond,
    }


def _start_web(place: Place, port: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", WEB, place.url, str(place.store), str(port)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _contend_once(place: Place, team: str, ports: list[int]) -> Counter[str]:
    barrier = Barrier(AT_ONCE)

    def send(number: int) -> str:
        remote = Remote(url=f"http://127.0.0.1:{ports[number % len(ports)]}", token=place.tokens[team])
        barrier.wait()
        try:
            data = f"{team} {number}\n".encode()
            remote.hand_in("/api/v1/submissions", {"round": "final"}, {"released": data}, f"{team}-{number}")
        except RefusedRequestError as error:
            return f"{error.status} {error.answer.get('rule', '')}"
        except InputError:
            return "no answer"
        return "201"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return Counter(pool.map(send, range(AT_ONCE)))


def _fill_slots(place: Place) -> None:
    """Leave every team one slot of the final round."""
    database = Database(place.url)
    with ContestBook(database, CONTEST).write() as pen:
        for team in place.tokens:
            for number in range(ALLOWED - 1):
                files = {"released": f"{number:064x}"}
                pen.send(Submitted(at=read_clock(), team=team, round="final", files=files, key=f"filled-{number}"))
    database.close()


def _count_entries(place: Place) -> Counter[str]:
    database = Database(place.url)
    entries = ContestBook(database, CONTEST).read().state.entries
    database.close()
    return Counter(entry.team for entry in entries)
