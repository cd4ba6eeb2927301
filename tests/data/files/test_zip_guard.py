"""An archive from a stranger must unpack to the wanted files, or be refused before it costs anything."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.files.bad_archives import BAD, LIMITS, entry, overlap, pack

from sekisho.data.files.zip_guard import ExactNames, ZipLimits, blame_archive, is_zip, read_zip
from sekisho.errors import Fault, FaultsError
from sekisho.words import quote_words

NAMES = ("released.csv", "deleted.csv")


def unpack(data: bytes, limits: ZipLimits = LIMITS) -> dict[str, bytes]:
    def take(name: str, pieces: Iterator[bytes]) -> bytes:
        del name
        return b"".join(pieces)

    return read_zip(io.BytesIO(data), ExactNames(NAMES), limits, take)


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
            return None if name.isdecimal() else blame_archive("name", name, quote_words("no number"))

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
