"""What a form of a contest's page must bear: the token of the session of whoever is logged in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Form, HTTPException, Request

from sekisho.server.contest.routes.access import find_principal
from sekisho.server.contest.routes.sessions import show_csrf
from sekisho.server.web.forms import is_trusted


def check_origin(request: Request, csrf: Annotated[str, Form()] = "") -> None:
    """Refuse a form that another site sent, or that lacks the token of its session."""
    if not is_trusted(request, given=csrf, expected=show_csrf(find_principal(request))):
        raise HTTPException(403)


FROM_OUR_PAGES = [Depends(check_origin)]
"""What every route of a form depends on."""
