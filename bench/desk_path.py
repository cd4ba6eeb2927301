"""A Parquet file of a million rows at the desk, from the drop to ``public``: what each answer costs.

``python bench/desk_path.py [--rows 1000000] [--memory GB]``: starts ``sekisho desk`` in a folder that is gone
afterwards, walks the path over HTTP as a browser without script does, and prints for each answer the seconds that a
person waits and the CPU seconds of all processes of the desk, beside plain Python that reads one row in ten, times ten.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time, sleep

import httpx
import polars as pl

from bench_desk_answers import KEYS, PART, count_plainly, look_plainly, write_people

TICKS = os.sysconf("SC_CLK_TCK")
PIECE, PATIENCE = 8 << 20, 3600.0
BUDGETS = {"drop and look": 3.0, "alone on the keys": 2.0, "other keys": 2.0, "who stands out": 5.0}


@dataclass
class DeskWalk:
    """A desk that runs, whoever walks through it, and what it costs."""

    folder: Path
    process: subprocess.Popen[str]
    origin: str = ""
    prefix: str = ""
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def start(cls, folder: Path, *options: str) -> DeskWalk:
        """Start a desk and come in."""
        words = [sys.executable, "-m", "sekisho", "desk", "--folder", str(folder), "--no-browser", "--json", *options]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        text = Path(json.loads(process.stdout.readline())["page"]).read_text(encoding="utf-8")
        walk = cls(folder=folder, process=process, origin=re.findall(r'action="(http://[^/"]+)', text)[0])
        secret = re.findall(r'name="secret" value="([^"]+)"', text)[0]
        answer = httpx.post(f"{walk.origin}/open", data={"secret": secret}, headers={"origin": "null"})
        walk.prefix = re.findall(r"/s/[\w-]+", answer.headers["refresh"])[0]
        cookie = answer.headers["set-cookie"].partition(";")[0]
        walk.headers = {"origin": walk.origin, "sec-fetch-site": "same-origin", "cookie": cookie}
        walk.token = re.findall(r'name="token" value="([^"]+)"', walk.get("/").text)[0]
        return walk

    def get(self, path: str) -> httpx.Response:
        """Ask for a page."""
        return httpx.get(self.origin + self.prefix + path, headers=self.headers, timeout=PATIENCE)

    def post(self, path: str, data: dict[str, str | list[str]]) -> httpx.Response:
        """Send a form."""
        address = self.origin + self.prefix + path
        return httpx.post(address, data={"token": self.token, **data}, headers=self.headers, timeout=PATIENCE)

    def await_page(self, path: str, *, without: str) -> str:
        """Ask for a page until it no longer says that something is under way."""
        while True:
            page = self.get(path).text
            if without not in page:
                return unescape(page)
            sleep(0.1)

    def drop(self, path: Path) -> str:
        """Drop a file in pieces, and return the name of its case once it was looked at."""
        size = path.stat().st_size
        ask = f"{self.origin}{self.prefix}/upload?name={path.name}&size={size}&changed=1"
        address, received = "", 0
        with path.open("rb") as stream:
            while piece := stream.read(PIECE):
                headers = {**self.headers, "x-desk-token": self.token, "x-desk-offset": str(received)}
                told = httpx.post(ask, content=piece, headers=headers, timeout=PATIENCE).json()
                address, received = told["next"], told["received"]
        while "/uploads/" in address:
            answer = self.get(address.removeprefix(self.prefix))
            address = answer.headers.get("location", address)
        return address.split("/cases/")[1].split("/")[0]

    def count_seconds(self) -> float:
        """Return the CPU seconds of the program and of all that it started."""
        return sum(_list_seconds(self.process.pid, self.folder))


def _list_seconds(pid: int, folder: Path) -> Iterator[float]:
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            own = int(place.name) == pid
            if own or str(folder) in (place / "cmdline").read_bytes().decode(errors="replace"):
                fields = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
                yield sum(map(int, fields[11:15])) / TICKS  # its own, and those of children that have ended


def measure(walk: DeskWalk, work: str, act: Callable[[], object], plain: float | None = None) -> object:
    """Do something, and print what it costs."""
    begin, before = monotonic(), walk.count_seconds()
    outcome = act()
    waited, spent = monotonic() - begin, walk.count_seconds() - before
    budget = f"budget {BUDGETS[work]:.0f}" if work in BUDGETS else ""
    beside = "" if plain is None else f"plain Python {plain:7.1f} s CPU"
    print(f"{work:<24} {waited:8.2f} s waited {spent:8.2f} s CPU  {budget:<9} {beside}", flush=True)
    return outcome


def time_plainly(work: Callable[[], object]) -> float:
    """Return the CPU seconds of plain Python, as if it read all rows."""
    start = process_time()
    work()
    return PART * (process_time() - start)


def walk_path(walk: DeskWalk, file: Path, few: Path) -> None:
    """Walk from the drop to the release."""
    looked, counted = time_plainly(lambda: look_plainly(few)), time_plainly(lambda: count_plainly(few))
    name = str(measure(walk, "drop and look", lambda: walk.drop(file), looked))
    at = f"/cases/{name}"
    measure(walk, "page of the file", lambda: walk.await_page(f"{at}/file", without="Look again"))
    page = str(measure(walk, "alone on the keys", lambda: walk.await_page(f"{at}/risk", without="Look again"), counted))
    print("   ", re.findall(r'class="word">([^<]+)', page)[:1])
    keys = [key for key in KEYS if key != "marital"]
    version = re.findall(r'name="v" value="(\d+)"', page)[0]
    walk.post(f"{at}/risk/keys", {"v": version, "key": "other-keys", "known": keys})
    measure(walk, "other keys", lambda: walk.await_page(f"{at}/risk", without="Look again"))
    measure(walk, "who stands out", lambda: walk.await_page(f"{at}/risk/who", without="Show it"))
    version = re.findall(r'name="v" value="(\d+)"', walk.get(f"{at}/run").text)[0]

    def run() -> str:
        walk.post(f"{at}/run/start", {"v": version})
        return walk.await_page(f"{at}/decide", without="A run is under way")

    page = str(measure(walk, "run", run))
    print("   ", re.findall(r'class="word">([^<]+)', page)[:1])
    measure(walk, "release", lambda: walk.post(f"{at}/decide/release", {"v": version}))
    public = walk.folder / "cases" / name / "public"
    print("    public:", {path.name: path.stat().st_size for path in sorted(public.iterdir())})


def main() -> None:
    """Walk the path once."""
    parser = ArgumentParser(description="Time the desk from a drop to public.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", help="gigabytes that a job may take")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="sekisho-desk-path-") as name:
        text, few, file = (Path(name) / one for one in ("people.csv", "few.csv", "people.parquet"))
        write_people(text, options.rows)
        write_people(few, options.rows // PART)
        pl.read_csv(text, infer_schema_length=None, try_parse_dates=True).write_parquet(file)
        print(f"{options.rows:,} rows, {file.stat().st_size >> 20} MB of Parquet")
        walk = DeskWalk.start(Path(name) / "desk", *(["--memory", options.memory] if options.memory else []))
        try:
            walk_path(walk, file, few)
        finally:
            walk.process.terminate()
            walk.process.wait()


if __name__ == "__main__":
    main()
