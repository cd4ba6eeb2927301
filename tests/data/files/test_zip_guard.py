"""An archive from a stranger must unpack to the wanted files, or be refused before it costs anything."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.zip_guard import ExactNames, ZipLimits, blame_archive, is_zip, read_zip
from sekisho.errors import Fault, FaultsError

NAMES = ("released.csv", "deleted.csv")
LIMITS = ZipLimits(most_bytes=1 << 20, most_ratio=200)


def pack(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return stream.getvalue()


def unpack(data: bytes, limits: ZipLimits = LIMITS) -> dict[str, bytes]:
    def take(name: str, pieces: Iterator[bytes]) -> bytes:
        del name
        return b"".join(pieces)

    return read_zip(io.BytesIO(data), ExactNames(NAMES), limits, take)


def entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
    return info


def rename(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return an archive with a name of the same length in both places that hold it."""
    assert len(old) == len(new)
    return data.replace(old, new)


def overlap(count: int = 2, size: int = 100_000) -> bytes:
    """Return an archive whose entries share one stream of bytes, as David Fifield's bombs do."""
    content = b"0" * size
    packed = zlib.compress(content, 9)[2:-4]
    head = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 33, zlib.crc32(content), len(packed), size, 12, 0)
    body = head + b"released.csv" + packed
    directory = b""
    for name in (b"released.csv", b"deleted.csv")[:count]:
        directory += struct.pack(
            "<4s6H3L5H2L",
            b"PK\x01\x02",
            20,
            20,
            0,
            8,
            0,
            33,
            zlib.crc32(content),
            len(packed),
            size,
            len(name),
            0,
            0,
            0,
            0,
            0,
            0,
        )
        directory += name
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end


def encrypt(data: bytes) -> bytes:
    """Return an archive that says that its first entry is encrypted."""
    changed = bytearray(data)
    changed[6] |= 1
    changed[changed.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def lie_about_size(data: bytes, size: int) -> bytes:
    """Return an archive whose directory says another unpacked size of its first entry."""
    changed = bytearray(data)
    place = changed.index(b"PK\x01\x02") + 24
    changed[place : place + 4] = struct.pack("<L", size)
    return bytes(changed)


def comment(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[-2:] = struct.pack("<H", 3)
    return bytes(changed) + b"abc"


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "no archive": (lambda: b"customer,date\n1,2\n" * 9, "zip"),
    "empty": (lambda: b"", "zip"),
    "cut": (lambda: pack(("released.csv", b"1,2\n" * 99))[:-30], "zip"),
    "other name": (lambda: pack(("A.csv", b"1")), "name"),
    "parent": (lambda: pack(("../released.csv", b"1")), "name"),
    "absolute": (lambda: pack(("/released.csv", b"1")), "name"),
    "folder": (lambda: pack(("a/released.csv", b"1")), "name"),
    "folder entry": (lambda: pack(("released.csv/", b"")), "name"),
    "backslash": (lambda: rename(pack(("a_released.csv", b"1")), b"a_rel", b"a\\rel"), "name"),
    "NUL in the name": (lambda: rename(pack(("released.csvx", b"1")), b"csvx", b"csv\x00"), "name"),
    "capital letters": (lambda: pack(("Released.csv", b"1")), "name"),
    "twice": (lambda: rename(pack(("released.csv", b"1"), ("releasee.csv", b"2")), b"releasee", b"released"), "name"),
    "link": (lambda: pack((entry("released.csv", stat.S_IFLNK | 0o777), b"/etc/passwd")), "link"),
    "pipe": (lambda: pack((entry("released.csv", stat.S_IFIFO | 0o600), b"")), "link"),
    "encrypted": (lambda: encrypt(pack(("released.csv", b"1"))), "encryption"),
    "lzma": (lambda: pack(("released.csv", b"1" * 99), method=zipfile.ZIP_LZMA), "method"),
    "too many": (lambda: pack(*((f"{n}.csv", b"") for n in range(3))), "count"),
    "too large": (lambda: pack(("released.csv", bytes(range(256)) * 5000), method=zipfile.ZIP_STORED), "size"),
    "ratio": (lambda: pack(("released.csv", b"0" * 500_000)), "ratio"),
    "overlap": (overlap, "overlap"),
    "before": (lambda: b"#!/bin/sh\n" + pack(("released.csv", b"1")), "zip"),
    "behind": (lambda: pack(("released.csv", b"1")) + b"more", "zip"),
    "comment": (lambda: comment(pack(("released.csv", b"1"))), "zip"),
    "smaller than it says": (lambda: lie_about_size(pack(("released.csv", b"1" * 50)), 900), "size"),
    "larger than it says": (lambda: lie_about_size(pack(("released.csv", b"1,2\n" * 90)), 8), "zip"),
    "other local name": (
        lambda: pack(("released.csv", b"1")).replace(b"released.csv", b"../leased.cs", 1),
        "header",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_with_its_rule(name: str) -> None:
    make, rule = BAD[name]
    with pytest.raises(FaultsError) as caught:
        unpack(make())
    assert rule in {fault.rule for fault in caught.value.faults}, caught.value.faults


def test_everything_that_is_wrong_is_told_at_once() -> None:
    data = pack((entry("x.csv", stat.S_IFLNK | 0o777), b"0" * 500_000))
    with pytest.raises(FaultsError) as caught:
        unpack(data)
    assert {fault.rule for fault in caught.value.faults} == {"name", "link", "ratio"}


def test_python_itself_would_read_what_overlaps() -> None:
    # if this fails, Python's zipfile has learned to refuse it; the guard does so anyway
    with zipfile.ZipFile(io.BytesIO(overlap(1))) as archive:
        assert len(archive.read("released.csv")) == 100_000
    with pytest.raises(FaultsError, match="does not begin where it may"):
        unpack(overlap())


def test_a_directory_that_claims_thousands_of_entries_is_not_read() -> None:
    data = bytearray(pack(("released.csv", b"1")))
    data[-14:-10] = struct.pack("<2H", 60_000, 60_000)
    with pytest.raises(FaultsError, match="has 60000 files"):
        unpack(bytes(data))


@pytest.mark.parametrize("count", [65_535, 65_536])  # from 65,536 on Python writes the long end of Zip64
def test_more_files_than_the_short_end_can_count_are_read_where_they_are_wanted(count: int) -> None:
    class Numbers:
        most = 65_536

        def refuse(self, name: str) -> Fault | None:
            return None if name.isdecimal() else blame_archive("name", name, "no number")

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(entry(f"{number}"), b"")
    files = read_zip(stream, Numbers(), LIMITS, lambda _, pieces: b"".join(pieces))
    assert len(files) == count
    assert set(files.values()) == {b""}


def test_a_long_end_that_hides_before_the_short_one_is_refused() -> None:
    # zipfile believes the long end, so whoever looks at the short one only looks at another directory
    data = pack(("released.csv", b"1"))
    start = data.index(b"PK\x01\x02")
    directory = data[start:-22]
    long_end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(directory), start)
    place = struct.pack("<4sLQL", b"PK\x06\x07", 0, start + len(directory), 1)
    hidden = directory + long_end + place
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(hidden), start, 0)
    with zipfile.ZipFile(io.BytesIO(data[:start] + hidden + end)) as archive:
        assert archive.namelist() == ["released.csv"]
    with pytest.raises(FaultsError, match="Zip64"):
        unpack(data[:start] + hidden + end)


@given(
    st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=3000), min_size=1),
    st.sampled_from((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)),
)
def test_a_good_archive_gives_its_files_back(files: dict[str, bytes], method: int) -> None:
    assert unpack(pack(*files.items(), method=method), ZipLimits(most_ratio=10_000)) == files


def test_an_archive_that_was_written_as_a_stream_is_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    stream = Pipe()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("released.csv", b"1,2\n" * 20)
        archive.writestr("deleted.csv", b"7\n")
    assert unpack(stream.getvalue()) == {"released.csv": b"1,2\n" * 20, "deleted.csv": b"7\n"}


@given(st.binary(max_size=400), st.data())
def test_whatever_is_changed_in_an_archive_is_refused_or_gives_the_same_files(
    noise: bytes, data: st.DataObject
) -> None:
    good = pack(("released.csv", b"1,2\n" * 30), ("deleted.csv", b"7\n"))
    place = data.draw(st.integers(0, len(good)))
    spoilt = good[:place] + noise + good[place + len(noise) :]
    try:
        files = unpack(spoilt)
    except FaultsError:
        return
    assert set(files) <= set(NAMES)
    assert all(len(content) <= LIMITS.most_bytes for content in files.values())


def test_an_archive_is_known_by_its_head() -> None:
    assert is_zip(pack(("released.csv", b"1"))[:4])
    assert not is_zip(b"PK,1")
