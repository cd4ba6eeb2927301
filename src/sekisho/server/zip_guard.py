"""Archives from strangers: what is wrong with one is told at once, and nothing is unpacked that was not asked for.

Accepted is a flat archive whose files have exactly the wanted names. Refused before anything is unpacked: other names
(so also folders, ``..``, absolute names, backslashes), names that come twice, links, encryption, other methods than
deflate, too many files, too many bytes in all or against what arrived, entries that overlap one another (Python's
zipfile reads such ones: a file of 35 KB then claims 5 GB), bytes before the first entry, a comment, Zip64. While a file
is unpacked its bytes are counted, and its check sum is compared at its end.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import IO, TypeVar

from sekisho.errors import Fault, FaultsError

T = TypeVar("T")

END = struct.Struct("<4s4H2LH")
LOCAL = struct.Struct("<4s5H3L2H")
END_MARK, LOCAL_MARK, ANY_MARK = b"PK\x05\x06", b"PK\x03\x04", b"PK"
ENCRYPTED = 0x1 | 0x40 | 0x2000
DESCRIBED = 0x8
DESCRIPTOR = 12
"""A data descriptor behind an entry has at least so many bytes."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENTRY_BYTES = 46 + 512
"""Of the directory, for each entry at most; names are short here."""
CHUNK = 1 << 16
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipLimits:
    """How much an archive may hold.

    Attributes:
        most_bytes: of all its files, unpacked.
        most_ratio: unpacked against packed, of each file.
    """

    most_bytes: int = 256 << 20
    most_ratio: int = 200


def is_zip(head: bytes) -> bool:
    """Tell whether a file begins as an archive does."""
    return head.startswith(ANY_MARK) and head[2:4] in (b"\x03\x04", b"\x05\x06")


def read_zip(
    stream: IO[bytes], names: Collection[str], limits: ZipLimits, take: Callable[[str, Iterator[bytes]], T]
) -> dict[str, T]:
    """Read the wanted files of an archive, each in pieces.

    Args:
        stream: the archive, which can be searched.
        names: exactly the names that its files may have.
        limits: how much it may hold.
        take: called with each file's name and pieces; what it gives is returned by name.

    Raises:
        FaultsError: everything that is wrong with it, before anything is unpacked; or a file that is not what it says.
    """
    start = _read_end(stream, len(names))
    try:
        with zipfile.ZipFile(stream) as archive:
            _refuse_faults([*_find_faults(archive, names, limits), *_find_overlaps(archive, stream, start)])
            return {entry.filename: take(entry.filename, _read_pieces(archive, entry)) for entry in archive.infolist()}
    except FaultsError:
        raise
    except BROKEN as error:
        raise _refuse("zip", "", "the archive is damaged") from error


def _refuse_faults(faults: list[Fault]) -> None:
    if faults:
        raise FaultsError("the archive", faults)


def _read_end(stream: IO[bytes], count: int) -> int:
    """Return where the directory begins, having seen that it is small and ends where the archive ends."""
    size = stream.seek(0, 2)
    if size < END.size:
        raise _refuse("zip", "", "this is no zip archive")
    stream.seek(size - END.size)
    mark, disk, first_disk, here, entries, length, start, comment = END.unpack(stream.read(END.size))
    if mark != END_MARK or comment:
        raise _refuse("zip", "", "this is no zip archive, or one with a comment or with bytes behind its end")
    if disk or first_disk or here != entries or 0xFFFF in (here, entries) or 0xFFFFFFFF in (length, start):
        raise _refuse("zip", "", "the archive has several parts, or is Zip64")
    if entries > count:
        raise _refuse("count", str(entries), f"the archive has {entries} files; it may have {count}")
    if length > ENTRY_BYTES * max(1, entries) or start + length != size - END.size:
        raise _refuse("zip", "", "the archive's directory is not where it says")
    return start


def _find_faults(archive: zipfile.ZipFile, names: Collection[str], limits: ZipLimits) -> Iterator[Fault]:
    seen: set[str] = set()
    total = 0
    for entry in archive.infolist():
        name = entry.filename
        if name not in names or entry.orig_filename != name:
            wanted = " and ".join(sorted(names))
            yield _fault("name", name, f"the archive may hold {wanted}, not {name!r}")
        if name in seen:
            yield _fault("name", name, f"{name!r} comes twice")
        seen.add(name)
        yield from _find_entry_faults(entry, limits)
        total += entry.file_size
    if total > limits.most_bytes:
        yield _fault("size", str(total), f"the archive unpacks to {total:,} bytes; the limit is {limits.most_bytes:,}")


def _find_entry_faults(entry: zipfile.ZipInfo, limits: ZipLimits) -> Iterator[Fault]:
    name, mode = entry.filename, entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        yield _fault("link", name, f"{name!r} is a link or another thing that is no file")
    if entry.flag_bits & ENCRYPTED:
        yield _fault("encryption", name, f"{name!r} is encrypted")
    if entry.compress_type not in METHODS:
        yield _fault("method", name, f"{name!r} is packed by a method other than deflate")
    if entry.file_size > limits.most_ratio * max(1, entry.compress_size):
        rule = f"{name!r} unpacks to more than {limits.most_ratio} times its size"
        yield _fault("ratio", name, rule)


def _find_overlaps(archive: zipfile.ZipFile, stream: IO[bytes], start: int) -> Iterator[Fault]:
    """Tell entries that share bytes, or whose own header is not what the directory says."""
    end = 0
    for entry in sorted(archive.infolist(), key=lambda each: each.header_offset):
        stream.seek(entry.header_offset)
        head = stream.read(LOCAL.size)
        fields = LOCAL.unpack(head) if len(head) == LOCAL.size else (b"",) + (0,) * 10
        name_length, extra = int(fields[9]), int(fields[10])
        name = stream.read(name_length)
        if fields[0] != LOCAL_MARK or name.decode("utf-8", errors="replace") != entry.filename:
            yield _fault("header", entry.filename, f"the header of {entry.filename!r} is not what the directory says")
        if entry.header_offset < end or (end == 0 and entry.header_offset):
            yield _fault("overlap", entry.filename, f"{entry.filename!r} does not begin where it may")
        described = DESCRIPTOR if entry.flag_bits & DESCRIBED else 0
        end = entry.header_offset + LOCAL.size + name_length + extra + entry.compress_size + described
    if end > start:
        yield _fault("overlap", "", "the last file overlaps the archive's directory")


def _read_pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a file's pieces; one that is longer or shorter than it says is refused."""
    count = 0
    with archive.open(entry) as stream:
        while piece := stream.read(CHUNK):
            count += len(piece)
            yield piece
    if count != entry.file_size:
        raise _refuse("size", entry.filename, f"{entry.filename!r} is not as long as it says")


def _fault(rule: str, value: str, message: str) -> Fault:
    return Fault(row=0, column="", rule=rule, value=value[:200], message=message)


def _refuse(rule: str, value: str, message: str) -> FaultsError:
    return FaultsError("the archive", [_fault(rule, value, message)])
