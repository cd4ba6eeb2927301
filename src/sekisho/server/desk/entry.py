"""The only way in: who may speak with the desk, asked before any route is chosen, so that no route can forget it.

======================  ===============================================================================================
another machine         the desk listens on 127.0.0.1 alone
a page of another site  ``Host`` is ours to the letter, ``Sec-Fetch-Site`` says that a page of ours asks (or, of what is
                        only read, nobody's); what changes something also has our ``Origin`` and the token of a form
another user here       prefix and cookie are both needed: cookies are sent to every port of a host (RFC 6265, 8.5), so
                        the cookie's path is the prefix. On Linux the peer of the connection must be of our own user
an overheard address    the secret that leads in works once, within two minutes, by POST; it stands in a file that is
                        ours to read, never on a command line
======================  ===============================================================================================

What is refused learns nothing: a status and no word. Only who bears a secret that was used, or the prefix without its
cookie, is told to open the desk again.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from html import escape
from pathlib import Path
from threading import Lock
from time import monotonic, time
from urllib.parse import parse_qs

from fastapi import HTTPException, Request
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sekisho.seeds import draw_token
from sekisho.server.web.language import read_preference
from sekisho.server.web.logs import LOG
from sekisho.words import Language, Said

HOST = "127.0.0.1"
OPENING = "/open"
COOKIE = "sekisho_desk"
FORM_FIELD, FORM_HEADER, OPENING_FIELD = "token", "x-desk-token", "secret"
SECONDS = 120.0
OPENING_PAGES = "open-*.html"
PREFIX_CHARACTERS = 22
"""Of base64, six bits each: 132 bits."""
NO_ICON = '<link rel="icon" href="data:,">'
LONGEST_OPENING = 1000
READING = ("GET", "HEAD")
SOCKETS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ESTABLISHED = "01"
MAPPED = bytes(10) + b"\xff\xff"
"""How an IPv4 address begins where it is written as one of IPv6."""
PeerCheck = Callable[[Scope], bool]


def is_our_peer(scope: Scope) -> bool:
    """Tell whether the other end of a connection belongs to our user; where the system does not say, it does."""
    if sys.platform != "linux":
        return True
    client, server = scope.get("client"), scope.get("server")
    if client is None or server is None:
        return False
    return find_peer(tuple(client), tuple(server)) == os.getuid()


def find_peer(client: tuple[str, int], server: tuple[str, int], tables: tuple[Path, ...] = SOCKETS) -> int | None:
    """Return the user at the other end of a connection, as Linux lists its sockets; None if none is listed.

    Args:
        client: address and port of the other end.
        server: ours.
        tables: of the system, one for IPv4 and one for IPv6, where a program may speak IPv4, too.
    """
    for table, width in zip(tables, (4, 16), strict=True):
        sought = [_write_end(*client, width), _write_end(*server, width), ESTABLISHED]
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            words = line.split()
            if words[1:4] == sought:
                return int(words[7])
    return None


def _write_end(address: str, port: int, width: int) -> str:
    """Write an end of a connection as the system does: each four bytes as one number of this machine."""
    raw = socket.inet_aton(address)
    raw = raw if width == len(raw) else MAPPED + raw
    numbers = (int.from_bytes(raw[at : at + 4], sys.byteorder) for at in range(0, width, 4))
    return "".join(f"{number:08X}" for number in numbers) + f":{port:04X}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ticket:
    target: str
    until: float


@dataclass(kw_only=True)
class Entrance:
    """What leads into one running desk; it is gone with it.

    Attributes:
        port: that the desk listens at.
        clock: seconds that only grow.
        is_ours: whether a connection's other end is of our user.
        prefix: how all addresses begin.
    """

    port: int
    clock: Callable[[], float] = monotonic
    is_ours: PeerCheck = is_our_peer
    prefix: str = field(init=False)
    _cookie: str = field(init=False, default_factory=draw_token)
    _tickets: dict[str, _Ticket] = field(init=False, default_factory=dict[str, _Ticket])
    _lock: Lock = field(init=False, default_factory=Lock)

    def __post_init__(self) -> None:
        self.prefix = f"/s/{draw_token()[:PREFIX_CHARACTERS]}"

    @property
    def host(self) -> str:
        """What a request must call us."""
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        """Where our pages come from."""
        return f"http://{self.host}"

    @property
    def token(self) -> str:
        """What every form of ours bears."""
        return _digest(f"form {self._cookie}")

    def issue(self, target: str = "/") -> str:
        """Return a fresh secret, which leads once to an address of the desk, written without the prefix."""
        secret = draw_token()
        with self._lock:
            self._tickets[_digest(secret)] = _Ticket(target=target, until=self.clock() + SECONDS)
        return secret

    def redeem(self, secret: str) -> str | None:
        """Return where a secret leads, which it does once and not for long; None for all others."""
        with self._lock:
            ticket = self._tickets.pop(_digest(secret), None)
        return ticket.target if ticket is not None and self.clock() <= ticket.until else None

    def admits(self, headers: Headers) -> bool:
        """Tell whether a request bears the desk's cookie; others may have set one of its name beside it."""
        pairs = (pair.strip().partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
        return any(name == COOKIE and compare_digest(value.encode(), self._cookie.encode()) for name, _, value in pairs)

    def write_cookie(self) -> str:
        """Return the header that hands the cookie out."""
        return f"{COOKIE}={self._cookie}; Path={self.prefix}/; HttpOnly; SameSite=Strict"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class EntryGuard:
    """Lets in who may speak with the desk; around every route, so that none can be forgotten."""

    def __init__(self, app: ASGIApp, entrance: Entrance) -> None:
        self.app, self.entrance = app, entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing else is spoken here; the server closes the connection
        answer = self._refuse(scope)
        if answer is None and scope["path"] == OPENING:
            answer = self._open(await _read_secret(receive), scope)
        if answer is not None:
            await answer(scope, receive, send)
            return
        scope["root_path"] = self.entrance.prefix
        await self.app(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the refusal of a request; None if it may pass."""
        headers, entrance = Headers(scope=scope), self.entrance
        if headers.getlist("host") != [entrance.host]:
            return _turn_away(421, "host")
        if not entrance.is_ours(scope):
            return _turn_away(403, "peer")
        if scope["path"] == OPENING:  # a file's page has no origin
            known = headers.getlist("origin") in (["null"], [entrance.origin])
            return None if scope["method"] == "POST" and known else _turn_away(405, "opening")
        if not scope["path"].startswith(f"{entrance.prefix}/"):
            return _turn_away(404, "prefix")
        if not self._comes_from_us(headers, reading=scope["method"] in READING):
            return _turn_away(403, "origin")
        return None if entrance.admits(headers) else _ask_again(headers, "cookie")

    def _comes_from_us(self, headers: Headers, *, reading: bool) -> bool:
        """Tell whether a page of ours asks, or, of what is only read, the reader by the browser's own means."""
        sites = ("same-origin", "none") if reading else ("same-origin",)
        origins, ours = headers.getlist("origin"), [self.entrance.origin]
        return headers.getlist("sec-fetch-site") in [[site] for site in sites] and (
            origins == ours or (reading and not origins)
        )

    def _open(self, secret: str, scope: Scope) -> Response:
        """Answer a secret with the cookie, and a page that goes on by itself.

        A redirection would still be the file's request, to which browsers add no strict cookie; the page's is ours.
        """
        target = self.entrance.redeem(secret)
        if target is None:
            return _ask_again(Headers(scope=scope), "secret")
        address = escape(self.entrance.prefix + target)
        head = f'<title>Sekisho</title><meta charset="utf-8">{NO_ICON}'
        text = f'<!DOCTYPE html><html lang="en">{head}<a href="{address}">関所</a>'
        headers = {"Set-Cookie": self.entrance.write_cookie(), "Refresh": f"0; url={self.entrance.prefix}{target}"}
        return HTMLResponse(text, headers=headers)


async def _read_secret(receive: Receive) -> str:
    body, more = b"", True
    while more and len(body) <= LONGEST_OPENING:
        message = await receive()
        body, more = body + message.get("body", b""), bool(message.get("more_body"))
    fields = parse_qs(body.decode("ascii", "replace")) if len(body) <= LONGEST_OPENING else {}
    return "".join(fields.get(OPENING_FIELD, []))


def _turn_away(status: int, rule: str) -> Response:
    LOG.info("refused", rule=rule, status=status)
    return Response(status_code=status)


def _ask_again(headers: Headers, rule: str) -> Response:
    """Refuse with the one sentence that helps whoever had an address of ours."""
    LOG.info("refused", rule=rule, status=403)
    language = read_preference(headers.get("accept-language", ""))
    said = escape(Said("This address was used already; open the desk again").say(language))
    text = f'<!DOCTYPE html><html lang="{language}"><title>Sekisho</title><meta charset="utf-8">{NO_ICON}<p>{said}</p>'
    return HTMLResponse(f"{text}<pre>sekisho desk</pre>", status_code=403)


async def check_token(request: Request) -> None:
    """Refuse what would change something without the token of a form; asked of every route by the application."""
    if request.method in READING:
        return
    given = request.headers.get(FORM_HEADER)
    if given is None:
        given = (await request.form()).get(FORM_FIELD)
    entrance: Entrance = request.app.state.desk.entrance
    if not isinstance(given, str) or not compare_digest(given.encode(), entrance.token.encode()):
        raise HTTPException(403)


def write_opening_page(folder: Path, entrance: Entrance, language: Language, target: str = "/") -> Path:
    """Write the page that leads a browser in, readable by us alone; those of before, which lead nowhere, are removed.

    A secret in an address or on a command line could be read by every user of the machine.
    """
    for former in folder.glob(OPENING_PAGES):
        if former.lstat().st_mtime < time() - SECONDS:
            former.unlink(missing_ok=True)
    place = folder / f"open-{draw_token()[:12]}.html"
    words = escape(Said("Open the desk").say(language))
    text = (
        f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<title>Sekisho</title><form method="post" action="{entrance.origin}{OPENING}">'
        f'<input type="hidden" name="{OPENING_FIELD}" value="{entrance.issue(target)}"><button>{words}</button></form>'
        "<script>document.forms[0].submit()</script></html>\n"
    )
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    return place
