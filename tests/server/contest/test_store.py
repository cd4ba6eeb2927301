"""A file is kept whole under its digest, or not at all; what a crash left is swept."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from sekisho.errors import FaultsError
from sekisho.server.contest.store import STALE_SECONDS, Store


def test_a_file_is_kept_once_under_its_digest(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = store.receive([b"ab", b"c"], name="x", most_bytes=3)
    assert not store.find(first.digest).exists()
    store.keep(first)
    assert store.keep_bytes(b"abc") == first.digest == sha256(b"abc").hexdigest()
    assert store.find(first.digest).read_bytes() == b"abc"
    assert list(store.list_digests()) == [first.digest]


def test_a_file_above_the_limit_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(FaultsError, match="larger than 3 bytes"):
        store.receive([b"ab", b"cd"], name="x", most_bytes=3)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_a_crash_left_is_swept_and_what_arrives_is_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    old = store.receive([b"a"], name="x", most_bytes=3)
    new = store.receive([b"b"], name="x", most_bytes=3)
    past = new.path.stat().st_mtime - STALE_SECONDS - 1
    os.utime(old.path, (past, past))
    assert store.sweep() == 1
    assert (old.path.exists(), new.path.exists()) == (False, True)


def test_sweeping_does_not_mind_what_is_kept_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    received = store.receive([b"a"], name="x", most_bytes=3)
    listed = list(received.path.parent.iterdir())
    store.keep(received)  # as another process does, between the listing and the look at each file

    def list_earlier(folder: Path) -> list[Path]:
        del folder
        return listed

    monkeypatch.setattr(Path, "iterdir", list_earlier)
    assert store.sweep() == 0
