"""Close the desk: the program ends, and with it the session; what was done is on the disk."""

from __future__ import annotations

from fastapi import APIRouter, BackgroundTasks, Request
from starlette.responses import HTMLResponse

from sekisho.server.desk.frame import find_desk, write_desk_page

router = APIRouter()


@router.post("/close", response_class=HTMLResponse)
def close_desk(request: Request, afterwards: BackgroundTasks) -> HTMLResponse:
    """Say that the desk is closed, and close it."""
    answer = write_desk_page(request, "desk/closed.html")
    afterwards.add_task(find_desk(request).settings.close)
    answer.background = afterwards
    return answer
