"""Refusals as pages: whatever the server refuses with a JSON object becomes a page where a person asked for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekisho.server.pages.kit.faults import translate_faults
from sekisho.server.pages.kit.forms import is_from_script
from sekisho.server.pages.kit.language import choose_language
from sekisho.server.pages.kit.render import write_page
from sekisho.server.pages.kit.words import knows_name, say_name
from sekisho.server.site import Site
from sekisho.words import Language

PLAIN = ("/api/", "/health", "/ready", "/metrics", "/static/")
"""Addresses for programs."""
SPOKEN, LISTED = (409, 422), ("model", "parameter", "faults")
"""Refusals with a sentence of their own; and those of them whose errors are listed."""
KEPT = ("retry-after", "set-cookie", "x-request-id")


class PageRefusals:
    """Turns refusals into pages."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self.app, self.site = app, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"].startswith(PLAIN):
            await self.app(scope, receive, send)
            return
        begun: Message | None = None
        body = b""

        async def send_page(message: Message) -> None:
            nonlocal begun, body
            if message["type"] == "http.response.start" and _is_refusal(message):
                begun = message
            elif begun is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._write(Request(scope), begun, body)(scope, receive, send)

        await self.app(scope, receive, send_page)

    def _write(self, request: Request, begun: Message, body: bytes) -> HTMLResponse:
        status = int(begun["status"])
        refusal = cast("Mapping[str, object]", json.loads(body))
        language = choose_language(request)
        errors = cast("list[dict[str, object]]", refusal["errors"])
        values = {
            "status": status,
            "sentence": self._find_sentence(status, refusal, language),
            "errors": translate_faults(errors, language),
            "count": len(errors),
            "form": str(getattr(request.state, "form", "")),
            "entries_now": [],
        }
        whole = not is_from_script(request)
        template = "public/refusal.html" if whole else "public/refusal_part.html"
        text = write_page(request, self.site, template, values=values)
        headers = {name: value for name, value in Headers(raw=begun["headers"]).items() if name in KEPT}
        if not whole and request.method == "GET":
            headers["HX-Reswap"] = "none"  # what refreshes itself stays as it is, and is asked for again
        return HTMLResponse(text, status_code=status, headers=headers)

    def _find_sentence(self, status: int, refusal: Mapping[str, object], language: Language) -> str:
        """Return the sentence of a refusal: its own where it has one in this language, else what its status means."""
        rule = str(refusal["rule"])
        if language is Language.JA and refusal.get("error_ja"):
            return str(refusal["error_ja"])
        if knows_name("refusal", rule):
            return say_name("refusal", rule)
        if language is Language.EN and status in SPOKEN and rule not in LISTED:
            return str(refusal["error"])
        return say_name("refusal", status)


def _is_refusal(message: Message) -> bool:
    kind = Headers(raw=message["headers"]).get("content-type", "")
    return message["status"] >= 400 and kind.startswith("application/json")
