"""Accounts, tokens and sessions as rows: made, found, revoked. Of secrets only digests are kept."""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.orm import Session

from sekisho.contest.ledger import digest_text
from sekisho.contest.rules import add_seconds
from sekisho.errors import ParameterError
from sekisho.seeds import draw_token
from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.database.rows import AccountRow, SessionRow, TokenRow
from sekisho.words import Said

MOST_TOKENS, MOST_MEMBERS = 20, 50
NOBODY = Principal()


def add_account(
    session: Session, contest: int, *, login: str, password: str, role: AccountRole, at: str, team: str = ""
) -> int:
    """Make an account, and return its number.

    Args:
        session: of a transaction that writes.
        contest: whose account.
        login: its name.
        password: what is kept of it.
        role: what it may do.
        at: when.
        team: whose it is.

    Raises:
        ParameterError: the name is taken.
    """
    taken = session.scalar(select(AccountRow.id).where(AccountRow.contest == contest, AccountRow.login == login))
    if taken is not None:
        raise ParameterError("login", Said("be a name that is not taken"), login)
    row = AccountRow(contest=contest, login=login, password=password, role=str(role), team=team, created=at)
    session.add(row)
    session.flush()
    return row.id


def add_token(
    session: Session, contest: int, *, role: AccountRole, label: str, at: str, team: str = "", days: int | None = None
) -> tuple[int, str]:
    """Make a token for programs; return its number, and the token, which nobody can find out later.

    Args:
        session: of a transaction that writes.
        contest: whose token.
        role: as whom a program acts with it.
        label: what for.
        at: when.
        team: whose it is; empty for the referee's.
        days: how long it is worth something; None without an end.

    Raises:
        ParameterError: there are enough of them.
    """
    held = select(TokenRow.id).where(
        TokenRow.contest == contest, TokenRow.team == team, TokenRow.revoked == "", _is_unexpired(at)
    )
    if len(session.scalars(held).all()) >= MOST_TOKENS:
        raise ParameterError(
            "tokens",
            Said("be at most {most_tokens} at a time", most_tokens=MOST_TOKENS),
            MOST_TOKENS + 1,
            hint=Said("revoke one"),
        )
    token = draw_token()
    expires = "" if days is None else add_seconds(at, 86_400 * days)
    row = TokenRow(
        contest=contest,
        digest=digest_text(token),
        role=str(role),
        team=team,
        label=label,
        created=at,
        expires=expires,
    )
    session.add(row)
    session.flush()
    return row.id, token


def list_tokens(session: Session, contest: int, *, team: str, now: str) -> list[dict[str, int | str | bool]]:
    """Return the tokens of a team, or of the referee, without any secret."""
    rows = session.scalars(
        select(TokenRow).where(TokenRow.contest == contest, TokenRow.team == team).order_by(TokenRow.id)
    )
    return [
        {
            "id": row.id,
            "label": row.label,
            "role": row.role,
            "created": row.created,
            "expires": row.expires,
            "revoked": row.revoked,
            "usable": not row.revoked and (not row.expires or row.expires > now),
        }
        for row in rows
    ]


def revoke_token(session: Session, contest: int, number: int, *, team: str, at: str) -> bool:
    """Revoke a token of a team, or of the referee; False if there is none that is not revoked."""
    row = session.scalar(
        select(TokenRow).where(
            TokenRow.contest == contest, TokenRow.team == team, TokenRow.id == number, TokenRow.revoked == ""
        )
    )
    if row is None:
        return False
    row.revoked = at
    return True


def open_session(session: Session, account: int, *, at: str, hours: int) -> tuple[str, str]:
    """Log an account in; return the cookie's secret, and when it expires. Sessions that expired are swept."""
    session.execute(delete(SessionRow).where(SessionRow.expires < at))
    secret, expires = draw_token(), add_seconds(at, 3600 * hours)
    session.add(SessionRow(digest=digest_text(secret), account=account, created=at, expires=expires))
    return secret, expires


def close_session(session: Session, secret: str) -> None:
    """Log somebody out."""
    session.execute(delete(SessionRow).where(SessionRow.digest == digest_text(secret)))


def close_sessions(session: Session, account: int) -> None:
    """Log an account out wherever it is logged in."""
    session.execute(delete(SessionRow).where(SessionRow.account == account))


def find_account(session: Session, contest: int, secret: str, *, now: str) -> AccountRow | None:
    """Return the account that a cookie was handed out to; None if it is worth nothing."""
    return session.scalar(
        select(AccountRow)
        .join(SessionRow, SessionRow.account == AccountRow.id)
        .where(SessionRow.digest == digest_text(secret), SessionRow.expires > now, AccountRow.contest == contest)
    )


def find_by_session(session: Session, contest: int, secret: str, *, now: str) -> Principal:
    """Return who bears a cookie; a spectator if it is worth nothing."""
    row = find_account(session, contest, secret, now=now)
    if row is None:
        return NOBODY
    return Principal(role=AccountRole(row.role), team=row.team, actor=f"account {row.id}", session=secret)


def find_by_token(session: Session, contest: int, token: str, *, now: str) -> Principal | None:
    """Return who bears a token; None if it is worth nothing, or no longer."""
    row = session.scalar(
        select(TokenRow).where(
            TokenRow.digest == digest_text(token),
            TokenRow.revoked == "",
            TokenRow.contest == contest,
            _is_unexpired(now),
        )
    )
    return None if row is None else Principal(role=AccountRole(row.role), team=row.team, actor=f"token {row.id}")


def _is_unexpired(now: str) -> ColumnElement[bool]:
    return or_(TokenRow.expires == "", TokenRow.expires > now)


def derive_csrf(secret: str) -> str:
    """Return the token that requests which change something must bear beside a session's cookie."""
    return digest_text(f"csrf {secret}")
