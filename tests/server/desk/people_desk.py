"""A desk with a case of made-up people, a page that is asked for until it is counted, and forms as its pages send them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from time import monotonic, sleep

import httpx
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.seeds import Seed
from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.plain_data import write_plain
from sekisho.server.desk.runs.orders import FAILURE, ORDER, RunOrder
from sekisho.server.desk.settings import Desk

WORK = ("office", "sales", "driver", "nurse", "cook")
PEOPLE, PATIENCE = 240, 300.0


def make_people() -> list[dict[str, str]]:
    """Return made-up people."""
    rng = Seed(11).rng()
    return [
        {
            "id": f"P{number:04}",
            "birth_date": str(date(1950, 1, 1) + timedelta(days=int(rng.integers(0, 9000)))),
            "sex": "MF"[rng.integers(2)],
            "postcode": f"1{5 + rng.integers(2)}{rng.integers(3)}-00{rng.integers(3)}1",
            "occupation": WORK[rng.integers(5)],
            "illness": ("none", "asthma", "flu")[rng.integers(3)],
        }
        for number in range(PEOPLE)
    ]


def write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    """Write rows as a file, and return where it is."""
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def lack_memory(case: Case) -> None:
    """Leave a run of the current version that ended for lack of memory."""
    order = RunOrder.of(
        case=case.name,
        recipe=case.versions.read().recipe,
        runs=case.runs,
        steps=case.steps,
        original=case.original.sha256,
    )
    order.folder.mkdir(parents=True)
    write_plain({order.folder / ORDER: order.pack(), order.folder / FAILURE: {"key": "memory"}})


def count_alone_slowly(rows: Sequence[Mapping[str, str]], keys: Sequence[str]) -> int:
    """Return how many rows no other agrees with."""
    classes = Counter(tuple(row[key] for key in keys) for row in rows)
    return sum(size == 1 for size in classes.values())


class PeopleDesk:
    """A desk with one case."""

    def __init__(self, folder: Path, file: Path) -> None:
        self.client: DeskClient = open_desk(folder / "state")
        self.case: Case = DeskFolder(folder / "state").create(file)
        self.at = f"/cases/{self.case.name}"

    def close(self) -> None:
        """End the counting process."""
        desk: Desk = self.client.app.state.desk
        desk.counters.close()

    def show(self, path: str, status: int = 200) -> str:
        """Return a page of the case, once it is counted."""
        end, waiting = monotonic() + PATIENCE, "Show it" if "who" in path else "Look again"
        while True:
            answer = self.client.send("GET", self.at + path)
            assert answer.status_code == status, answer.text
            if waiting not in answer.text or monotonic() > end:
                return unescape(answer.text)
            sleep(0.2)

    def post(
        self,
        path: str,
        data: Mapping[str, str | list[str]],
        files: Mapping[str, tuple[str, bytes]] | None = None,
        *,
        version: int | None = None,
    ) -> httpx.Response:
        """Send a form of the case, made from its current version."""
        based_on = str(self.case.versions.head if version is None else version)
        return self.client.post(self.at + path, {"v": based_on, **data}, files)

    @property
    def recipe(self) -> str:
        """The recipe of the current version."""
        return self.case.versions.read().files["recipe.toml"].decode()

    def read_file(self, name: str) -> str:
        """Return a file of the current version."""
        return self.case.versions.read().files[name].decode()


def list_figures(page: str) -> list[list[int]]:
    """Return the ladder of a page: values, classes and people alone of each step."""
    table = page[page.index('<table class="ladder by-step">') :]
    rows = re.findall(r'<tr[^>]*><th scope="row">.*?</tr>', table[: table.index("</table>")], re.DOTALL)
    figures = [re.findall(r'<td class="number">([\d,]+)</td>', row) for row in rows]
    return [[int(figure.replace(",", "")) for figure in row] for row in figures]
