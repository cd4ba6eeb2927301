"""What ends: the desk itself, whose work is on the disk; and a case, with everything of it."""

from __future__ import annotations

from fastapi import APIRouter, BackgroundTasks, Request
from starlette.responses import HTMLResponse, Response

from sekisho.server.desk.cases import Case
from sekisho.server.desk.frame import find_desk, go_on, write_desk_page
from sekisho.server.desk.settings import Desk
from sekisho.server.desk.shown import open_case

router = APIRouter()


@router.post("/close", response_class=HTMLResponse)
def close_desk(request: Request, afterwards: BackgroundTasks) -> HTMLResponse:
    """Say that the desk is closed, and close it."""
    answer = write_desk_page(request, "desk/closed.html")
    afterwards.add_task(find_desk(request).settings.close)
    answer.background = afterwards
    return answer


@router.get("/cases/{name}/delete", response_class=HTMLResponse)
def ask_deletion(request: Request, name: str) -> HTMLResponse:
    """Say what would be lost with a case, and ask."""
    shown = open_case(request, name)
    case = shown.case
    return write_desk_page(
        request,
        "desk/delete.html",
        shown,
        dropped=case.original.dropped,
        versions=len(case.versions.list()),
        runs=sum(folder.is_dir() for folder in case.runs.iterdir()),
        released=sorted(path.name for path in case.public.iterdir()),
        under_way=shown.run is not None and not shown.run.state.is_over,
    )


@router.post("/cases/{name}/delete", response_class=HTMLResponse)
def delete_case(request: Request, name: str) -> Response:
    """Delete a case; a file that was named by command stays where it stands."""
    remove_case(find_desk(request), open_case(request, name).case)
    return go_on(request, "/")


def remove_case(desk: Desk, case: Case) -> None:
    """End what works for a case, then remove it."""
    desk.runs.adopt(case.runs)
    for run in desk.runs.list_under_way():
        if run.order.case == case.name:
            desk.runs.cancel(run.folder, wait=True)
    desk.counters.end(case.folder)
    desk.cases.remove(case)
