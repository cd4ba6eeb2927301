"""Uploads and logins that are sent to fill the memory, at their real sizes: within 300 MB and some seconds, or refused.

A web process in a process of its own, with its usual limits: each upload is first checked, then handed in and scored by
a worker in the same process; what the process holds at most above what it held before is measured, and the seconds
of the processor that all three took. Then fifty people log in at once with the usual cost of a password.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, sleep
from typing import Self
from zipfile import ZIP_DEFLATED, ZipFile

from tests.contest.folder.cup import RULES, draw_history, make_releases
from tests.server.contest.cup_site import open_site, prepare_site

from sekisho.data.history.files import write_original, write_release
from sekisho.server.contest.auth.passwords import BusyError, Passwords
from sekisho.server.contest.settings import PasswordCost, RequestLimits

MOST_MEGABYTES, MOST_SECONDS, LOGINS = 300, 5.0, 50
FILE = 60 << 20
UNITS = {
    "line ends": b"\n",
    "line ends of Windows": b"\r\n",
    "line ends of old": b"\r",
    "empty rows": b",,,,\n",
    "one line": b"x",
    "one line of cells": b"1,",
    "long lines": b"x" * 7999 + b"\n",
    "characters": "あ".encode() * 2000 + b"\n",
    "rows": b"1,2010/12/1,85048,12,83.4\n",
    "sets": b"1,2010/12/1,{" + b"85048;" * 1200 + b"1},12,83.4\n",
    "NUL": b"\0",
    "quotes": b'"',
}


def pack(data: bytes) -> bytes:
    """Return an archive of a release."""
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        archive.writestr("released.csv", data)
    return stream.getvalue()


def read_memory() -> float:
    """Return how many megabytes this process holds."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


class Peak:
    """Watches how much this process holds at most."""

    def __enter__(self) -> Self:
        self.before = self.most = read_memory()
        self.begun, self.done = process_time(), False
        self.watcher = threading.Thread(target=self._watch)
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done = True
        self.watcher.join()
        self.seconds = process_time() - self.begun

    @property
    def growth(self) -> float:
        """How many megabytes more than before."""
        return self.most - self.before

    def _watch(self) -> None:
        while not self.done:
            self.most = max(self.most, read_memory())
            sleep(0.005)


def try_upload(kind: str, form: str, folder: Path) -> dict[str, object]:
    """Check one upload and hand it in; return what it took, the client's own copies of it included."""
    data = draw_history()
    materials = {team: write_release(release, RULES) for team, release in make_releases(data).items()}
    materials["original"] = write_original(data, RULES)
    url = f"sqlite:///{folder}/cup.db"
    tokens = prepare_site(folder, url, materials)
    unit = UNITS[kind]
    bomb = unit * (FILE // len(unit))
    name, content = ("released", bomb) if form == "plain" else ("archive", pack(bomb))
    del bomb
    with open_site(folder, url, materials, tokens, RequestLimits()) as cup:
        cup.open("anonymise", "final")
        cup.submit("raw", materials["raw"])
        cup.worker.drain()  # everything is loaded
        statuses: list[int] = []
        with Peak() as peak:
            for path in ("/api/v1/check/release", "/api/v1/submissions"):
                answer = cup.call("raw", "POST", path, data={"round": "final"}, files={name: content})
                statuses.append(answer.status_code)
            cup.worker.drain()
    return {"megabytes": peak.growth, "seconds": peak.seconds, "statuses": statuses}


def try_logins() -> dict[str, object]:
    """Try fifty passwords at once."""
    passwords = Passwords(PasswordCost())

    def log_in(_: int) -> int:
        try:
            passwords.matches(None, "a long password")
        except BusyError:
            return 503
        return 401

    with Peak() as peak, ThreadPoolExecutor(LOGINS) as pool:
        statuses = list(pool.map(log_in, range(LOGINS)))
    told = {str(status): statuses.count(status) for status in set(statuses)}
    return {"megabytes": peak.growth, "seconds": peak.seconds, "statuses": told}


def run_child(*words: str) -> dict[str, object]:
    """Measure one thing in a process of its own."""
    done = subprocess.run([sys.executable, __file__, *words], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Run the campaign."""
    if len(sys.argv) > 1:
        with TemporaryDirectory() as folder:
            kind, form = sys.argv[1], sys.argv[-1]
            print(json.dumps(try_logins() if kind == "logins" else try_upload(kind, form, Path(folder) / "cup")))
        return
    for kind in UNITS:
        for form in ("plain", "zip"):
            took = run_child(kind, form)
            print(f"{kind}, {form}: {took['megabytes']:.0f} MB, {took['seconds']:.1f} s, {took['statuses']}")
            assert float(str(took["megabytes"])) < MOST_MEGABYTES
            assert float(str(took["seconds"])) < MOST_SECONDS
    took = run_child("logins")
    print(f"{LOGINS} logins at once: {took['megabytes']:.0f} MB, {took['seconds']:.1f} s, {took['statuses']}")
    assert float(str(took["megabytes"])) < MOST_MEGABYTES


if __name__ == "__main__":
    main()
