"""Whom a release is about, known again in the next one without being named: digests under a key that lies elsewhere.

A digest without a key protects nobody: phone and insurance numbers are few enough to try all of them. So a person is
HMAC-SHA-256 under a key of 256 bits that the operating system drew, of the register's own number and the normalised
identifier, cut to 128 bits. The key never lies in the register's folder: whoever takes the one has not the other.
"""

from __future__ import annotations

import hmac
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from unicodedata import normalize

from sekisho.data.files.whole_files import read_bytes, sync_folder
from sekisho.errors import InputError, say_failure
from sekisho.words import Said

KEY_BYTES, DIGEST_BYTES = 32, 16
MAX_BYTES = 1 << 12
OWNER_ONLY = 0o600
CHECKED = b"sekisho register key"


@dataclass(frozen=True, slots=True, repr=False)
class RegisterKey:
    """The key under which people of a register are digested."""

    secret: bytes

    @classmethod
    def draw(cls) -> RegisterKey:
        """Return a new key, drawn by the operating system."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def read(cls, path: Path, *, register: Path) -> RegisterKey:
        """Return the key in a file, or that a pipe brings.

        Args:
            path: the file: 64 hexadecimal digits in a line.
            register: the folder of the register, in which it must not lie.

        Raises:
            InputError: there is none, it lies inside the register, or others may read it.
        """
        refuse_inside(path, register)
        text = read_bytes(path, max_bytes=MAX_BYTES).strip()
        _refuse_open(path)
        try:
            secret = bytes.fromhex(text.decode("ascii"))
        except ValueError:
            secret = b""
        if len(secret) != KEY_BYTES:
            raise InputError(path, Said("holds no key of a register: {digits} hexadecimal digits", digits=64))
        return cls(secret)

    def write(self, path: Path, *, register: Path) -> None:
        """Write the key to a new file that only its owner reads.

        Raises:
            InputError: there is such a file, it would lie inside the register, or it cannot be written.
        """
        refuse_inside(path, register)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        except FileExistsError as error:
            raise InputError(path, Said("exists already, and a key is never written over")) from error
        except OSError as error:
            reason = say_failure(error, Said("unknown reason"))
            raise InputError(path, Said("cannot be written: {strerror}", strerror=reason)) from error
        with os.fdopen(handle, "wb") as stream:
            stream.write(self.secret.hex().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        sync_folder(path.absolute().parent)

    def mark(self, register: str) -> str:
        """Return by what a register knows its key again."""
        return self._digest(CHECKED + register.encode()).hex()

    def digest(self, register: str, identifiers: Iterable[str], *, fold: bool = False) -> list[bytes]:
        """Return people as a register has them.

        Args:
            register: its number, so that one person differs from register to register.
            identifiers: one a person.
            fold: whether large and small letters are the same.
        """
        about = register.encode() + b"\0"
        return [self._digest(about + normalise_identifier(one, fold=fold).encode()) for one in identifiers]

    def digest_spellings(self, register: str, identifiers: Sequence[str]) -> dict[bytes, int]:
        """Return by the digest of each other spelling of an identifier its place.

        Args:
            register: its number.
            identifiers: one a person.
        """
        about = register.encode() + b"\0"
        return {
            self._digest(about + spelling.encode()): place
            for place, identifier in enumerate(identifiers)
            for spelling in list_spellings(identifier)
        }

    def _digest(self, message: bytes) -> bytes:
        return hmac.digest(self.secret, message, sha256)[:DIGEST_BYTES]


def normalise_identifier(text: str, *, fold: bool = False) -> str:
    """Return an identifier as all its spellings have it: half and full width alike, without blanks around it."""
    plain = normalize("NFKC", text).strip()
    return plain.casefold() if fold else plain


def list_spellings(text: str) -> tuple[str, ...]:
    """Return an identifier as it may be spelled elsewhere: as it stands, in small letters, in capitals, with some."""
    plain = normalise_identifier(text)
    return tuple(
        dict.fromkeys((plain, plain.casefold(), plain.lower(), plain.upper(), plain.capitalize(), plain.title()))
    )


def refuse_inside(path: Path, register: Path) -> None:
    """Refuse a key that lies where the register lies: whoever takes the folder would have both.

    Raises:
        InputError: it does.
    """
    if path.resolve().is_relative_to(register.resolve()):
        raise InputError(path, Said("lies inside the register: whoever takes the folder would have its key as well"))


def _refuse_open(path: Path) -> None:
    status = path.stat()
    if stat.S_ISREG(status.st_mode) and status.st_mode & 0o077:
        raise InputError(path, Said("can be read by others: let only its owner read it (mode 600)"))
