"""The drill: what a backup holds is restored into an empty place, and the contest stands as it stood and goes on."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tests.server.contest.api_client import ApiClient
from tests.server.contest.conftest import make_database
from tests.server.contest.cup_site import CupSite

from sekisho.errors import FaultsError, InputError
from sekisho.server.contest.app import create_app
from sekisho.server.contest.backup import find_digest, restore_backup, write_backup
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.settings import WebSettings
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.worker import Worker


def test_a_restored_server_stands_as_it_stood_and_goes_on(cup: CupSite, tmp_path: Path) -> None:
    cup.play()
    standings = cup.call("", "GET", "/api/v1/standings").json()
    digests = write_backup(cup.worker.database, cup.worker.store, tmp_path / "backup.zip")
    assert digests == {"cup": standings["digest"]}
    with make_database(tmp_path / "restored") as url:
        database, store = Database(url), Store(tmp_path / "restored" / "store")
        assert restore_backup(tmp_path / "backup.zip", database, store) == digests
        assert ContestBook(database, "cup").export_lines() == cup.site.book.export_lines()
        app = create_app(WebSettings(database=url, store=store.folder, limits=cup.site.settings.limits), cup.clock)
        client = ApiClient(app)
        headers = {"Authorization": f"Bearer {cup.tokens['referee']}"}
        assert client.request("GET", "/api/v1/standings").json() == standings
        answer = client.request("POST", "/api/v1/rejudgings", json={"name": "again"}, headers=headers)
        assert answer.status_code == 201, answer.text  # new rows find numbers that are free
        worker = Worker(database=database, store=store, vault=cup.vault, clock=cup.clock)
        assert worker.drain() == 16
        assert client.request("GET", "/api/v1/rejudgings/again", headers=headers).json()["differences"] == []
        with pytest.raises(InputError, match="is in use"):
            restore_backup(tmp_path / "backup.zip", database, store)
        app.state.site.database.close()
        database.close()


def test_a_backup_is_its_owners_and_is_not_written_over(cup: CupSite, tmp_path: Path) -> None:
    write_backup(cup.worker.database, cup.worker.store, tmp_path / "backup.zip")
    assert (tmp_path / "backup.zip").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="cannot be written: file exists"):
        write_backup(cup.worker.database, cup.worker.store, tmp_path / "backup.zip")


def test_a_backup_that_was_changed_is_noticed(cup: CupSite, tmp_path: Path) -> None:
    cup.open("practice")
    cup.submit("raw", cup.materials["raw"], round_name="practice")
    write_backup(cup.worker.database, cup.worker.store, tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    spoilt = next(name for name in files if name.startswith("files/"))
    with zipfile.ZipFile(tmp_path / "spoilt.zip", "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data + b"more" if name == spoilt else data)
    with make_database(tmp_path / "restored") as url:
        database = Database(url)
        with pytest.raises(FaultsError, match="is not what its name says"):
            restore_backup(tmp_path / "spoilt.zip", database, Store(tmp_path / "restored" / "store"))
        database.close()


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06" + b"\x00" * 18])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(InputError, match="is no backup"):
        restore_backup(tmp_path / "a.zip", Database(f"sqlite:///{tmp_path / 'a.sqlite3'}"), Store(tmp_path / "s"))


def test_the_digest_is_computed_from_the_ledger(cup: CupSite) -> None:
    before = find_digest(cup.worker.database, "cup")
    cup.play()
    assert find_digest(cup.worker.database, "cup") != before
