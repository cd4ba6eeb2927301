"""Small contests under the rules of 2023, 2024 and 2025 on a server; each team holds originals of its own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from tests.contest.tables.table_cups import (
    ROWS,
    TEAMS,
    TableCup,
    create_cup,
    draw_patients,
    make_2023,
    make_2024,
    read_rules,
    write_csv,
    write_stump,
)
from tests.server.contest.cup_site import FIRST, SECRET, Clock, CupSite, open_site

from sekisho.contest.answers.mark import MarkAnswer
from sekisho.contest.event import Opened, Registered
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.rules import PhaseKind, write_moment
from sekisho.data.files.zip_guard import pack_files
from sekisho.seeds import Seed
from sekisho.server.contest.auth.accounts import add_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest

ENDINGS = {"seed": ".txt", "choice": ".txt", "model": ".json"}


@dataclass(kw_only=True)
class TableSite:
    """A contest of tables on a server, and the files that its teams hand in."""

    cup: CupSite
    made: TableCup
    folder: Path

    def submit(self, team: str, files: Mapping[str, bytes], round_name: str = "final") -> int:
        """Hand a release in, which must be taken, and return its number."""
        answer = self.cup.call(team, "POST", "/api/v1/submissions", data={"round": round_name}, files=files)
        assert answer.status_code == 201, answer.text
        return answer.json()["entry"]

    def widen(self, team: str, skipped: tuple[str, ...] = (), spoiled: tuple[str, ...] = ()) -> bytes:
        """Return one file with a team's answers about all others: some left empty, some spoiled."""
        parts: list[list[str]] = []
        for target in sorted(TEAMS):
            lines = self.made.answer(Seed(5).child(f"{team} on {target}").rng(), team, target).decode().splitlines()
            empty = "," * lines[0].count(",")
            wrong = [f"x{line}" for line in lines]
            parts.append([empty] * len(lines) if target in (team, *skipped) else wrong if target in spoiled else lines)
        return "".join(",".join(cells) + "\n" for cells in zip(*parts, strict=True)).encode()

    def play_until_attacks(self) -> None:
        """Play the final up to the attacks: every team hands its release in, and all are published."""
        assert self.cup.open("anonymise", "final").status_code == 200
        for team in TEAMS:
            self.submit(team, self.made.files[team])
        self.cup.worker.drain()
        assert self.cup.open("publish", "final").status_code == 200
        self.cup.worker.drain()
        assert self.cup.open("attack", "final").status_code == 200

    def attack_all(self, team: str, data: bytes) -> dict[str, Any]:
        """Hand one file about all releases in, which must be taken, and return what the server says."""
        answer = self.cup.call(team, "POST", "/api/v1/attacks/all", data={"round": "final"}, files={"guess": data})
        assert answer.status_code == 201, answer.text
        self.cup.worker.drain()
        return answer.json()


def pack_parts(files: Mapping[str, bytes]) -> bytes:
    """Return the parts of a release as an archive with the names that it must have."""
    return pack_files({f"{name}{ENDINGS.get(name, '.csv')}": data for name, data in files.items()})


def make_2025_own(rng: np.random.Generator) -> TableCup:
    """Return a contest of 2025 in which each team has three originals, and picks one."""
    members, candidates = ROWS, 4 * ROWS
    rules = read_rules("pwscup2025", **{"most = 10000\nper = 100": f"most = {members}\nper = 0.6"})
    originals: dict[str, bytes] = {}
    files: dict[str, dict[str, bytes]] = {}
    for number, team in enumerate(TEAMS):
        held: list[pl.DataFrame] = []
        for place in range(1, 4):
            table = draw_patients(candidates, rng=rng)
            inside = np.zeros(candidates, dtype=np.int64)
            inside[rng.choice(candidates, size=members, replace=False)] = 1
            originals[f"{team}-{place}.csv"] = write_csv(table.with_columns(pl.Series("member", inside)))
            held.append(table.filter(pl.Series(inside == 1)))
        mine = held[number]
        files[team] = {
            "choice": f"{number + 1}\n".encode(),
            "released": write_csv(mine.with_columns(mine["mean_bmi"].shuffle(seed=number))),
            "model": write_stump(mine.columns),
        }

    def answer(draw: np.random.Generator, attacker: str, target: str) -> bytes:
        del attacker, target
        marks = MarkAnswer(rows=candidates, marked=members)
        return marks.form.write(pl.DataFrame({"mark": marks.draw(rng=draw).astype(np.int64).astype(str)}))

    return TableCup(rules=rules, originals=originals, files=files, answer=answer)


MAKERS: Mapping[str, Callable[[np.random.Generator], TableCup]] = {
    "pwscup2023": make_2023,
    "pwscup2024": make_2024,
    "pwscup2025": make_2025_own,
}


def begin_table_cup(made: TableCup, folder: Path) -> bytes:
    """Return the archive of a contest that has just begun."""
    create_cup(made, folder, at=write_moment(FIRST), secret=SECRET)
    return pack_contest(folder / "cup")


@contextmanager
def open_table_site(folder: Path, url: str, made: TableCup) -> Generator[TableSite]:
    """Open a server with a contest of tables whose teams are registered."""
    database, clock, tokens = Database(url), Clock(), dict[str, str]()
    upgrade_tables(database)
    archive = begin_table_cup(made, folder / "begun")
    import_contest(archive, database, Store(folder / "store"), folder / "vault", "cup")
    with ContestBook(database, "cup").write() as pen:
        pen.send(Opened(at=clock(), phase=PhaseKind.REGISTER))
        for team in TEAMS:
            pen.send(Registered(at=clock(), team=team))
        people = [("referee", AccountRole.REFEREE, ""), *((team, AccountRole.MEMBER, team) for team in TEAMS)]
        for name, role, team in people:
            tokens[name] = add_token(pen.session, pen.contest, role=role, label="", at=clock(), team=team)[1]
    database.close()
    with open_site(folder, url, {}, tokens) as cup:
        yield TableSite(cup=cup, made=made, folder=folder)
