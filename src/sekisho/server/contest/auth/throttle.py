"""How often something may be tried: counted in the database, for all processes; or here, for speed."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from sqlalchemy import delete
from sqlalchemy.orm import Session

from sekisho.contest.ledger import digest_text
from sekisho.contest.rules import add_seconds
from sekisho.server.contest.database.rows import ThrottleRow

MOST_KEYS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """So many tries in so many seconds, counted in the database."""

    most: int
    seconds: int

    def is_used_up(self, session: Session, key: str, *, now: str) -> bool:
        """Tell whether nothing more may be tried."""
        row = session.get(ThrottleRow, digest_text(key))
        return row is not None and row.count >= self.most and add_seconds(row.since, self.seconds) > now

    def count(self, session: Session, key: str, *, now: str) -> None:
        """Count one try. Names and addresses are kept as digests only, until the window ends."""
        oldest = add_seconds(now, -self.seconds)
        session.execute(delete(ThrottleRow).where(ThrottleRow.since < oldest))
        row = session.get(ThrottleRow, digest_text(key), with_for_update=True)
        if row is None:
            session.add(ThrottleRow(key=digest_text(key), since=now, count=1))
        else:
            row.count += 1
        session.flush()

    @staticmethod
    def forgive(session: Session, key: str) -> None:
        """Forget what was counted."""
        session.execute(delete(ThrottleRow).where(ThrottleRow.key == digest_text(key)))


@dataclass(slots=True, kw_only=True)
class RateLimiter:
    """A bucket for each key, which fills evenly over a minute; of this process only."""

    buckets: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    lock: Lock = field(default_factory=Lock)

    def wait(self, key: str, *, most: int) -> float:
        """Return 0 if there is one in a bucket, or after how many seconds there will be; none is taken."""
        now = monotonic()
        left, since = self.buckets.get(key, (float(most), now))
        left = min(float(most), left + (now - since) * most / 60)
        return 0.0 if left >= 1 else (1 - left) * 60 / most

    def take(self, key: str, *, most: int) -> float:
        """Take one from a bucket; return 0, or after how many seconds there will be one."""
        now = monotonic()
        with self.lock:
            if len(self.buckets) > MOST_KEYS:
                self.buckets.clear()
            left, since = self.buckets.get(key, (float(most), now))
            left = min(float(most), left + (now - since) * most / 60)
            allowed = left >= 1
            self.buckets[key] = left - allowed, now
        return 0.0 if allowed else (1 - left) * 60 / most
