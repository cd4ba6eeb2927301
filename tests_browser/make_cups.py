"""A small contest of 2023, 2024 or 2025 rules for the browser: its archive, and the files that two teams hand in.

::

    PYTHONPATH=. .venv/bin/python tests_browser/make_cups.py pwscup2024 OUT

Writes OUT/cup.zip, for `sekisho worker --import`; of each team OUT/TEAM/ with the parts of its release, an archive of
them (`release.zip`), the same with an error (`wrong.zip`), and its attacks on all in one file (`attacks.csv`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.contest.tables.table_cups import TEAMS
from tests.server.contest.table_site import ENDINGS, MAKERS, pack_parts

from sekisho.cli import status_of
from sekisho.seeds import Seed

PLAYERS = TEAMS[:2]


def make_cup(like: str, out: Path) -> None:
    """Write a contest of one round, with the sizes of its originals, and what its teams hand in."""
    made = MAKERS[like](Seed(4).rng())
    (out / "originals").mkdir(parents=True)
    for name, data in made.originals.items():
        (out / "originals" / name).write_bytes(data)
    shared = out / "originals" / "original.csv"
    original = shared if shared.is_file() else out / "originals"
    (out / "like.toml").write_text(made.rules, encoding="utf-8")
    run(
        "contest", "init", "--like", out / "like.toml", "--name", "small", "--round", "final=1", "--out", out / "r.toml"
    )
    run("contest", "new", out / "cup", "--rules", out / "r.toml", "--original", f"final={original}")
    run("contest", "export", out / "cup", "--out", out / "cup.zip")
    for place, team in enumerate(PLAYERS):
        files, folder = made.files[team], out / team
        folder.mkdir()
        for name, data in files.items():
            (folder / f"{name}{ENDINGS.get(name, '.csv')}").write_bytes(data)
        (folder / "release.zip").write_bytes(pack_parts(files))
        table = next(name for name in files if name not in ENDINGS)
        (folder / "wrong.zip").write_bytes(pack_parts({**files, table: files[table] + b"one,line,more\n"}))
        lines = made.answer(Seed(6).child(team).rng(), team, PLAYERS[1 - place]).decode().splitlines()
        empty = "," * lines[0].count(",")
        sides = [f"{empty},{line}" if place == 0 else f"{line},{empty}" for line in lines]
        (folder / "attacks.csv").write_text("\n".join(sides) + "\n", encoding="utf-8")


def run(*words: object) -> None:
    """Run a command, which must end well."""
    status = status_of(list(map(str, words)))
    if status:
        raise SystemExit(f"{' '.join(map(str, words))}: status {status}")


if __name__ == "__main__":
    make_cup(sys.argv[1], Path(sys.argv[2]))
