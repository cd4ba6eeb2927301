"""Passwords: argon2id, and as much work for a name that does not exist as for one that does."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher, Type
from argon2.exceptions import Argon2Error, InvalidHashError

from sekisho.errors import ParameterError
from sekisho.seeds import draw_token
from sekisho.server.contest.settings import PasswordCost
from sekisho.words import Said

SHORTEST, LONGEST = 12, 200
MOST_SECONDS = 30.0
"""So long somebody waits while others' passwords are tried."""


class BusyError(Exception):
    """Too many passwords are being tried: try again."""


class Passwords:
    """Hashes passwords and compares them."""

    def __init__(self, cost: PasswordCost) -> None:
        self._hasher = PasswordHasher(
            time_cost=cost.rounds, memory_cost=cost.kibibytes, parallelism=cost.lanes, type=Type.ID
        )
        self._turns = BoundedSemaphore(cost.at_once)
        self._nobody = self._hasher.hash(draw_token())

    def hash(self, password: str) -> str:
        """Return what is kept of a password.

        Raises:
            ParameterError: it is too short or too long.
        """
        if not SHORTEST <= len(password) <= LONGEST:
            raise ParameterError(
                "password",
                Said("have {shortest} to {longest} characters", shortest=SHORTEST, longest=LONGEST),
                f"{len(password)} characters",
            )
        with self._take_turn():
            return self._hasher.hash(password)

    def matches(self, kept: str | None, password: str) -> bool:
        """Tell whether a password is the one of which this was kept; None where there is no such account."""
        whole = kept is not None and len(password) <= LONGEST  # a longer one is never shortened until it fits
        with self._take_turn():
            try:
                return self._hasher.verify(kept or self._nobody, password[: LONGEST + 1]) and whole
            except (Argon2Error, InvalidHashError):
                return False

    @contextmanager
    def _take_turn(self) -> Generator[None]:
        """Wait for a turn: each try takes as much memory as its cost says, so only a few are made at once.

        Raises:
            BusyError: there was none for too long.
        """
        if not self._turns.acquire(timeout=MOST_SECONDS):
            raise BusyError
        try:
            yield
        finally:
            self._turns.release()
