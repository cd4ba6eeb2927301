"""A form that changes a case: the version that the person saw, a key of its own, and what becomes of two at once.

A form of a case begins with ``{{ edit_fields() }}``. Its route ends with
``return write_edits(request, name, edits, form, back=f"/cases/{name}/risk")``: the edits are a new version, the second
click of a double click gets the first's answer, and where another window changed the same, a page shows both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import UploadFile
from starlette.responses import HTMLResponse, Response

from sekisho.data.files.toml_text import write_value
from sekisho.errors import ParameterError
from sekisho.server.desk.edits import DeskEdit, look_up
from sekisho.server.desk.entry import FORM_FIELD
from sekisho.server.desk.frame import KEY_FIELD, SEEN_FIELD, TAB_FIELD, HiddenField, go_on, write_desk_page
from sekisho.server.desk.shown import OpenCase, open_case, show_case
from sekisho.server.desk.versions import Conflict
from sekisho.server.web.forms import is_from_script
from sekisho.words import Said

LONGEST_SHOWN = 300
AGAIN = "again"
"""The field of a form that changes a version that is only to be read: a new one is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentForm:
    """What a form of a case sent.

    Attributes:
        seen: the version that the person saw; None where the form does not say.
        key: of the form: sent a second time, the first answer is given again.
        tab: the step that it stands on.
        fields: all others, in their order.
    """

    seen: int | None
    key: str
    tab: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str, default: str = "") -> str:
        """Return a field."""
        return next((value for field, value in self.fields if field == name), default)

    def list(self, name: str) -> list[str]:
        """Return all values of a field, such as of tick boxes."""
        return [value for field, value in self.fields if field == name]


async def read_sent_form(request: Request) -> SentForm:
    """Return what a form sent; files are none of its fields.

    Raises:
        HTTPException: the version is no number.
    """
    form = await request.form()
    fields = tuple((name, value) for name, value in form.multi_items() if not isinstance(value, UploadFile))
    own = {name: value for name, value in fields if name in {SEEN_FIELD, KEY_FIELD, TAB_FIELD}}
    seen = own.get(SEEN_FIELD, "")
    if seen and not (seen.isascii() and seen.isdecimal() and len(seen) < 7):
        raise HTTPException(422)
    return SentForm(
        seen=int(seen) if seen else None,
        key=own.get(KEY_FIELD, "")[:64],
        tab=own.get(TAB_FIELD, "")[:64],
        fields=tuple(pair for pair in fields if pair[0] not in {*own, FORM_FIELD}),
    )


Sent = Annotated[SentForm, Depends(read_sent_form)]
"""How a route takes a form: ``form: Sent``."""


def write_edits(request: Request, name: str, edits: Sequence[DeskEdit], form: SentForm, *, back: str) -> Response:
    """Make a new version, and send the reader on; where another window changed the same, ask which is to hold.

    Args:
        request: of the form.
        name: of the case.
        edits: what is to be changed.
        form: that was sent.
        back: the page that shows it then, without the prefix.

    Raises:
        HTTPException: there is no such case.
        ParameterError: an edit names what is not there.
    """
    shown = open_case(request, name, open_case(request, name).newest)
    if shown.settled and edits and not form.get(AGAIN):
        return _ask_anew(request, shown, form, back)
    versions = shown.case.versions
    based_on = versions.head if form.seen is None else form.seen
    answer = versions.write(edits, based_on=based_on, key=form.key, tab=form.tab)
    if isinstance(answer, Conflict):
        return _ask_which(request, name, answer, form, back)
    return go_on(request, back)


def _ask_anew(request: Request, shown: OpenCase, form: SentForm, back: str) -> Response:
    """Say that a version is only to be read; "new version" sends the same form again."""
    fields = [HiddenField(name=field, value=value) for field, value in (*form.fields, (AGAIN, "1"))]
    answer = write_desk_page(request, "desk/settled.html", shown, step=form.tab, status=409, fields=fields, back=back)
    return _show_instead(request, answer)


def _show_instead(request: Request, answer: HTMLResponse) -> HTMLResponse:
    """Return a page that stands in the place of the one that asked; htmx takes no refusal, and would put it inside."""
    if is_from_script(request):
        answer.status_code = 200
        answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "body", "innerHTML"
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class MetEdit:
    """One place that two windows changed."""

    place: str
    before: str
    mine: str
    theirs: str


def _ask_which(request: Request, name: str, conflict: Conflict, form: SentForm, back: str) -> Response:
    """Show both; "mine" sends the same form again, on top of theirs."""
    case = open_case(request, name).case
    seen = case.versions.read(form.seen)
    met = [
        MetEdit(
            place=describe_place(mine),
            before=describe_value(mine, look_up(seen.files, mine)),
            mine=describe_value(mine, mine.value),
            theirs=describe_value(theirs, theirs.value),
        )
        for mine, theirs in zip(conflict.mine, conflict.theirs, strict=True)
    ]
    fields = [HiddenField(name=field, value=value) for field, value in form.fields]
    shown = show_case(request, case, conflict.head)
    answer = write_desk_page(
        request, "desk/mine_or_theirs.html", shown, step=form.tab, status=409, met=met, fields=fields, back=back
    )
    return _show_instead(request, answer)


def describe_place(edit: DeskEdit) -> str:
    """Return what an edit changes, as its file writes it."""
    return ".".join([edit.path if not edit.place else "", *map(str, edit.place)]).strip(".")


def describe_value(edit: DeskEdit, value: object) -> str:
    """Return a value as a line of a page; a whole file is not repeated."""
    if value is None:
        return "–"
    if edit.is_whole:
        return Said("a file of {lines:,} {lines:line|lines}", lines=len(str(value).splitlines()))
    text = write_value(value) if isinstance(value, dict | list) else str(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def read_version(request: Request, name: str, number: str) -> int:
    """Return the number of a version that a form names.

    Raises:
        HTTPException: there is none.
    """
    try:
        return open_case(request, name).case.versions.read(int(number)).number
    except (ValueError, ParameterError) as error:
        raise HTTPException(404) from error
