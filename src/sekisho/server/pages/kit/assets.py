"""Style sheets and scripts: our own files, by name, under addresses that change with their contents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from sekisho.contest.ledger import digest_bytes
from sekisho.report.kit.style import read_page_style
from sekisho.server.routes.documented import describe_file

router = APIRouter(tags=["pages"])
KINDS = {"css": "text/css", "js": "text/javascript", "txt": "text/plain"}
SCRIPTS = ("htmx.min.js", "countdown.js", "NOTICE.txt", "htmx-LICENSE.txt")
STYLE = "site.css"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file that pages load."""

    content: bytes
    kind: str
    address: str


@cache
def read_assets() -> dict[str, Asset]:
    """Return the files by name; the style sheet is that of the reports with what only these pages have."""
    folder = files("sekisho.server") / "static"
    contents = {name: (folder / name).read_bytes() for name in SCRIPTS}
    contents[STYLE] = read_page_style().encode() + (folder / STYLE).read_bytes()
    return {
        name: Asset(
            content=content,
            kind=f"{KINDS[name.rpartition('.')[2]]}; charset=utf-8",
            address=f"/static/{name}?v={digest_bytes(content)[:12]}",
        )
        for name, content in contents.items()
    }


def name_assets() -> dict[str, str]:
    """Return the files' addresses by name, with ``_`` for what a template's names may not hold."""
    return {name.replace(".", "_").replace("-", "_"): asset.address for name, asset in read_assets().items()}


@router.get("/static/{name}", response_class=Response, responses=describe_file(*KINDS.values()))
def send_asset(name: str) -> Response:
    """Return a file that pages load; whoever has it may keep it."""
    asset = read_assets().get(name)
    if asset is None:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(asset.content, media_type=asset.kind, headers=headers)
