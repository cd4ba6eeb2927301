"""Archives from strangers: what is wrong with one is told at once, and nothing is unpacked that was not asked for.

Whoever asks says which names are wanted. Refused before anything is unpacked: other names (so also ``..``, absolute
names, backslashes), names that come twice, links, encryption, other methods than deflate, too many files, too many
bytes in all or against what arrived, entries that overlap one another (Python's zipfile reads such ones: a file of
35 KB then claims 5 GB), bytes before the first entry, a comment, Zip64 where fewer files than need it are wanted. While
a file is unpacked its bytes are counted, and its check sum is compared at its end.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Protocol, TypeVar

from sekisho.errors import Fault, FaultsError
from sekisho.words import Said, join_words

T = TypeVar("T")

END = struct.Struct("<4s4H2LH")
LONG_PLACE = struct.Struct("<4sLQL")
LONG_END = struct.Struct("<4sQ2H2L4Q")
LOCAL = struct.Struct("<4s5H3L2H")
END_MARK, LONG_PLACE_MARK, LONG_END_MARK = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
LOCAL_MARK, ANY_MARK = b"PK\x03\x04", b"PK"
LONG_COUNT, LONG_SIZE = 0xFFFF, 0xFFFFFFFF
"""What stands in the short end where only the long one, of Zip64, has room for the number."""
ENCRYPTED = 0x1 | 0x40 | 0x2000
DESCRIBED = 0x8
DESCRIPTOR = 12
"""A data descriptor behind an entry has at least so many bytes."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENTRY_BYTES = 46 + 512
"""Of the directory, for each entry at most; names are short here."""
CHUNK = 1 << 16
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)
"""What Python's zipfile raises on an archive that is damaged, or none."""
UNPRINTABLE = "\ufffd"
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The moment that every entry of our own archives bears."""
DAMAGED = "zip"
"""The rule of an archive that is damaged, or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipLimits:
    """How much an archive may hold.

    Attributes:
        most_bytes: of all its files, unpacked.
        most_ratio: unpacked against packed, of each file.
    """

    most_bytes: int = 256 << 20
    most_ratio: int = 200


class WantedNames(Protocol):
    """Which files an archive may hold."""

    @property
    def most(self) -> int:
        """How many."""
        ...

    def refuse(self, name: str) -> Fault | None:
        """Return what is wrong with a name, if anything."""
        ...


@dataclass(frozen=True, slots=True)
class ExactNames:
    """A flat archive whose files have these names, each at most once."""

    names: Collection[str]

    @property
    def most(self) -> int:
        """How many."""
        return len(self.names)

    def refuse(self, name: str) -> Fault | None:
        """Return what is wrong with a name, if anything."""
        if name in self.names:
            return None
        wanted = join_words(sorted(self.names), " and ")
        return blame_archive(
            "name", name, Said("the archive may hold {wanted}, not {name!r}", wanted=wanted, name=name)
        )


def is_zip(head: bytes) -> bool:
    """Tell whether a file begins as an archive does."""
    return head.startswith(ANY_MARK) and head[2:4] in (b"\x03\x04", b"\x05\x06")


def read_zip(
    stream: IO[bytes], names: WantedNames, limits: ZipLimits, take: Callable[[str, Iterator[bytes]], T]
) -> dict[str, T]:
    """Read the wanted files of an archive, each in pieces.

    Args:
        stream: the archive, which can be searched.
        names: which names its files may have.
        limits: how much it may hold.
        take: called with each file's name and pieces; what it gives is returned by name.

    Raises:
        FaultsError: everything that is wrong with it, before anything is unpacked; or a file that is not what it says.
    """
    start = _read_end(stream, names.most)
    try:
        with zipfile.ZipFile(stream) as archive:
            _refuse_faults([*_find_faults(archive, names, limits), *_find_overlaps(archive, stream, start)])
            return {entry.filename: take(entry.filename, _read_pieces(archive, entry)) for entry in archive.infolist()}
    except FaultsError:
        raise
    except BROKEN as error:
        raise _refuse(DAMAGED, "", Said("the archive is damaged")) from error


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as an archive: the same files give the same bytes."""
    stream = BytesIO()
    write_zip(files, stream)
    return stream.getvalue()


def write_zip(files: Mapping[str, bytes], stream: IO[bytes]) -> None:
    """Write files as an archive, sorted by name, one at a time; the same files give the same bytes."""
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIRST_MOMENT)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o600 << 16
            archive.writestr(entry, files[name])


def blame_archive(rule: str, value: str, message: Said) -> Fault:
    """Return what is wrong with an archive; of a strange name only what can be printed is repeated."""
    shown = "".join(sign if sign.isprintable() else UNPRINTABLE for sign in value[:200])
    return Fault(row=0, column="", rule=rule, value=shown, message=message)


def _refuse_faults(faults: list[Fault]) -> None:
    if faults:
        raise FaultsError("the archive", faults)


def _read_end(stream: IO[bytes], most: int) -> int:
    """Return where the directory begins, having seen that it is small and ends where the archive's end begins."""
    size = stream.seek(0, 2)
    if size < END.size:
        raise _refuse(DAMAGED, "", Said("this is no zip archive"))
    stream.seek(size - END.size)
    mark, disk, first_disk, here, entries, length, start, comment = END.unpack(stream.read(END.size))
    if mark != END_MARK or comment:
        raise _refuse(DAMAGED, "", Said("this is no zip archive, or one with a comment or with bytes behind its end"))
    end = size - END.size
    if most < LONG_COUNT and (
        _has_long_end(stream, end) or LONG_COUNT in (here, entries) or LONG_SIZE in (length, start)
    ):
        raise _refuse(DAMAGED, "", Said("the archive has several parts, or is Zip64"))
    if _has_long_end(stream, end):
        here, entries, length, start, end = _read_long_end(stream, end)
    if disk or first_disk or here != entries:
        raise _refuse(DAMAGED, "", Said("the archive has several parts, or is Zip64"))
    if entries > most:
        raise _refuse(
            "count",
            str(entries),
            Said("the archive has {entries} files; it may have {most}", entries=entries, most=most),
        )
    if length > ENTRY_BYTES * max(1, entries) or start + length != end:
        raise _refuse(DAMAGED, "", Said("the archive's directory is not where it says"))
    return start


def _has_long_end(stream: IO[bytes], end: int) -> bool:
    """Tell whether Python's zipfile would take the counts of Zip64 for those of the short end."""
    stream.seek(max(0, end - LONG_PLACE.size))
    return stream.read(len(LONG_PLACE_MARK)) == LONG_PLACE_MARK


def _read_long_end(stream: IO[bytes], end: int) -> tuple[int, int, int, int, int]:
    """Return the counts of Zip64, and where they stand: right before the place that tells it, and so before the end."""
    place = max(0, end - LONG_PLACE.size - LONG_END.size)
    stream.seek(place)
    mark, *_, here, entries, length, start = LONG_END.unpack(stream.read(LONG_END.size))
    _, _, told, parts = LONG_PLACE.unpack(stream.read(LONG_PLACE.size))
    if mark != LONG_END_MARK or told != place or parts != 1:
        raise _refuse(DAMAGED, "", Said("the archive's directory is not where it says"))
    return here, entries, length, start, place


def _find_faults(archive: zipfile.ZipFile, names: WantedNames, limits: ZipLimits) -> Iterator[Fault]:
    seen: set[str] = set()
    total = 0
    for entry in archive.infolist():
        name = entry.filename
        fault = names.refuse(entry.orig_filename)  # zipfile cuts a name at a NUL
        if fault is not None:
            yield fault
        if name in seen:
            yield blame_archive("name", name, Said("{name!r} comes twice", name=name))
        seen.add(name)
        yield from _find_entry_faults(entry, limits)
        total += entry.file_size
    if total > limits.most_bytes:
        yield blame_archive(
            "size",
            str(total),
            Said(
                "the archive unpacks to {total:,} bytes; the limit is {most_bytes:,}",
                total=total,
                most_bytes=limits.most_bytes,
            ),
        )


def _find_entry_faults(entry: zipfile.ZipInfo, limits: ZipLimits) -> Iterator[Fault]:
    name, mode = entry.filename, entry.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        yield blame_archive("link", name, Said("{name!r} is a link or another thing that is no file", name=name))
    if entry.flag_bits & ENCRYPTED:
        yield blame_archive("encryption", name, Said("{name!r} is encrypted", name=name))
    if entry.compress_type not in METHODS:
        yield blame_archive("method", name, Said("{name!r} is packed by a method other than deflate", name=name))
    if entry.file_size > limits.most_ratio * max(1, entry.compress_size):
        rule = Said(
            "{name!r} unpacks to more than {most_ratio} times its size", name=name, most_ratio=limits.most_ratio
        )
        yield blame_archive("ratio", name, rule)


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
            yield blame_archive(
                "header",
                entry.filename,
                Said("the header of {filename!r} is not what the directory says", filename=entry.filename),
            )
        if entry.header_offset < end:
            rule = Said(
                "{filename!r} overlaps what stands before it: it does not begin where it may", filename=entry.filename
            )
            yield blame_archive("overlap", entry.filename, rule)
        elif end == 0 and entry.header_offset:
            yield blame_archive(
                "overlap", entry.filename, Said("{filename!r} does not begin where it may", filename=entry.filename)
            )
        described = DESCRIPTOR if entry.flag_bits & DESCRIBED else 0
        end = entry.header_offset + LOCAL.size + name_length + extra + entry.compress_size + described
    if end > start:
        yield blame_archive("overlap", "", Said("the last file overlaps the archive's directory"))


def _read_pieces(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a file's pieces; one that is longer or shorter than it says is refused."""
    count = 0
    with archive.open(entry) as stream:
        while piece := stream.read(CHUNK):
            count += len(piece)
            yield piece
    if count != entry.file_size:
        raise _refuse("size", entry.filename, Said("{filename!r} is not as long as it says", filename=entry.filename))


def _refuse(rule: str, value: str, message: Said) -> FaultsError:
    return FaultsError("the archive", [blame_archive(rule, value, message)])
