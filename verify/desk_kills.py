"""The desk killed at twenty random moments between a dropped file and its release: nothing is lost, nothing is half.

A person's path is walked over HTTP as her browser would: drop a file in pieces, wait for its look, change the keys six
times, run, decide, release, download. At moments drawn over the time that an undisturbed path takes, one of four is
killed with SIGKILL: the web process, the counting process, the process of a run with its group, or the browser (which
here is a connection that nobody reads any more, and a new one that comes in by the bell). Whatever is killed, the same
path is gone on with. After every kill ``public`` is empty or complete with a valid certificate, and every version that
the log names is whole; no page arrives in part; at the end there is each change once, and the release and its page are
the bytes that the command makes of the same recipe without a disturbance.

Prints the moments. ``python verify/desk_kills.py --kills 20 --seed 1``
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic, sleep
from zipfile import ZipFile

import httpx

from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.certificate.document import Certificate
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed
from sekisho.server.desk.arrivals import write_people
from sekisho.server.desk.cases import Case
from sekisho.server.desk.entry import COOKIE
from sekisho.server.desk.versions import TIME

KILLS, ROUND = 20, 4
EDITS, PIECE, PATIENCE = 6, 9_000, 180.0
VICTIMS = ("web", "counter", "run", "browser")
PROGRAMS = {"counter": "sekisho.server.desk.counting.process", "run": "sekisho.server.desk.runs.run_process"}
SENT = write_people()
KEYS = ("sex", "age", "race", "schooling", "marital", "activity")
FILES = {"release.csv", "report.html", "certificate.json"}
GONE = (httpx.TransportError, httpx.StreamError)


class LostError(Exception):
    """Something is lost, doubled, half or wrong."""


class KilledError(Exception):
    """Somebody was killed while a step was taken: it is taken again."""


@dataclass
class DeskProgram:
    """The program ``sekisho desk`` of a folder; started again whenever it was killed."""

    folder: Path
    process: subprocess.Popen[str] | None = None

    def open(self) -> Path:
        """Return the page that leads in: of a new program, or by the bell of the one that runs."""
        words = [sys.executable, "-m", "sekisho", "desk", "--folder", str(self.folder), "--no-browser", "--json"]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        told = json.loads(line) if line else {}
        if told.get("first"):
            self.process = process
        else:
            process.wait(PATIENCE)
        if "page" not in told:
            raise KilledError
        return Path(told["page"])

    def find(self, kind: str) -> int | None:
        """Return the number of a process of this desk."""
        if kind == "web":
            return None if self.process is None or self.process.poll() is not None else self.process.pid
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = place.read_bytes().decode(errors="replace").split("\0")
                if PROGRAMS[kind] in words and any(word.startswith(str(self.folder)) for word in words):
                    return int(place.parent.name)
        return None

    def kill(self, kind: str) -> bool:
        """Kill a process and what it started; tell whether there was one."""
        number = self.find(kind)
        if number is None:
            return False
        with suppress(ProcessLookupError):
            os.killpg(number, signal.SIGKILL) if kind == "run" else os.kill(number, signal.SIGKILL)
        if kind == "web" and self.process is not None:
            self.process.wait()
        return True

    def close(self) -> None:
        """End everything of this desk."""
        for kind in ("web", "run", "counter"):
            while self.kill(kind):
                sleep(0.05)


@dataclass
class Person:
    """Whoever walks the path: knows what was acknowledged, and nothing else."""

    desk: DeskProgram
    broken: Event = field(default_factory=Event)
    prefix: str = ""
    token: str = ""
    case: str = ""
    acknowledged: int = 0
    _client: httpx.Client | None = None

    @property
    def folder(self) -> Path:
        """Of the case."""
        return self.desk.folder / "cases" / self.case

    def come_in(self) -> None:
        """Come in, or come in again."""
        text = self.desk.open().read_text(encoding="utf-8")
        origin = re.findall(r'action="(http://[^/"]+)', text)[0]
        secret = re.findall(r'name="secret" value="([^"]+)"', text)[0]
        client = httpx.Client(timeout=30.0, headers={"sec-fetch-site": "same-origin", "origin": origin})
        answer = client.post(
            f"{origin}/open", data={"secret": secret}, headers={"origin": "null", "sec-fetch-site": "cross-site"}
        )
        self.prefix = origin + re.findall(r"/s/[\w-]+", answer.headers["refresh"])[0]
        cookie = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
        client.cookies.clear()
        client.headers["cookie"] = f"{COOKIE}={cookie}"
        self._client = client
        self.broken.clear()
        page = self.get("/")
        self.token = re.findall(r'name="token" value="([^"]+)"', page.text)[0]

    def _send(self, method: str, path: str, **sent: object) -> httpx.Response:
        if self._client is None:
            raise KilledError
        if self.broken.is_set():  # the browser dies: what it asks arrives, and nobody reads the answer
            with suppress(*GONE):
                self._client.request(method, self.prefix + path, timeout=0.01, **sent)  # type: ignore[arg-type]
            self._client.close()
            self._client = None
            raise KilledError
        try:
            answer = self._client.request(method, self.prefix + path, **sent)  # type: ignore[arg-type]
        except GONE as error:
            self._client = None
            raise KilledError from error
        kind = answer.headers.get("content-type", "")
        if answer.status_code >= 500 and answer.status_code != 503:
            raise LostError(f"{method} {path}: {answer.status_code}")
        if kind.startswith("text/html") and answer.text and not answer.text.rstrip().endswith("</html>"):
            raise LostError(f"{method} {path}: half a page")
        return answer

    def get(self, path: str) -> httpx.Response:
        """Ask for a page."""
        return self._send("GET", path)

    def post(self, path: str, data: Mapping[str, str | list[str]]) -> httpx.Response:
        """Send a form."""
        return self._send("POST", path, data={"token": self.token, **data})

    def walk(self) -> Iterator[str]:
        """Take the path step by step; each gives its name, and is taken again if somebody was killed meanwhile."""
        for name, step in (
            ("drop", self._drop),
            *((f"edit {number}", lambda number=number: self._edit(number)) for number in range(1, EDITS + 1)),
            ("look", self._look),
            ("run", self._run),
            ("release", self._release),
        ):
            yield name
            while True:
                try:
                    if self._client is None:
                        self.come_in()
                    step()
                    break
                except KilledError:
                    sleep(0.05)
                except GONE:
                    self._client = None

    def _drop(self) -> None:
        ask, end = f"/upload?name=people.csv&size={len(SENT)}&changed=1", monotonic() + PATIENCE
        while monotonic() < end:
            cases = [path.name for path in (self.desk.folder / "cases").glob("[!.]*")]
            if cases:
                self.case = cases[0]
                return
            received = self.get(ask).json()["received"]
            if received == len(SENT):  # whole: its page looks at it, and leads to the case
                for place in (self.desk.folder / "uploads").glob("*/.upload.json"):
                    self.get(f"/uploads/{place.parent.name}")
            else:
                headers = {"x-desk-token": self.token, "x-desk-offset": str(received)}
                self._send("POST", ask, content=SENT[received : received + PIECE], headers=headers)
        raise LostError("the file never became a case")

    def _edit(self, number: int) -> None:
        page = self.get(f"/cases/{self.case}/risk")
        keys = [unescape(name) for name in re.findall(r'name="known" id="[^"]+" value="([^"]+)"', page.text)]
        wanted = [key for key in KEYS if key in keys and (number % 2 == 0 or key != KEYS[-1])]
        form = {"v": str(number), "key": f"edit-{self.case}-{number}", "step": "risk", "known": wanted}
        answer = self.post(f"/cases/{self.case}/risk/keys", form)
        if answer.status_code not in {200, 303}:
            raise LostError(f"edit {number}: {answer.status_code}")
        if Case.read(self.folder).versions.head != number + 1:
            raise LostError(f"edit {number} was acknowledged and is not there")
        self.acknowledged = number

    def _look(self) -> None:
        for page in ("file", "risk", "trees", "versions", "run"):
            if self.get(f"/cases/{self.case}/{page}").status_code != 200:
                raise LostError(page)

    def _run(self) -> None:
        end, version = monotonic() + PATIENCE, str(Case.read(self.folder).versions.head)
        while monotonic() < end:
            page = self.get(f"/cases/{self.case}/decide").text
            if "THIS MAY LEAVE" in page:
                return
            if "A run is under way" not in page:  # never begun, or interrupted: go on
                self.post(f"/cases/{self.case}/run/start", {"v": version})
            sleep(0.2)
        raise LostError("the run never came to an end")

    def _release(self) -> None:
        version = str(Case.read(self.folder).versions.head)
        self.post(f"/cases/{self.case}/decide/release", {"v": version})
        answer = self.get(f"/cases/{self.case}/public.zip")
        with ZipFile(BytesIO(answer.content)) as archive:
            if set(archive.namelist()) != FILES or archive.testzip() is not None:
                raise LostError("public.zip")


def check_disk(person: Person) -> None:
    """See that what may leave is complete or not there, and that every acknowledged version is whole."""
    if not person.case or not person.folder.exists():
        return
    names = {path.name for path in (person.folder / "public").iterdir()}
    if names and names != FILES:
        raise LostError(f"public holds {sorted(names)}")
    if names and not verify_certificate(person.folder / "public" / "certificate.json").valid:
        raise LostError("public is not what was judged")
    if person.acknowledged:
        made = {version.number for version in Case.read(person.folder).versions.list()}
        if not made >= set(range(1, person.acknowledged + 2)):
            raise LostError(f"of {person.acknowledged} acknowledged changes versions {sorted(made)} are left")


def check_end(person: Person, folder: Path) -> dict[str, str]:
    """See that each change is there once, and that the release is the one of the command; return its digests."""
    case = Case.read(person.folder)
    numbers = [version.number for version in case.versions.list()]
    if numbers != list(range(1, EDITS + 2)) or case.versions.head != EDITS + 1:
        raise LostError(f"versions {numbers}, current {case.versions.head}")
    made = Certificate.read(case.public / "certificate.json").made
    os.environ["SOURCE_DATE_EPOCH"] = str(int(datetime.strptime(made, TIME).replace(tzinfo=UTC).timestamp()))
    result = pass_gate(case.versions.read().recipe, out=folder)
    for name in FILES - {"certificate.json"}:
        if (case.public / name).read_bytes() != result.public[name]:
            raise LostError(f"{name} is not what an undisturbed run makes")
    return {name: sha256(result.public[name]).hexdigest()[:16] for name in sorted(FILES - {"certificate.json"})}


@dataclass
class Hunt:
    """Kills at given moments of a path, each counted from the path's begin."""

    person: Person
    kills: tuple[tuple[float, str], ...]
    step: str = ""
    over: Event = field(default_factory=Event)
    moments: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def hunt(self) -> None:
        """Kill until the path is over; whom there is nobody of is waited for."""
        begin = monotonic()
        for moment, victim in self.kills:
            while monotonic() < begin + moment and not self.over.is_set():
                sleep(0.005)
            while not self.over.is_set() and not self._kill(victim):
                sleep(0.005)
            if self.over.is_set():
                return
            self.moments.append(f"{monotonic() - begin:6.2f} s, at {self.step!r}: {victim}")
            try:
                check_disk(self.person)
            except (LostError, OSError, ValueError) as error:
                self.wrong.append(f"after a kill of {victim} at {self.step!r}: {error}")

    def _kill(self, victim: str) -> bool:
        if victim == "browser":
            self.person.broken.set()
            return True
        return self.person.desk.kill(victim)


def walk_path(place: Path, kills: tuple[tuple[float, str], ...]) -> tuple[Hunt, float, dict[str, str]]:
    """Walk one path under a hunt; return the hunt, how long the path took, and the digests of its release."""
    desk = DeskProgram(folder=place / "desk")
    person = Person(desk=desk)
    hunt = Hunt(person=person, kills=kills)
    hunter, begin = Thread(target=hunt.hunt), monotonic()
    hunter.start()
    try:
        for name in person.walk():
            hunt.step = name
        seconds = monotonic() - begin
        hunt.over.set()
        hunter.join()
        check_disk(person)
        digests = check_end(person, place / "command")
    finally:
        hunt.over.set()
        hunter.join()
        desk.close()
    return hunt, seconds, digests


def main() -> int:
    """Run the campaign; status 1 if anything was lost."""
    parser = ArgumentParser(description="Kill the desk at random moments.")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, done, wrong, path = Seed(options.seed).rng(), 0, list[str](), 0
    with TemporaryDirectory(prefix="sekisho-desk-kills-") as name:
        _, seconds, digests = walk_path(Path(name) / "undisturbed", ())
        print(f"undisturbed: {seconds:.1f} s, {digests}", flush=True)
        while done < options.kills and path < 3 * options.kills:
            path += 1
            count = min(ROUND, options.kills - done)
            moments = sorted(rng.uniform(0.0, seconds, count).tolist())
            victims = [VICTIMS[place] for place in rng.integers(0, len(VICTIMS), count).tolist()]
            try:
                hunt, took, digests = walk_path(Path(name) / f"path-{path}", tuple(zip(moments, victims, strict=True)))
            except LostError as error:
                wrong.append(f"path {path}: {error}")
                print(wrong[-1], flush=True)
                done += count
                continue
            done, seconds = done + len(hunt.moments), min(seconds, took)
            wrong += hunt.wrong
            for moment in hunt.moments:
                print(f"path {path}: killed after {moment}", flush=True)
            print(f"path {path}: released after {took:.1f} s, {digests}; wrong: {hunt.wrong or 'nothing'}", flush=True)
    print(json.dumps({"kills": done, "paths": path, "wrong": len(wrong), "seed": options.seed}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
