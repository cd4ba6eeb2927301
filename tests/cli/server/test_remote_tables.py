"""A team of a contest of tables at a command line: parts, an archive, its choice, one file about all releases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.server.contest.conftest import make_database
from tests.server.contest.table_site import ENDINGS, MAKERS, TableSite, open_table_site, pack_parts

from sekisho.cli import status_of
from sekisho.seeds import Seed
from sekisho.server.contest.client import RefusedRequestError, Remote, save_remote

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[TableSite]:
    made = MAKERS["pwscup2025"](Seed(4).rng())
    with make_database(tmp_path) as url, open_table_site(tmp_path, url, made) as site:
        yield site


@pytest.fixture
def run(tables: TableSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `sekisho remote` as team ann, against a server in this process whose worker is never late."""

    def send(
        self: Remote, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        given = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        answer = tables.cup.client.request(method, path, content=body, headers=given)
        tables.cup.worker.drain()
        if answer.status_code >= 300:
            raise RefusedRequestError(answer.status_code, answer.json())
        return answer.content

    monkeypatch.setattr(Remote, "_send", send)
    config = tmp_path / "remote.json"
    save_remote(config, Remote(url="https://cup.example.org", token=tables.cup.tokens["ann"]))

    def command(*words: object) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = status_of(["remote", *map(str, words), "--config", str(config), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return command


def test_a_team_takes_part_by_commands(tables: TableSite, run: Run, tmp_path: Path) -> None:
    cup, files = tables.cup, tables.made.files["ann"]
    cup.open("anonymise", "final")
    assert run("download", "original", "--of", 2, "--out", tmp_path / "o.csv")[0] == 0
    assert b"member" not in (tmp_path / "o.csv").read_bytes()
    assert run("download", "original", "--out", tmp_path / "o.csv")[1]["errors"][0]["column"] == "number"
    given: list[object] = []
    for name, data in files.items():
        path = tmp_path / f"{name}{ENDINGS.get(name, '.csv')}"
        path.write_bytes(data)
        given += ["--part", f"{name}={path}"]
    status, entry = run("submit", *given, "--round", "final")
    assert (status, entry["status"], set(entry["files"])) == (0, "valid", {"choice", "released", "model"})
    (tmp_path / "release.zip").write_bytes(pack_parts(files))
    status, again = run("submit", "--released", tmp_path / "release.zip", "--round", "final")
    assert (status, again["status"], again["files"]) == (0, "valid", entry["files"])
    status, chosen = run("choose", entry["entry"])
    assert (status, chosen["counts_now"]) == (0, entry["entry"])
    assert run("choose", 9)[0] == 1
    assert run("submit", *given[:2], "--round", "final")[1]["errors"][0]["rule"] == "missing"
    assert run("submit", "--part", "released", "--round", "final")[0] == 2


def test_one_file_attacks_all(tables: TableSite, run: Run, tmp_path: Path) -> None:
    tables.play_until_attacks()
    (tmp_path / "all.csv").write_bytes(tables.widen("ann", spoiled=("eve",)))
    status, answer = run("submit", "--guess", tmp_path / "all.csv", "--round", "final")
    assert (status, answer["valid"]) == (1, False)
    assert {each["target"]: each["status"] for each in answer["entries"]} == {"bob": "valid", "eve": "invalid"}
    (tmp_path / "all.csv").write_bytes(tables.widen("ann", skipped=("eve",)))
    status, answer = run("submit", "--guess", tmp_path / "all.csv", "--round", "final")
    assert (status, answer["valid"], answer["missing"]) == (0, True, ["eve"])
    (tmp_path / "one.csv").write_bytes(tables.made.answer(Seed(1).rng(), "ann", "eve"))
    status, answer = run("submit", "--guess", tmp_path / "one.csv", "--target", "eve", "--round", "final")
    assert (status, answer["status"]) == (0, "valid")
