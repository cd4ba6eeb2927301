"""An archive from elsewhere must not harm: no name that leads out, no link, bomb, overlap or content that was changed."""

from __future__ import annotations

import io
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.contest.folder.cup import RULES, draw_history

from sekisho.contest.folder import archive
from sekisho.contest.folder.archive import pack_contest, place_contest, unpack_contest, write_contest
from sekisho.contest.folder.live import create_contest, read_contest
from sekisho.data.history.files import write_original
from sekisho.errors import FaultsError, InputError
from sekisho.seeds import Seed

AT = "2026-01-01T00:00:00.000000Z"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("cup")
    (folder / "T.csv").write_bytes(write_original(draw_history(), RULES))
    originals = dict.fromkeys(RULES.contest.round_names, folder / "T.csv")
    create_contest(folder / "cup", "pwscup2018", originals, at=AT, first_day="", secret=Seed(3))
    return pack_contest(folder / "cup")


def rewrite(data: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Return an archive whose files were changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        files = {name: source.read(name) for name in source.namelist()}
    change(files)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return stream.getvalue()


def test_a_contest_comes_back_as_it_left(packed: bytes, tmp_path: Path) -> None:
    place_contest(unpack_contest(packed, "cup.zip"), tmp_path / "cup")
    assert pack_contest(tmp_path / "cup") == packed
    assert read_contest(tmp_path / "cup").secret == Seed(3)
    assert (tmp_path / "cup" / "truth").stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="is in use"):
        place_contest(unpack_contest(packed, "cup.zip"), tmp_path / "cup")


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "rounds/../x", "a\\b", "files/x", "truth/a/b/c", "x.py", ".csv/../y"]
)
def test_a_name_that_is_none_of_a_contest_is_refused(packed: bytes, name: str) -> None:
    with pytest.raises(FaultsError, match="is no file of a contest"):
        unpack_contest(rewrite(packed, lambda files: files.update({name: b"x"})), "cup.zip")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("ledger.jsonl", None, "ledger.jsonl is missing"),
        ("rules.toml", b"x", "rules.toml is not what the ledger says"),
        ("rounds/final/original.csv", b"x", "the original of round final"),
        (f"files/{'0' * 64}", b"x", "is not what its name says"),
    ],
)
def test_what_the_ledger_does_not_say_is_refused(packed: bytes, name: str, content: bytes | None, words: str) -> None:
    def change(files: dict[str, bytes]) -> None:
        files.pop(name, None)
        files |= {} if content is None else {name: content}

    with pytest.raises(FaultsError, match=words):
        unpack_contest(rewrite(packed, change), "cup.zip")


def test_a_changed_line_of_the_ledger_is_refused(packed: bytes) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["ledger.jsonl"] = files["ledger.jsonl"].replace(b"pwscup2018", b"pwscup2019")

    with pytest.raises(InputError, match="line 1 does not continue the chain"):
        unpack_contest(rewrite(packed, change), "cup.zip")


def test_links_doubles_and_bombs_are_refused(packed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO(packed)
    with zipfile.ZipFile(stream, "a") as target:
        link = zipfile.ZipInfo("R.csv")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        target.writestr(link, "/etc/passwd")
    with pytest.raises(FaultsError, match="is a link"):
        unpack_contest(stream.getvalue(), "cup.zip")
    stream = io.BytesIO(packed)
    with zipfile.ZipFile(stream, "a") as target, pytest.warns(UserWarning, match="Duplicate name"):
        target.writestr("rules.toml", "x")
    with pytest.raises(FaultsError, match="comes twice"):
        unpack_contest(stream.getvalue(), "cup.zip")
    monkeypatch.setattr(archive, "MOST_RATIO", 2)
    with pytest.raises(FaultsError, match="unpacks to"):
        unpack_contest(rewrite(packed, lambda files: files.update({"R.csv": b"0" * 1_000_000})), "cup.zip")


def test_entries_that_overlap_are_refused(packed: bytes) -> None:
    """Two names for the same bytes: the directory's second entry points at the first one's header."""
    data = bytearray(rewrite(packed, lambda files: files.update({"A.csv": b"x" * 50, "B.csv": b"x" * 50})))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as source:
        first = source.getinfo("A.csv").header_offset
    place = data.rindex(b"B.csv") - 4  # in the directory the offset of the header stands just before the name
    data[place : place + 4] = first.to_bytes(4, "little")
    with pytest.raises(FaultsError, match="overlaps"):
        unpack_contest(bytes(data), "cup.zip")


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no zip at all"])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="no archive"):
        unpack_contest(data, "cup.zip")


def test_a_cut_or_flipped_archive_never_crashes(packed: bytes) -> None:
    for cut in range(0, len(packed), len(packed) // 60):
        with pytest.raises((InputError, FaultsError)):
            unpack_contest(packed[:cut], "cup.zip")
    for place in range(0, len(packed), len(packed) // 200):
        data = bytearray(packed)
        data[place] ^= 0xFF
        try:
            assert unpack_contest(bytes(data), "cup.zip")
        except (InputError, FaultsError):
            continue


def test_a_large_contest_is_packed_with_no_more_than_a_file_in_memory(tmp_path: Path, packed: bytes) -> None:
    place_contest(unpack_contest(packed, "cup.zip"), tmp_path / "cup")
    rng = Seed(3).rng()
    (tmp_path / "cup" / "result").mkdir(exist_ok=True)
    for number in range(24):
        (tmp_path / "cup" / "result" / f"{number}.csv").write_bytes(rng.bytes(1 << 20))
    with (tmp_path / "cup.zip").open("wb") as stream:
        tracemalloc.start()
        write_contest(tmp_path / "cup", stream)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 12 << 20
    assert (tmp_path / "cup.zip").stat().st_size > 24 << 20
    assert unpack_contest((tmp_path / "cup.zip").read_bytes(), "cup.zip")
