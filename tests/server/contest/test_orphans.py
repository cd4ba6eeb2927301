"""A file that a crash left without an entry goes after a while; nothing that anybody refers to ever does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.server.contest.cup_site import CupSite

from sekisho.server.contest.orphans import ASIDE_SECONDS, GONE_SECONDS, list_references, sweep_orphans
from sekisho.server.contest.store import Store


def age_all(store: Store, seconds: float) -> None:
    moment = time.time() - seconds
    for path in store.folder.glob("files/??/*"):
        os.utime(path, (moment, moment))


def test_only_old_files_without_a_reference_are_set_aside(cup: CupSite) -> None:
    cup.play()
    store, before = cup.site.store, set(cup.site.store.list_digests())
    assert before <= list_references(cup.site.database)  # everything that a contest keeps is named somewhere
    old, young = store.keep_bytes(b"left by a crash"), b"left by a crash just now"
    age_all(store, ASIDE_SECONDS + 60)
    latest = store.keep_bytes(young)
    assert sweep_orphans(cup.site.database, store) == 1
    assert set(store.list_digests()) == before | {latest}
    assert (store.folder / "orphans" / old).read_bytes() == b"left by a crash"
    assert sweep_orphans(cup.site.database, store) == 0


def test_a_file_that_is_kept_again_is_young(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    store = cup.site.store
    digest = store.keep_bytes(b"again")
    age_all(store, ASIDE_SECONDS + 60)
    store.keep_bytes(b"again")
    assert sweep_orphans(cup.site.database, store) == 0
    assert store.find(digest).is_file()


def test_nothing_is_touched_where_the_database_is_of_another_store(cup: CupSite, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    digest = other.keep_bytes(b"of somebody else")
    age_all(other, ASIDE_SECONDS + 60)
    assert sweep_orphans(cup.site.database, other) == 0
    assert other.find(digest).is_file()


def test_what_was_set_aside_long_ago_is_gone(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    store = cup.site.store
    digest = store.keep_bytes(b"left")
    age_all(store, ASIDE_SECONDS + 60)
    sweep_orphans(cup.site.database, store)
    place = store.folder / "orphans" / digest
    now = time.time()
    monkeypatch.setattr("sekisho.server.contest.orphans.time.time", lambda: now + GONE_SECONDS - 60)
    sweep_orphans(cup.site.database, store)
    assert place.is_file()
    monkeypatch.setattr("sekisho.server.contest.orphans.time.time", lambda: now + GONE_SECONDS + 60)
    sweep_orphans(cup.site.database, store)
    assert not place.exists()
