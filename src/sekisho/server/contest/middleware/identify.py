"""The gate, passed before any body is read: who asks, whether they may ask now, how large a body they may send."""

from __future__ import annotations

from asyncio import wait_for
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from math import ceil
from time import monotonic

from fastapi import HTTPException
from sqlalchemy.exc import OperationalError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekisho.server.contest.auth.accounts import NOBODY, derive_csrf, find_by_session, find_by_token
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.auth.token_guard import TokenGuard
from sekisho.server.contest.site import Site
from sekisho.server.web.answers import refuse

COOKIE = "sekisho_session"
CSRF_HEADER = "x-csrf-token"
SAFE = ("GET", "HEAD", "OPTIONS")
BEARER = "bearer "
UNLIMITED = ("/health", "/ready")
LOGINS = (("POST", "/api/v1/session"), ("GET", "/login"), ("POST", "/login"))


class Gate:
    """Finds out who asks and notes it in the request; refuses what may not pass."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app, self.site = app, site
        self.tokens = TokenGuard(limiter=site.limiter, most=site.settings.limits.token_failures)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        state = scope.setdefault("state", {})
        state["at"] = self.site.clock()  # a phase is open or not when the request begins
        state["address"] = (scope.get("client") or ("unknown", 0))[0]
        if wait := self.tokens.find_wait(headers, state["address"]):
            await refuse(429, rule="rate", headers={"Retry-After": str(ceil(wait))})(scope, receive, send)
            return
        try:
            principal = await run_in_threadpool(self._identify, headers, state["at"])
        except OperationalError:
            await refuse(503, headers={"Retry-After": "5"})(scope, receive, send)
            return
        answer = None
        if principal is None:
            self.tokens.count(state["address"])
            answer = refuse(401, "the token is not valid, or was revoked", rule="token")
        elif _needs_csrf(scope, principal) and not _has_csrf(headers, principal):
            answer = refuse(403, "the request lacks the token of its session", rule="csrf")
        elif wait := self._count(scope, principal):
            answer = refuse(429, rule="rate", headers={"Retry-After": str(ceil(wait))})
        if answer is not None or principal is None:
            await (answer or refuse(401))(scope, receive, send)
            return
        state["principal"] = principal
        most = self.site.settings.limits.upload_bytes if principal.team else self.site.settings.limits.body_bytes
        if _says_larger(headers, most):
            await refuse(413, rule="size")(scope, receive, send)
            return
        await self.app(scope, _cap_body(receive, most, self.site, state), send)

    def _identify(self, headers: Headers, now: str) -> Principal | None:
        given = headers.get("authorization", "")
        contest = self.site.book.contest
        if given:
            token = given[len(BEARER) :] if given.lower().startswith(BEARER) else ""
            with self.site.database.read() as session:
                principal = find_by_token(session, contest, token, now=now)
            if principal is not None:
                self.tokens.trust(given)
            return principal
        secret = _read_cookie(headers.get("cookie", ""), name_cookie(secure=self.site.settings.secure))
        if not secret:
            return NOBODY
        with self.site.database.read() as session:
            return find_by_session(session, contest, secret, now=now)

    def _count(self, scope: Scope, principal: Principal) -> float:
        limits = self.site.settings.limits
        if scope["path"] in UNLIMITED:
            return 0
        if principal.team:
            return self.site.limiter.take(f"team {principal.team}", most=limits.team_requests)
        if principal.is_referee:
            return 0
        # who logs in is counted apart: a room full of people behind one address must not keep the referee out
        kind = "login" if (scope["method"], scope["path"]) in LOGINS else "address"
        return self.site.limiter.take(f"{kind} {scope['state']['address']}", most=limits.address_requests)


def _needs_csrf(scope: Scope, principal: Principal) -> bool:
    """Tell whether a header must bear the session's token; a page's form has it in a field, which its route checks."""
    return scope["method"] not in SAFE and bool(principal.session) and scope["path"].startswith("/api/")


def _has_csrf(headers: Headers, principal: Principal) -> bool:
    return compare_digest(headers.get(CSRF_HEADER, "").encode(), derive_csrf(principal.session).encode())


def describe_role(scope: Scope) -> dict[str, str]:
    """Return as whom somebody asked, for the log."""
    return {"role": str(scope.get("state", {}).get("principal", NOBODY).role)}


def name_cookie(*, secure: bool) -> str:
    """Return what a session's cookie is called; over TLS browsers take one of that name from this very host only."""
    return f"__Host-{COOKIE}" if secure else COOKIE


def _read_cookie(text: str, name: str) -> str:
    try:
        morsel = SimpleCookie(text).get(name)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


def _says_larger(headers: Headers, most: int) -> bool:
    length = headers.get("content-length", "0")
    return not length.isdecimal() or len(length) > 15 or int(length) > most


def _cap_body(receive: Receive, most: int, site: Site, state: dict[str, object]) -> Receive:
    """Count a body's bytes as they arrive, and stop when there are too many, or when they take too long.

    The moment of the last byte is noted: that is when what the request brings is whole.
    """
    count = 0
    end = monotonic() + site.settings.limits.body_seconds

    async def receive_counted() -> Message:
        nonlocal count
        if "whole" in state:  # what comes now is word of the connection, for which nobody need hurry
            return await receive()
        try:
            message = await wait_for(receive(), max(0.0, end - monotonic()))
        except TimeoutError:
            raise HTTPException(408) from None
        count += len(message.get("body", b""))
        if count > most:
            raise HTTPException(413)
        if message["type"] == "http.request" and not message.get("more_body"):
            state["whole"] = site.clock()
        return message

    return receive_counted
