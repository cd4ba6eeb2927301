"""Names hashed without a key: whoever knows the names hashes them too and reads the pseudonyms off.

A pseudonym that is a digest of a name is as good as the name: there are a handful of usual algorithms, of ways to spell
a name before it is hashed and of ways to shorten what comes out. All of them are tried here. A digest under a secret
key is none of them, and nobody who lacks the key can tell it from chance.
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

FNV_PRIME, FNV_START = 0x01000193, 0x811C9DC5
HEX_DIGITS, DECIMALS = range(1, 17), range(2, 19)
PRIMES = (2**31 - 1, 10**9 + 7)
SPELLINGS, KINDS, READINGS = 6, 13, 2 * 16 + 3 * 17 + 6 + 2
"""How many ways of spelling, hashing and reading there are at most: as many numbers are compared with a pseudonym."""


def _hash_fnv(data: bytes) -> bytes:
    value = FNV_START
    for byte in data:
        value = (value ^ byte) * FNV_PRIME & 0xFFFFFFFF
    return value.to_bytes(4, "big")


def _hash_with(name: str, data: bytes) -> bytes:
    return hashlib.new(name, data, usedforsecurity=False).digest()


DIGESTS: Mapping[str, Callable[[bytes], bytes]] = {
    **{
        name: partial(_hash_with, name)
        for name in (
            "md5",
            "sha1",
            "sha224",
            "sha256",
            "sha384",
            "sha512",
            "sha3_256",
            "sha3_512",
            "blake2b",
            "blake2s",
        )
    },
    "crc32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
    "adler32": lambda data: zlib.adler32(data).to_bytes(4, "big"),
    "fnv1a": _hash_fnv,
}
"""The usual algorithms, by name."""


def spell_names(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways in which names are spelled before they are hashed, each once: also with the line's end."""
    width = max(map(len, names), default=0)
    ways = (
        tuple(names),
        tuple(f"{name}\n" for name in names),
        tuple(name.lower() for name in names),
        tuple(name.upper() for name in names),
        tuple(name.lstrip("0") or "0" for name in names),
        tuple(name.zfill(width) for name in names),
    )
    yield from dict.fromkeys(ways)


def hash_names(names: Sequence[str]) -> Iterator[tuple[str, tuple[bytes, ...]]]:
    """Yield the plain digests of names, each with the name of its algorithm."""
    for spelled in spell_names(names):
        texts = [text.encode("utf-8", errors="surrogatepass") for text in spelled]
        for name, digest in DIGESTS.items():
            yield name, tuple(map(digest, texts))


def read_numbers(digests: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return the whole numbers as which digests are usually read, a row a digest: first or last digits, remainders.

    What does not fit 64 bits is cut to them, so that differences are compared within them.
    """
    wholes = [int.from_bytes(digest, "big") for digest in digests]
    size = min(8, len(digests[0]))
    head = _make_column(int.from_bytes(digest[:size], "big") for digest in digests)
    last, ninth = _make_column(each % 10**18 for each in wholes), _make_column(each % (9 * 10**18) for each in wholes)
    return np.hstack(
        [
            head >> np.array([max(0, 8 * size - 4 * count) for count in HEX_DIGITS], dtype=np.uint64),
            _make_column(each % 2**64 for each in wholes)
            & np.array([2 ** (4 * count) - 1 for count in HEX_DIGITS], dtype=np.uint64),
            np.array([[int(str(each)[:count]) for count in DECIMALS] for each in wholes], dtype=np.uint64),
            last % np.array([10**count for count in DECIMALS], dtype=np.uint64),
            ninth % np.array([9 * 10**count for count in DECIMALS], dtype=np.uint64),
            *(_make_column(int.from_bytes(digest[:width], "little") for digest in digests) for width in (4, 8)),
            *(_make_column(int.from_bytes(digest[:width], "big") for digest in digests) for width in (4, 8)),
            *(
                _make_column(int.from_bytes(digest[:width], "big") & ((1 << (8 * width - 1)) - 1) for digest in digests)
                for width in (4, 8)
            ),
            *(_make_column(each % prime for each in wholes) for prime in PRIMES),
        ]
    )


def _make_column(values: Iterable[int]) -> NDArray[np.uint64]:
    return np.array(list(values), dtype=np.uint64)[:, None]


def read_texts(digest: bytes) -> tuple[str, ...]:
    """Return the texts of which a pseudonym is usually the beginning: hexadecimal and base 64."""
    return digest.hex(), b64encode(digest).decode(), urlsafe_b64encode(digest).decode()
