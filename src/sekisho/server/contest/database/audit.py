"""The audit: who did what and when, append-only, each line chained to the one before; no passwords, no tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from sekisho.contest.ledger import START, digest_text, write_canonical
from sekisho.server.contest.database.rows import AuditRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditNote:
    """Something that somebody did.

    Attributes:
        actor: ``account 3``, ``token 5`` or ``worker``.
        action: such as ``open-phase``.
        detail: plain data.
    """

    at: str
    actor: str
    action: str
    detail: Mapping[str, object]


def add_note(session: Session, contest: int, note: AuditNote) -> None:
    """Write a note behind the others; the caller holds the contest's row."""
    last = session.execute(
        select(AuditRow.n, AuditRow.digest).where(AuditRow.contest == contest).order_by(AuditRow.n.desc()).limit(1)
    ).first()
    n, previous = (1, START) if last is None else (last.n + 1, last.digest)
    body = {"n": n, "previous": previous, "at": note.at, "actor": note.actor, "action": note.action}
    line = write_canonical(body | {"detail": dict(note.detail)})
    session.add(AuditRow(contest=contest, n=n, line=line, digest=digest_text(line)))
    session.flush()


def read_audit(session: Session, contest: int) -> list[dict[str, object]]:
    """Return every line as plain data with its digest."""
    rows = session.scalars(select(AuditRow).where(AuditRow.contest == contest).order_by(AuditRow.n))
    return [cast("dict[str, object]", json.loads(row.line)) | {"hash": row.digest} for row in rows]


def find_break(session: Session, contest: int) -> int | None:
    """Return the first line that does not continue the chain; None if all do."""
    previous = START
    rows = session.scalars(select(AuditRow).where(AuditRow.contest == contest).order_by(AuditRow.n))
    for n, row in enumerate(rows, 1):
        table = cast("dict[str, object]", json.loads(row.line))
        if (row.n, table["n"], table["previous"], row.digest) != (n, n, previous, digest_text(row.line)):
            return n
        previous = row.digest
    return None
