"""Answers that are no models: what the OpenAPI document says of refusals, on pages too, and files that are sent."""

from __future__ import annotations

from pathlib import PurePath

from starlette.responses import FileResponse

from sekisho.server.contest.routes.models import ErrorAnswer
from sekisho.server.contest.site import Site
from sekisho.server.web.documented import Described, describe_content, describe_file

REFUSALS = {
    400: "The request cannot be read.",
    401: "Log in, or send a token.",
    403: "This is not yours.",
    404: "There is nothing here.",
    408: "The request did not arrive in time.",
    409: "The referee refuses this now.",
    413: "The request is too large.",
    422: "Something is not as it must be; every error is listed.",
    429: "Too many requests: wait a little.",
    503: "The database does not answer: try again.",
}


def describe_refusals() -> Described:
    """Return how programs are refused: with an object that lists all errors."""
    return {status: {"model": ErrorAnswer, "description": text} for status, text in REFUSALS.items()}


def describe_refusal_pages() -> Described:
    """Return how people are refused: with a page."""
    return {
        status: {"description": text, "content": describe_content("text/html")} for status, text in REFUSALS.items()
    }


KINDS = {".csv": "text/csv", ".txt": "text/plain", ".json": "application/json", ".zip": "application/zip"}
"""Of files that are handed in or out, by how their names end."""
CSV_FILE = describe_file("text/csv")
PUBLISHED_FILE = describe_file("text/csv", "application/zip")
PART_FILE = describe_file("text/csv", "text/plain", "application/json")


def send_file(site: Site, digest: str, name: str) -> FileResponse:
    """Send a file of the store, always as something to be saved."""
    headers = {"X-Content-SHA256": digest}
    kind = KINDS[PurePath(name).suffix]
    shown = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
    return FileResponse(site.store.find(digest), media_type=shown, filename=name, headers=headers)
