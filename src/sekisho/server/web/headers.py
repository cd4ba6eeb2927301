"""Headers that every answer bears: no inline script, no frames, no guessing of types, no referrer, no cache."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; object-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
TRANSPORT = "max-age=31536000; includeSubDomains"


class SecurityHeaders:
    """Adds the headers.

    Args:
        app: what answers.
        secure: whether TLS is served.
        referrer: who is told where a reader came from: nobody, or ``same-origin`` where forms must name their origin
            (browsers call that of a form ``null`` on a page without a referrer).
    """

    def __init__(self, app: ASGIApp, *, secure: bool, referrer: str = HEADERS["referrer-policy"]) -> None:
        self.app, self.secure = app, secure
        self.headers = {**HEADERS, "referrer-policy": referrer}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
                if self.secure:
                    headers["strict-transport-security"] = TRANSPORT
            await send(message)

        await self.app(scope, receive, send_with_headers)
