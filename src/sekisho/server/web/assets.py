"""Style sheets and scripts: our own files, by name, under addresses that change with their contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

from sekisho.report.kit.style import read_page_style
from sekisho.server.web.documented import describe_file

KINDS = {"css": "text/css", "js": "text/javascript", "txt": "text/plain"}
SHARED = ("htmx.min.js", "NOTICE.txt", "htmx-LICENSE.txt")
STYLE = "site.css"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file that pages load."""

    content: bytes
    kind: str
    address: str


def read_assets(owner: str, names: Sequence[str]) -> dict[str, Asset]:
    """Return the files by name: those that all pages load, and some of a room's own.

    The style sheet is that of the reports with what pages of a server have besides.

    Args:
        owner: the room, such as ``sekisho.server.contest``, whose folder ``static`` holds the others.
        names: of the others.
    """
    shared, own = files("sekisho.server.web") / "static", files(owner) / "static"
    contents = {name: (shared / name).read_bytes() for name in SHARED}
    contents[STYLE] = read_page_style().encode() + (shared / STYLE).read_bytes()
    contents |= {name: (own / name).read_bytes() for name in names}
    return {
        name: Asset(
            content=content,
            kind=f"{KINDS[name.rpartition('.')[2]]}; charset=utf-8",
            address=f"/static/{name}?v={sha256(content).hexdigest()[:12]}",
        )
        for name, content in contents.items()
    }


def name_assets(assets: Mapping[str, Asset], *, prefix: str = "") -> dict[str, str]:
    """Return the files' addresses by name, with ``_`` for what a template's names may not hold."""
    return {name.replace(".", "_").replace("-", "_"): prefix + asset.address for name, asset in assets.items()}


def make_asset_router(assets: Mapping[str, Asset]) -> APIRouter:
    """Return the route of the files."""
    router = APIRouter(tags=["pages"])

    @router.get("/static/{name}", response_class=Response, responses=describe_file(*KINDS.values()))
    def send_asset(name: str) -> Response:
        """Return a file that pages load; whoever has it may keep it."""
        asset = assets.get(name)
        if asset is None:
            raise HTTPException(404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(asset.content, media_type=asset.kind, headers=headers)

    del send_asset  # the router has it
    return router
