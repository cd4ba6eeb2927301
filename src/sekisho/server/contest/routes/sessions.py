"""Logging in and out, and who one is."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Response
from sqlalchemy import select

from sekisho.errors import ParameterError
from sekisho.server.contest.auth.accounts import close_session, close_sessions, derive_csrf, find_account, open_session
from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.auth.throttle import Throttle
from sekisho.server.contest.database.audit import AuditNote, add_note
from sekisho.server.contest.database.rows import AccountRow
from sekisho.server.contest.middleware.identify import name_cookie
from sekisho.server.contest.routes.access import Address, Anybody, Moment, TheSite
from sekisho.server.contest.routes.models import Credentials, Identity, LoggedIn, PasswordChange
from sekisho.server.contest.settings import RequestLimits
from sekisho.server.contest.site import Site
from sekisho.words import Said

router = APIRouter(prefix="/api/v1", tags=["session"])


@router.post("/session")
def log_in(
    credentials: Credentials, site: TheSite, who: Anybody, at: Moment, address: Address, response: Response
) -> LoggedIn:
    """Log in: a cookie that scripts cannot read, and the token that requests which change something must bear.

    The session that one came with, if any, ends.
    """
    account = check_credentials(site, credentials, at=at, address=address)
    with site.database.write() as session:
        close_session(session, who.session)
        secret, expires = open_session(session, account.id, at=at, hours=site.settings.session_hours)
    set_cookie(site, response, secret)
    return LoggedIn(role=account.role, team=account.team, csrf=derive_csrf(secret), now=at, expires=expires)


@router.delete("/session", status_code=204)
def log_out(site: TheSite, who: Anybody, response: Response) -> None:
    """Log out."""
    if who.session:
        with site.database.write() as session:
            close_session(session, who.session)
    secure = site.settings.secure
    response.delete_cookie(name_cookie(secure=secure), path="/", secure=secure, httponly=True, samesite="strict")


@router.post("/password")
def change_password(
    change: PasswordChange, site: TheSite, who: Anybody, at: Moment, address: Address, response: Response
) -> LoggedIn:
    """Change the password of the account that one is logged in to; all its sessions end, and a new one begins."""
    with site.database.read() as session:
        account = find_account(session, site.book.contest, who.session, now=at)
    if account is None:
        raise HTTPException(401)
    try:
        check_credentials(site, Credentials(login=account.login, password=change.current), at=at, address=address)
    except HTTPException as error:
        if error.status_code != 401:
            raise
        raise ParameterError("current", Said("be the password that the account has now"), "another one") from error
    kept = site.passwords.hash(change.password)
    with site.book.write() as pen:
        pen.session.get_one(AccountRow, account.id).password = kept
        close_sessions(pen.session, account.id)
        secret, expires = open_session(pen.session, account.id, at=at, hours=site.settings.session_hours)
        note = AuditNote(at=at, actor=who.actor, action="change-password", detail={"account": account.id})
        add_note(pen.session, pen.contest, note)
    set_cookie(site, response, secret)
    return LoggedIn(role=account.role, team=account.team, csrf=derive_csrf(secret), now=at, expires=expires)


@router.get("/me")
def tell_me(who: Anybody, at: Moment) -> Identity:
    """Return who asks."""
    return Identity(role=str(who.role), team=who.team, csrf=show_csrf(who), now=at)


def show_csrf(who: Principal) -> str:
    """Return the token that requests of a session must bear; empty where there is no session."""
    return derive_csrf(who.session) if who.session else ""


def set_cookie(site: Site, response: Response, secret: str) -> None:
    """Hand a session's cookie out."""
    response.set_cookie(
        name_cookie(secure=site.settings.secure),
        secret,
        max_age=3600 * site.settings.session_hours,
        path="/",
        secure=site.settings.secure,
        httponly=True,
        samesite="strict",
    )


def check_credentials(site: Site, credentials: Credentials, *, at: str, address: str) -> AccountRow:
    """Return the account that a name and a password open; who tries too often waits."""
    limits = site.settings.limits
    with site.database.read() as session:
        account = session.scalar(
            select(AccountRow).where(AccountRow.contest == site.book.contest, AccountRow.login == credentials.login)
        )
        throttles = _list_throttles(limits, credentials.login, address, account)
        if any(throttle.is_used_up(session, key, now=at) for key, throttle in throttles.items()):
            raise HTTPException(429, headers={"Retry-After": str(limits.window_seconds)})
    right = site.passwords.matches(None if account is None else account.password, credentials.password)
    with site.database.write() as session:
        for key, throttle in throttles.items():
            if right:
                throttle.forgive(session, key)
            else:
                throttle.count(session, key, now=at)
    if account is None or not right:
        raise HTTPException(401)
    return account


def _list_throttles(limits: RequestLimits, login: str, address: str, account: AccountRow | None) -> dict[str, Throttle]:
    """Return by key how often a name may be tried: from one address, and from everywhere.

    The referee is not kept out by what others try elsewhere: his tries are counted by address alone, and more of them,
    for he may sit behind the same address as a room of teams. His password is as long as everybody's, and slow to try.
    """
    if account is not None and account.role == AccountRole.REFEREE:
        return {f"login {login} {address}": Throttle(most=limits.name_failures, seconds=limits.window_seconds)}
    return {
        f"login {login} {address}": Throttle(most=limits.login_failures, seconds=limits.window_seconds),
        f"login {login}": Throttle(most=limits.name_failures, seconds=limits.window_seconds),
    }
