"""What a form must bear, and how its fields become what the API takes."""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import Annotated, TypeVar
from urllib.parse import quote

from fastapi import Form, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.responses import RedirectResponse, Response

from sekisho.server.web.documented import Described

M = TypeVar("M", bound=BaseModel)
Field = Annotated[str, Form(max_length=10_000)]
ADDRESS_MARKS = ":/%#?=@[]!$&'()*+,;"
"""What a redirection leaves as it is, whoever follows it; a case may be called by Japanese letters."""
TRUSTED = ("same-origin", "none")


def is_trusted(request: Request, *, given: str, expected: str) -> bool:
    """Tell whether a form was sent by a page of ours, and bears the token of its session where there is one."""
    if request.headers.get("sec-fetch-site", "none") not in TRUSTED:
        return False
    return not expected or compare_digest(given.encode(), expected.encode())


SENT_ON: Described = {
    204: {"description": "Done, to htmx; the page that shows it is at the address in `HX-Redirect`."},
    303: {"description": "Done; the page that shows it is at the address in `Location`."},
}
"""How the answers of every route of a form are described."""


def read_form(model: type[M], values: Mapping[str, object]) -> M:
    """Return a form's fields as the API's own model.

    Raises:
        RequestValidationError: fields are not as they must be; everything at once.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in error.errors()]) from None


def take_file(upload: UploadFile | None) -> UploadFile | None:
    """Return a file if one was chosen: browsers send empty fields, too."""
    return upload if upload is not None and upload.filename else None


def is_from_script(request: Request) -> bool:
    """Tell whether htmx asks, which puts the answer into the page that is open."""
    return "hx-request" in request.headers


def go_to(address: str, request: Request | None = None) -> Response:
    """Send the reader on to a page after a form.

    Args:
        address: of the page.
        request: of a form that htmx may send; a redirection it would follow itself, and put the page into the form's.
    """
    if request is not None and is_from_script(request):
        return Response(status_code=204, headers={"HX-Redirect": quote(address, safe=ADDRESS_MARKS)})
    return RedirectResponse(address, status_code=303)


def come_back_to(request: Request, address: str) -> None:
    """Note where the form is filled in as it was sent, for the page of a refusal; files nobody can choose for them."""
    request.state.form = address
