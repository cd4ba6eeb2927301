"""The first page: bring a file, or go on with a case."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from sekisho.server.desk.frame import write_desk_page

router = APIRouter()


@router.get("/", response_class=HTMLResponse)
def show_start(request: Request) -> HTMLResponse:
    """Show what the desk is for."""
    return write_desk_page(request, "desk/start.html", command="sekisho desk people.csv")
