"""What the web process is told. There is no place for the referee's truth in it, and so the process has none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sekisho.data.files.zip_guard import ZipLimits
from sekisho.errors import ParameterError
from sekisho.words import Said

LONGEST_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordCost:
    """How much work one try of a password is: argon2id's parameters, the defaults those of RFC 9106's second choice.

    Attributes:
        rounds: over the memory.
        kibibytes: of memory.
        lanes: that are filled side by side.
        at_once: how many tries are made at once; the others wait.
    """

    rounds: int = 3
    kibibytes: int = 65536
    lanes: int = 4
    at_once: int = 2

    def __post_init__(self) -> None:
        if self.at_once < 1:
            raise ParameterError("at_once", Said("be at least 1"), self.at_once)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How much and how often.

    Attributes:
        upload_bytes: of the body of a team's upload.
        file_bytes: of one file of it, unpacked.
        file_rows: of one file of it: who sends line ends only is stopped by these.
        body_bytes: of any other body, and of everything that somebody without a team sends.
        team_requests: of a team in a minute, whoever sends them.
        address_requests: of an address without a team, in a minute.
        team_uploads: of a team in a minute.
        login_failures: with one name from one address, in a window.
        name_failures: with one name from everywhere, in a window.
        registrations: from one address, in a window.
        window_seconds: of those.
        token_failures: wrong tokens from one address, in a minute.
        body_seconds: within which the body of a request must have arrived.
        header_seconds: within which the headers of a request must have arrived.
    """

    upload_bytes: int = 64 << 20
    file_bytes: int = 64 << 20
    file_rows: int = 1_000_000
    body_bytes: int = 64 << 10
    team_requests: int = 600
    address_requests: int = 300
    team_uploads: int = 30
    login_failures: int = 10
    name_failures: int = 100
    registrations: int = 20
    window_seconds: int = 900
    token_failures: int = 30
    body_seconds: float = 120.0
    header_seconds: float = 15.0
    zip: ZipLimits = field(default_factory=ZipLimits)

    def __post_init__(self) -> None:
        if not 0 < self.body_bytes <= self.upload_bytes:
            raise ParameterError("body_bytes", Said("lie between 1 and upload_bytes"), self.body_bytes)
        for name, value in (("body_seconds", self.body_seconds), ("header_seconds", self.header_seconds)):
            if not 0 < value <= LONGEST_SECONDS:
                raise ParameterError(
                    name, Said("lie above 0 and be at most {longest_seconds:,}", longest_seconds=LONGEST_SECONDS), value
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What the web process is told.

    Attributes:
        database: its URL.
        store: the folder of the files.
        contest: which one is served; empty for the only one.
        secure: whether cookies go over TLS only.
        session_hours: how long somebody stays logged in.
    """

    database: str
    store: Path
    contest: str = ""
    secure: bool = True
    session_hours: int = 12
    limits: RequestLimits = field(default_factory=RequestLimits)
    passwords: PasswordCost = field(default_factory=PasswordCost)
