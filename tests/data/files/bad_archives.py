"""Archives that no server should unpack: each is made by hand, with the rule that refuses it."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable

from sekisho.data.files.zip_guard import ZipLimits

LIMITS = ZipLimits(most_bytes=1 << 20, most_ratio=200)


def pack(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return stream.getvalue()


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
