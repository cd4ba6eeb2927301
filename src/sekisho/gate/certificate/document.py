"""What stands in a certificate: the verdict and its grounds, the files it speaks of, and claims that can be checked.

Two files. The certificate itself is public. The *opening* stays: it holds what would harm people in public hands, and
the certificate holds its digest, so that it cannot be changed afterwards. In the opening are the seed (whoever has it
draws the same pseudonyms and the same noise), the digests of the inputs (whoever knows all cells but a few tries them
until the digest is right), the reasons in full (they may name a cell) and a random salt that keeps the opening itself
from being tried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from sekisho.data.files.settings import build_settings
from sekisho.data.shape import Shape
from sekisho.errors import InputError, ParameterError
from sekisho.gate.certificate.account import AccountClaim
from sekisho.gate.certificate.canonical import digest_bytes, list_entries, read_json, write_canonical, write_readable
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.certificate.recount import check_name
from sekisho.gate.certificate.reviews import Review, ReviewSubject, is_approved
from sekisho.gate.certificate.signing import PrivateKey, PublicKey, Signature, SignatureStanding, check_signature
from sekisho.gate.outcome import Verdict
from sekisho.words import Said

FORMAT = "sekisho gate certificate 2"
FIRST_FORMAT = "sekisho gate certificate 1"
"""Certificates of it tell no account; they are read as what they said."""
OPENING_FORMAT = "sekisho gate opening 1"
HEX = frozenset("0123456789abcdef")
DIGEST_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A file as it was written."""

    sha256: str
    bytes: int

    def __post_init__(self) -> None:
        check_digest("sha256", self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonEntry:
    """Why the verdict is no better; its figure is in the opening only."""

    rule: str
    verdict: Verdict
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementEntry:
    """What is said of the release: proven, promised under an assumption, not refuted by these attacks, or refuted."""

    standing: str
    subject: str
    detail: str = ""
    assumes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateEntry:
    """One way to protect that was tried."""

    method: str
    verdict: Verdict
    utility: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A certificate.

    Attributes:
        format: with its number; others are refused.
        shape: of the data.
        title: by language.
        made: when the run started, in UTC.
        versions: of Sekisho and of what it computes with.
        recipe: as its file has it, without the seed.
        verdict: on the chosen candidate.
        chosen: its label.
        reasons: why the verdict is no better.
        statements: what is said of the release.
        candidates: all that were tried.
        files: what stands beside the certificate, by name.
        release: the name of the release among them, of several tables the first; None where nothing may leave.
        claims: figures that anybody counts again.
        account: what covers everything that leaves; None in the first format.
        sealed: the digest of the opening.
        signature: None where nobody signed.
        reviews: what persons decided where the verdict leaves it to them; no part of what is signed above, for they
            come later and sign for themselves.
    """

    format: str
    shape: Shape
    title: Mapping[str, str]
    made: str
    versions: Mapping[str, str]
    recipe: Mapping[str, object]
    verdict: Verdict
    chosen: str | None = None
    reasons: tuple[ReasonEntry, ...]
    statements: tuple[StatementEntry, ...] = ()
    candidates: tuple[CandidateEntry, ...]
    files: Mapping[str, FileEntry]
    release: str | None = None
    claims: Claims = field(default_factory=Claims)
    account: AccountClaim | None = None
    sealed: str
    signature: Signature | None = None
    reviews: tuple[Review, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in {FORMAT, FIRST_FORMAT}:
            raise ParameterError("format", Said("be {format!r}", format=FORMAT), self.format)
        if (self.account is None) != (self.format == FIRST_FORMAT):
            raise ParameterError("account", Said("be given in this format, and in no earlier one"), self.format)
        check_digest("sealed", self.sealed)
        for name in self.files:
            check_name("files", name)
        if self.release is not None and self.release not in self.files:
            raise ParameterError("release", Said("be one of the files"), self.release)

    @property
    def releases(self) -> tuple[str, ...]:
        """The release, or the files of all tables that leave together."""
        if self.release is None:
            return ()
        return tuple(dict.fromkeys([self.release, *(claim.published.file for claim in self.claims.patterns)]))

    @property
    def message(self) -> bytes:
        """What is signed: its body (all but signature and reviews) in its one form, after the format's name."""
        return self.format.encode() + b"\n" + write_canonical(_list_body(replace(self, signature=None, reviews=())))

    @property
    def subject(self) -> ReviewSubject:
        """What persons decide about: the digest of the body, the verdict, and whose key signed the run."""
        signer = None if self.signature is None else self.signature.signer
        return ReviewSubject(body=digest_bytes(self.message), verdict=self.verdict, signer=signer)

    @property
    def is_approved(self) -> bool:
        """Whether two persons let leave what the gate left to them, and nothing is wrong with that."""
        return is_approved(self.reviews, self.subject)

    def sign(self, key: PrivateKey) -> Certificate:
        """Return the certificate with a signature."""
        return replace(self, signature=key.sign(self.message))

    def check_signature(self, key: PublicKey | None) -> SignatureStanding:
        """Return how its signature stands."""
        return check_signature(self.signature, self.message, key)

    def write(self) -> bytes:
        """Return the certificate as a file."""
        return write_readable(_list_body(self))

    @classmethod
    def read(cls, path: Path) -> Certificate:
        """Return the certificate in a file.

        Raises:
            InputError: it is no JSON object, or one of another format.
            SettingsError: keys or values are wrong; all of them at once.
        """
        entries = read_json(path)
        if entries.get("format") not in (FORMAT, FIRST_FORMAT):
            raise InputError(path, Said("is no certificate of the gate: its format is not {format!r}", format=FORMAT))
        return build_settings(entries, cls, source=str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a certificate rests on and must not tell in public.

    Attributes:
        format: with its number.
        salt: random, so that nobody finds the rest by trying.
        seed: of the run; None where no chance plays a part.
        inputs: the files that were read.
        files: the confidential ones that were written.
        reasons: with their figures.
        recipe: as its file has it.
        command: that makes all of it again.
    """

    format: str
    salt: str
    seed: int | None = None
    inputs: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    files: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    reasons: tuple[ReasonEntry, ...] = ()
    recipe: Mapping[str, object] = field(default_factory=dict[str, object])
    command: str = ""

    def __post_init__(self) -> None:
        if self.format != OPENING_FORMAT:
            raise ParameterError("format", Said("be {format!r}", format=OPENING_FORMAT), self.format)
        check_digest("salt", self.salt)
        for name in self.files:
            check_name("files", name)

    def write(self) -> bytes:
        """Return the opening as a file."""
        return write_readable(list_entries(self))

    @classmethod
    def read(cls, path: Path) -> Opening:
        """Return the opening in a file.

        Raises:
            InputError: it is no JSON object.
            SettingsError: keys or values are wrong; all of them at once.
        """
        return build_settings(read_json(path), cls, source=str(path))


def _list_body(certificate: Certificate) -> dict[str, object]:
    """Return a certificate as plain data; without reviews it has no such key, as before there were any."""
    entries = {item.name: list_entries(getattr(certificate, item.name)) for item in fields(certificate)}
    return {name: entry for name, entry in entries.items() if entry is not None and (name != "reviews" or entry)}


def check_digest(name: str, value: str) -> None:
    """Refuse what is no SHA-256 in lower-case hexadecimal digits."""
    if len(value) != DIGEST_LENGTH or not HEX.issuperset(value):
        raise ParameterError(name, Said("be {digest_length} hexadecimal digits", digest_length=DIGEST_LENGTH), value)
