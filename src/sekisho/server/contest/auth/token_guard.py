"""Slows those down who try tokens: when an address has sent too many wrong ones, only proven ones are looked at.

A token that was right before is known by its digest in this process, so that whoever shares an address with somebody
who guesses goes on working.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekisho.contest.ledger import digest_text
from sekisho.server.contest.auth.throttle import RateLimiter

MOST_TRUSTED = 10_000
HEADER = "authorization"


@dataclass(slots=True, kw_only=True)
class TokenGuard:
    """Counts wrong tokens by address.

    Attributes:
        limiter: what counts.
        most: wrong tokens of an address in a minute.
        trusted: digests of tokens that were right.
    """

    limiter: RateLimiter
    most: int
    trusted: dict[str, None] = field(default_factory=dict[str, None])

    def find_wait(self, headers: Mapping[str, str], address: str) -> float:
        """Return 0 where a request may be looked at, or after how many seconds it may."""
        given = headers.get(HEADER, "")
        if not given or digest_text(given) in self.trusted:
            return 0.0
        return self.limiter.wait(f"token {address}", most=self.most)

    def count(self, address: str) -> None:
        """Count a wrong token."""
        self.limiter.take(f"token {address}", most=self.most)

    def trust(self, given: str) -> None:
        """Note that a token is right; whether it still is, is looked up each time."""
        while len(self.trusted) >= MOST_TRUSTED:
            self.trusted.pop(next(iter(self.trusted)))
        self.trusted[digest_text(given)] = None
