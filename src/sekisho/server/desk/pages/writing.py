"""What every form of a case does with its edits: a new version, or the question whose change it shall be.

A form bears ``{{ form_token() }}``, the version that it was made from (``version``) and a key of its own (``form``), by
which a double click is answered once. With htmx the page is asked for anew and takes the place of the open one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, Response

from sekisho.seeds import draw_salt
from sekisho.server.desk.edits import DeskEdit
from sekisho.server.desk.entry import FORM_FIELD
from sekisho.server.desk.frame import find_desk, go_on, write_desk_page
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.shown import OpenCase
from sekisho.server.desk.versions import Conflict
from sekisho.server.web.forms import is_from_script
from sekisho.server.web.language import choose_language
from sekisho.words import Language, Said

FAULT = Said("A fault of ours; the page can be asked for again.")
FAILURES = {"memory": Said("It needs more memory than it may take.")}
VERSION_FIELD, KEY_FIELD = "version", "form"
LONGEST_VALUE = 200


async def read_fields(request: Request) -> FormData:
    """Return the fields of a form."""
    return await request.form()


Fields = Annotated[FormData, Depends(read_fields)]


def draw_form_key() -> str:
    """Return a key for a form."""
    return draw_salt()[:16]


def read_field(fields: FormData, name: str) -> str:
    """Return a field's text; empty where there is none."""
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""


def read_list(fields: FormData, name: str) -> list[str]:
    """Return the texts of a field that may be there several times."""
    return [value for value in fields.getlist(name) if isinstance(value, str)]


def write_edits(
    request: Request, shown: OpenCase, edits: Sequence[DeskEdit], fields: FormData, *, step: str, then: str
) -> Response:
    """Put a form's edits on the current version and go on; where another changed the same, ask.

    Args:
        request: that sends the form.
        shown: the case.
        edits: what the form asks for.
        fields: of the form.
        step: of the page.
        then: where to go on, without the prefix.
    """
    based_on = read_field(fields, VERSION_FIELD)
    if not (based_on.isascii() and based_on.isdecimal() and len(based_on) < 7):
        raise HTTPException(400)
    answer = shown.case.versions.write(edits, based_on=int(based_on), key=read_field(fields, KEY_FIELD))
    if isinstance(answer, Conflict):
        return _ask_whose(request, shown, answer, fields, step=step, then=then)
    return go_on_here(request, then)


def go_on_here(request: Request, address: str) -> Response:
    """Send the reader on; with htmx only what is on the page changes, and the reader stays where he is on it."""
    if not is_from_script(request):
        return go_on(request, address)
    place = {"path": find_desk(request).entrance.prefix + address, "target": "body", "swap": "innerHTML"}
    return Response(status_code=204, headers={"HX-Location": json.dumps(place)})


def show_failure(request: Request, shown: OpenCase, failure: Plain, *, step: str) -> HTMLResponse:
    """Say what was wrong with a question about the data: all faults at once."""
    language = choose_language(request)
    words = failure.get("words", {}).get(str(language)) or FAILURES.get(failure["key"], FAULT)
    return write_desk_page(
        request, "desk/failure.html", shown, step=step, status=422, words=words, failure=tell_failure(failure, language)
    )


def tell_failure(failure: Plain, language: Language) -> list[Plain]:
    """Return the faults of a failure in a language."""
    return [
        {name: value.get(str(language), "") if isinstance(value, dict) else value for name, value in fault.items()}
        for fault in failure.get("faults", [])
    ]


def _ask_whose(
    request: Request, shown: OpenCase, conflict: Conflict, fields: FormData, *, step: str, then: str
) -> Response:
    sent = [
        (name, value)
        for name, value in fields.multi_items()
        if isinstance(value, str) and name not in (FORM_FIELD, VERSION_FIELD, KEY_FIELD)
    ]
    return write_desk_page(
        request,
        "desk/two_windows.html",
        shown,
        step=step,
        status=409,
        pairs=[(_tell(mine), _tell(theirs)) for mine, theirs in zip(conflict.mine, conflict.theirs, strict=True)],
        sent=sent,
        head=conflict.head,
        form_key=draw_form_key(),
        address=find_desk(request).entrance.prefix + then,
    )


def _tell(edit: DeskEdit) -> str:
    """Return an edit as a line: a whole file by its name, what is taken away as nothing."""
    place = ".".join(map(str, edit.place)) or edit.path
    if edit.value is None:
        return f"{place}: –"
    value = edit.path if edit.is_whole else json.dumps(edit.value, ensure_ascii=False, default=str)
    return f"{place} = {value[:LONGEST_VALUE]}" if not edit.is_whole else place
