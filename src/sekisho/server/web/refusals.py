"""Refusals as pages: whatever the server refuses with a JSON object becomes a page where a person asked for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sekisho.server.web.faults import translate_faults
from sekisho.server.web.forms import is_from_script
from sekisho.server.web.language import choose_language
from sekisho.words import Language, Said

SPOKEN, LISTED = (409, 422), ("model", "parameter", "faults")
"""Refusals with a sentence of their own; and those of them whose errors are listed."""
KEPT = ("retry-after", "set-cookie", "x-request-id")
WritePage = Callable[[Request, str, Mapping[str, object]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPages:
    """How a server shows its refusals.

    Attributes:
        write: writes a template with its values.
        template: of the page.
        part: of what htmx puts into the page that is open.
        words: what refusals mean, by rule or status.
        plain: how addresses for programs begin.
    """

    write: WritePage
    template: str
    part: str
    words: Mapping[str, Said]
    plain: tuple[str, ...] = ("/static/",)


class PageRefusals:
    """Turns refusals into pages."""

    def __init__(self, app: ASGIApp, pages: RefusalPages) -> None:
        self.app, self.pages = app, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"].startswith(self.pages.plain):
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
        }
        whole = not is_from_script(request)
        text = self.pages.write(request, self.pages.template if whole else self.pages.part, values)
        headers = {name: value for name, value in Headers(raw=begun["headers"]).items() if name in KEPT}
        if not whole and request.method == "GET":
            headers["HX-Reswap"] = "none"  # what refreshes itself stays as it is, and is asked for again
        return HTMLResponse(text, status_code=status, headers=headers)

    def _find_sentence(self, status: int, refusal: Mapping[str, object], language: Language) -> str:
        """Return the sentence of a refusal: its own where it has one in this language, else what its status means."""
        rule = str(refusal["rule"])
        if language is Language.JA and refusal.get("error_ja"):
            return str(refusal["error_ja"])
        if rule in self.pages.words:
            return self.pages.words[rule]
        if language is Language.EN and status in SPOKEN and rule not in LISTED:
            return str(refusal["error"])
        return self.pages.words.get(str(status), str(status))


def _is_refusal(message: Message) -> bool:
    kind = Headers(raw=message["headers"]).get("content-type", "")
    return message["status"] >= 400 and kind.startswith("application/json")
