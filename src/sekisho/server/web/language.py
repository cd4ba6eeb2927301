"""Which language somebody reads: asked for in the address, else kept in a cookie, else as the browser says."""

from __future__ import annotations

import re

from fastapi import Request
from starlette.responses import Response

from sekisho.words import Language

LANGUAGE_COOKIE = "sekisho_language"
PARAMETER = "language"
YEAR = 365 * 24 * 3600
_WEIGHED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,30})?\s*(?:;\s*q=([01](?:\.[0-9]{1,3})?))?\s*")


def choose_language(request: Request) -> Language:
    """Return the language of an answer."""
    kept = request.cookies.get(_name_cookie(secure=request.app.state.secure), "")
    for asked in (request.query_params.get(PARAMETER, ""), kept):
        if asked in tuple(Language):
            return Language(asked)
    return read_preference(request.headers.get("accept-language", ""))


def read_preference(header: str) -> Language:
    """Return which of our languages a browser prefers; English if it says nothing."""
    weights: dict[str, float] = {}
    for part in header[:1000].split(","):
        match = _WEIGHED.fullmatch(part)
        if match is not None and match[1].lower() in tuple(Language):
            weights.setdefault(match[1].lower(), float(match[2] or 1))
    return Language(max(weights, key=lambda name: weights[name])) if any(weights.values()) else Language.EN


def keep_language(request: Request, response: Response, *, secure: bool) -> None:
    """Have the browser keep a language that was asked for in the address."""
    asked = request.query_params.get(PARAMETER, "")
    if asked in tuple(Language):
        name = _name_cookie(secure=secure)
        response.set_cookie(name, asked, max_age=YEAR, secure=secure, httponly=True, samesite="lax")


def _name_cookie(*, secure: bool) -> str:
    return f"__Host-{LANGUAGE_COOKIE}" if secure else LANGUAGE_COOKIE
