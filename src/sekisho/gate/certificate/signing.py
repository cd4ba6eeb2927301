"""Keys and signatures: Ed25519 (RFC 8032), the private key in a PEM file that only its owner reads.

A signature says who vouches for a certificate, not that what it says is so; that is checked apart.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from sekisho.data.files.whole_files import read_bytes, write_whole
from sekisho.errors import InputError, ParameterError, say_failure
from sekisho.parameters import checked
from sekisho.words import Said

ALGORITHM = "Ed25519"
MAX_BYTES = 1 << 16
OWNER_ONLY = 0o600


class SignatureStanding(StrEnum):
    """How a certificate's signature stands."""

    VALID = "valid"
    UNSIGNED = "unsigned"
    UNKNOWN_KEY = "signed by an unknown key"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who signed.

    Attributes:
        algorithm: Ed25519.
        key: the public key, its 32 bytes in base64.
        value: the signature, its 64 bytes in base64.
    """

    algorithm: str
    key: str
    value: str

    def __post_init__(self) -> None:
        if self.algorithm != ALGORITHM:
            raise ParameterError("algorithm", Said("be {algorithm}", algorithm=ALGORITHM), self.algorithm)
        for name, value, length in (("key", self.key, 32), ("value", self.value, 64)):
            if _decode(value) is None or len(_decode(value) or b"") != length:
                raise ParameterError(name, Said("be {length} bytes in base64", length=length), value)

    @property
    def signer(self) -> PublicKey:
        """Whose key it is; several texts in base64 are one key."""
        return PublicKey(_decode(self.key) or b"")


@dataclass(frozen=True, slots=True)
@checked
class PublicKey:
    """A key that anybody may have: it checks what its private key signed."""

    raw: bytes

    @classmethod
    def read(cls, path: Path) -> PublicKey:
        """Return the public key in a PEM file.

        Raises:
            InputError: it holds none, or one of another kind.
        """
        data = read_bytes(path, max_bytes=MAX_BYTES)
        try:
            key = load_pem_public_key(data)
        except (ValueError, UnsupportedAlgorithm) as error:
            reason = (
                Said("holds no public key in PEM form; it holds a private key: give the public one")
                if b"PRIVATE KEY" in data
                else Said("holds no public key in PEM form")
            )
            raise InputError(path, reason) from error
        if not isinstance(key, Ed25519PublicKey):
            raise InputError(path, Said("holds a key that is not {algorithm}", algorithm=ALGORITHM))
        return cls(key.public_bytes_raw())

    @property
    def text(self) -> str:
        """The key as a signature has it: its 32 bytes in base64."""
        return b64encode(self.raw).decode()

    @property
    def pem(self) -> bytes:
        """The key as a PEM file."""
        return Ed25519PublicKey.from_public_bytes(self.raw).public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )


@dataclass(frozen=True, slots=True, repr=False)
class PrivateKey:
    """A key that its owner keeps: it signs."""

    secret: Ed25519PrivateKey

    @classmethod
    def make(cls) -> PrivateKey:
        """Return a new key, drawn by the operating system."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: Path, *, passphrase: str = "") -> PrivateKey:
        """Return the private key in a PEM file.

        Raises:
            InputError: it holds none, one of another kind, or the passphrase is not its own.
        """
        return cls.parse(read_bytes(path, max_bytes=MAX_BYTES), path, passphrase=passphrase)

    @classmethod
    def parse(cls, data: bytes, path: Path | str, *, passphrase: str = "") -> PrivateKey:
        """Return the private key in the bytes of a PEM file, which a path names in messages only.

        Raises:
            InputError: they hold none, one of another kind, or the passphrase is not its own.
        """
        try:
            key = load_pem_private_key(data, passphrase.encode() or None)
        except TypeError as error:  # whether one is given and whether one is needed differ
            needs = Said("needs no passphrase") if passphrase else Said("is locked: its passphrase is needed")
            raise InputError(path, needs) from error
        except (ValueError, UnsupportedAlgorithm) as error:
            reason = (
                Said("cannot be opened with this passphrase")
                if passphrase
                else Said("holds no private key in PEM form")
            )
            raise InputError(path, reason) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError(path, Said("holds a key that is not {algorithm}", algorithm=ALGORITHM))
        return cls(key)

    @property
    def public(self) -> PublicKey:
        """The key that checks."""
        return PublicKey(self.secret.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> Signature:
        """Return the signature of a message; the same message has the same."""
        return Signature(
            algorithm=ALGORITHM,
            key=self.public.text,
            value=b64encode(self.secret.sign(message)).decode(),
        )

    def write_pem(self, passphrase: str = "") -> bytes:
        """Return the key as a PEM file has it, locked with a passphrase if one is given."""
        lock = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
        return self.secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)

    def write(self, path: Path, *, passphrase: str = "") -> Path:
        """Write the key to a new file that only its owner reads, and the public one beside it; return the latter.

        Raises:
            InputError: there is such a file, or it cannot be written: a key is never written over.
        """
        public = name_public_key(path)
        if public.exists():
            raise InputError(public, Said("exists already, and a key is never written over"))
        pem = self.write_pem(passphrase)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        except FileExistsError as error:
            raise InputError(path, Said("exists already, and a key is never written over")) from error
        except OSError as error:
            raise InputError(
                path, Said("cannot be written: {strerror}", strerror=say_failure(error, Said("unknown reason")))
            ) from error
        with os.fdopen(handle, "wb") as stream:
            stream.write(pem)
        write_whole({public: self.public.pem})
        return public


def name_public_key(path: Path) -> Path:
    """Return where the public key of a private one is written: ``KEY.pub.pem`` beside ``KEY.pem``."""
    return path.with_suffix(".pub.pem") if path.suffix == ".pem" else path.with_name(f"{path.name}.pub.pem")


def check_signature(signature: Signature | None, message: bytes, key: PublicKey | None) -> SignatureStanding:
    """Return how a signature of a message stands.

    Args:
        signature: None where there is none.
        message: what it is of.
        key: whose signature is asked for; None if nobody's in particular: then a good one is of an unknown key.
    """
    if signature is None:
        return SignatureStanding.UNSIGNED
    own = _decode(signature.key) or b""
    try:
        Ed25519PublicKey.from_public_bytes(own).verify(_decode(signature.value) or b"", message)
    except (InvalidSignature, ValueError):
        return SignatureStanding.INVALID
    if key is None:
        return SignatureStanding.UNKNOWN_KEY
    return SignatureStanding.VALID if own == key.raw else SignatureStanding.INVALID


def _decode(text: str) -> bytes | None:
    try:
        return b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return None
